import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { atExit } from '../at-exit.ts'
import { hostsOf } from './side.ts'
import { S3_PORT } from './messages.ts'
import { startS3 } from './s3-server.ts'
import { addressOf, STORAGE } from './wan.ts'
import type { ChildProcess } from 'node:child_process'
import type { HeliaNode, HeliaNodeInit } from './messages.ts'
import type { RunningSide, Side, SideInit } from './side.ts'

/** Helia with stores of its own, Helia on a directory of each site, and compressed files on one. */
export const HELIA_SIDES: readonly Side[] = [
  side('Helia, own stores', 'helia', false),
  side('Helia, shared directory', 'helia', true),
  side('ipfsz, shared directory', 'ipfsz', true)
]

/** Compressed files on S3. */
export const S3_SIDE: Side = {
  name: 'ipfsz, S3 in memory',
  api: 'node',
  async start (init) {
    const closeS3 = await startS3(init)
    const running = await start('ipfsz', ({ site }) => `http://${addressOf(site, STORAGE)}:${S3_PORT}`, init)

    return {
      ...running,
      close: async () => {
        await running.close()
        await closeS3()
      }
    }
  }
}

function side (name: string, kind: HeliaNodeInit['kind'], shared: boolean): Side {
  return {
    name,
    api: 'node',
    start: async init => start(kind, ({ site, node }) =>
      join(init.directory, shared ? `site-${site}` : `node-${site}-${node}`), init)
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
