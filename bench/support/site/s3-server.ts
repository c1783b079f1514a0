import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { atExit } from '../at-exit.ts'
import { S3_PORT } from './messages.ts'
import { addressOf, STORAGE } from './wan.ts'
import type { SideInit } from './side.ts'
import type { Wan } from './wan.ts'

/** Built by `npm run s3`. */
const S3_PROGRAM = 'ipfsz-s3'

/** Whether the S3 server of the tests is on the PATH. */
export function hasS3 (): boolean {
  const paths = (process.env.PATH ?? '').split(delimiter)

  return paths.some(path => existsSync(join(path, S3_PROGRAM)))
}

/**
 * Start the S3 server of the tests, which keeps all in memory, on a host of its own in each site.
 *
 * @returns what ends them
 */
export async function startS3 ({ wan, sites }: Pick<SideInit, 'wan' | 'sites'>): Promise<() => Promise<void>> {
  const servers = await Promise.all(Array.from({ length: sites }, async (_, i) => startServer(wan, i + 1)))

  return async () => {
    await Promise.all(servers.map(async close => close()))
  }
}

async function startServer (wan: Wan, site: number): Promise<() => Promise<void>> {
  const [command, args] = wan.on(site, STORAGE, [S3_PROGRAM, `${addressOf(site, STORAGE)}:${S3_PORT}`])
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const stay = atExit(() => { child.kill() })
  // it prints its address
  await once(child.stdout, 'data')

  return async () => {
    const ended = once(child, 'close')
    child.kill()
    await ended
    stay()
  }
}
