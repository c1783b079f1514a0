import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { atExit } from '../at-exit.ts'
import { untilEnded } from '../until-ended.ts'
import { startOn } from './start-on.ts'
import { addressOf } from './wan.ts'
import { hostsOf } from './storage.ts'
import type { ChildProcess } from 'node:child_process'
import type { HeliaNode, HeliaNodeInit } from './messages.ts'
import type { RunningSide, Side, SideInit } from './side.ts'
import type { RunningStorage, Storage } from './storage.ts'

/** Nodes of Helia: with plain files as blockstore-fs has them, or with compressed files under marked CIDs. */
export function heliaSide (id: string, kind: HeliaNodeInit['kind'], storage: Storage): Side {
  return {
    id,
    name: `${kind === 'helia' ? 'Helia' : 'ipfsz'}, ${storage.name}`,
    api: 'node',
    doors: ['write'],
    compressed: kind === 'ipfsz',
    startSeconds: storage.startSeconds,
    software: async () => ['helia', ...kind === 'ipfsz' ? ['ipfsz'] : [], ...await storage.software()],
    missing: async () => storage.missing(),

    start: async init => startOn(storage, init, async stored => start(kind, stored, init))
  }
}

async function start (
  kind: HeliaNodeInit['kind'],
  { placeOf }: Pick<RunningStorage, 'placeOf'>,
  init: SideInit
): Promise<RunningSide> {
  const { wan } = init
  const hosts = hostsOf(init)
  const children: ChildProcess[] = []
  const stay = atExit(() => { children.forEach(child => child.kill()) })
  const running = await Promise.all(hosts.map(async ({ site, node }) => {
    const address = addressOf(site, node)
    const argument: HeliaNodeInit = { address, blocks: placeOf({ site, node }), kind }
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

  // each dials those before it, so no two dial each other
  const reconnect = async (): Promise<void> => {
    await Promise.all(running.map(async ({ child, answer }, i) => {
      child.stdin.write(`${JSON.stringify(running.slice(0, i).map(({ multiaddr }) => multiaddr))}\n`)
      await answer()
    }))
  }

  await reconnect()

  return {
    reconnect,
    close: async () => {
      await Promise.all(running.map(async ({ child }) => {
        child.stdin.end()
        await untilEnded(child)
      }))
      stay()
    }
  }
}
