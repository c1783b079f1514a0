import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { atExit } from '../at-exit.ts'
import { untilEnded } from '../until-ended.ts'
import { BUCKET, S3_PORT } from './messages.ts'
import { addressOf, STORAGE } from './wan.ts'
import type { Storage } from './storage.ts'
import type { Wan } from './wan.ts'

/** Built by `npm run s3`. */
const S3_PROGRAM = 'ipfsz-s3'

/** Whether it is on the PATH. */
function hasS3 (): boolean {
  const paths = (process.env.PATH ?? '').split(delimiter)

  return paths.some(path => existsSync(join(path, S3_PROGRAM)))
}

/** The S3 server of the tests, which keeps all in memory, on a host of its own in each site. */
export const S3_IN_MEMORY: Storage = {
  name: 'S3 in memory',
  startSeconds: 1,
  software: async () => [],
  missing: async () => hasS3() ? undefined : 'run `npm run s3`, which builds the S3 server of the tests with Go',

  async start ({ wan, sites }) {
    const servers = await Promise.all(Array.from({ length: sites }, async (_, i) => startServer(wan, i + 1)))

    return {
      placeOf: ({ site }) => endpointOf(site),
      close: async () => { await Promise.all(servers.map(async close => close())) }
    }
  }
}

/** The URL of a site's S3 server, on the host for storage. */
export function endpointOf (site: number): string {
  return `http://${addressOf(site, STORAGE)}:${S3_PORT}`
}

async function startServer (wan: Wan, site: number): Promise<() => Promise<void>> {
  const [command, args] = wan.on(site, STORAGE, [S3_PROGRAM, `${addressOf(site, STORAGE)}:${S3_PORT}`])
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const stay = atExit(() => { child.kill() })
  // it prints its address
  await once(child.stdout, 'data')
  // ipfsz uses buckets, and makes none
  const [fetcher, fetcherArgs] = wan.on(site, STORAGE, [
    process.execPath, '-e', `fetch('${endpointOf(site)}/${BUCKET}', { method: 'PUT' })`
  ])
  await promisify(execFile)(fetcher, fetcherArgs)

  return async () => {
    const ended = untilEnded(child)
    child.kill()
    await ended
    stay()
  }
}
