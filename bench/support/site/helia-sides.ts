import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { atExit } from '../at-exit.ts'
import { hostsOf } from './side.ts'
import { S3_PORT } from './messages.ts'
import { addressOf, STORAGE } from './wan.ts'
import type { ChildProcess } from 'node:child_process'
import type { HeliaNode, HeliaNodeInit } from './messages.ts'
import type { RunningSide, Side, SideInit } from './side.ts'
import type { Wan } from './wan.ts'

/** Built by `npm run s3`. */
const S3_PROGRAM = 'ipfsz-s3'

/** Helia with stores of its own, Helia on a directory of each site, and compressed files on one. */
export const HELIA_SIDES: readonly Side[] = [
  side('Helia, own stores', 'helia', false),
  side('Helia, shared directory', 'helia', true),
  side('ipfsz, shared directory', 'ipfsz', true)
]

/** Compressed files on S3: the server of the tests, in memory, on a host of its own in each site. */
export const S3_SIDE: Side = {
  name: 'ipfsz, S3 in memory',
  api: 'node',
  async start (init) {
    const servers = await Promise.all(Array.from({ length: init.sites }, async (_, i) => startS3(init.wan, i + 1)))
    const running = await start('ipfsz', ({ site }) => `http://${addressOf(site, STORAGE)}:${S3_PORT}`, init)

    return {
      ...running,
      close: async () => {
        await running.close()
        await Promise.all(servers.map(async close => close()))
      }
    }
  }
}

/** Whether the S3 server of the tests is on the PATH. */
export function hasS3 (): boolean {
  const paths = (process.env.PATH ?? '').split(delimiter)

  return paths.some(path => existsSync(join(path, S3_PROGRAM)))
}

function side (name: string, kind: HeliaNodeInit['kind'], shared: boolean): Side {
  return {
    name,
    api: 'node',
    start: async init => start(kind, ({ site, node }) =>
      join(init.directory, shared ? `site-${site}` : `node-${site}-${node}`), init)
  }
}

async function startS3 (wan: Wan, site: number): Promise<() => Promise<void>> {
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

async function start (
  kind: HeliaNodeInit['kind'],
  blocksOf: (host: { site: number, node: number }) => string,
  init: SideInit
): Promise<RunningSide> {
  const { wan } = init
  const hosts = hostsOf(init)
  const children: ChildProcess[] = []
  const stay = atExit(() => { children.forEach(child => child.kill()) })
  const running = await Promise.all(hosts.map(async ({ site, node }) => {
    const address = addressOf(site, node)
    const argument: HeliaNodeInit = { address, blocks: blocksOf({ site, node }), kind }
    const [command, args] = wan.on(site, node, [
      process.execPath, join(import.meta.dirname, 'helia-node.ts'), JSON.stringify(argument)
    ])
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    children.push(child)
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const answer = async (): Promise<unknown> => {
      const { value, done } = await lines.next()

      if (done === true) {
        throw new Error(`the node ${address} ended: see what it printed above`)
      }

      return JSON.parse(value)
    }

    return { child, answer, ...await answer() as HeliaNode }
  }))

  // each dials those before it
  const reconnect = async (): Promise<void> => {
    for (const [i, { child, answer }] of running.entries()) {
      child.stdin.write(`${JSON.stringify(running.slice(0, i).map(({ multiaddr }) => multiaddr))}\n`)
      await answer()
    }
  }

  await reconnect()

  return {
    reconnect,
    close: async () => {
      await Promise.all(running.map(async ({ child }) => {
        child.stdin.end()
        await once(child, 'close')
      }))
      stay()
    }
  }
}
