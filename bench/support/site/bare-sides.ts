import { join } from 'node:path'
import { atExit } from '../at-exit.ts'
import { endAll } from './side.ts'
import { startOn } from './start-on.ts'
import { startProcess } from './start-process.ts'
import { hostsOf } from './storage.ts'
import type { ChildProcess } from 'node:child_process'
import type { RunningSide, Side, SideInit } from './side.ts'
import type { RunningStorage, Storage } from './storage.ts'

/** What a storage of directories itself takes to write, with the way from the client: no node can take less. */
export function bareSide (id: string, storage: Storage): Side {
  return {
    id,
    name: `bare writes, ${storage.name}`,
    api: 'node',
    doors: ['write'],
    onlyWrites: true,
    compressed: false,
    startSeconds: storage.startSeconds,
    software: storage.software,
    missing: storage.missing,

    start: async init => startOn(storage, init, async stored => start(stored, init))
  }
}

async function start ({ placeOf }: Pick<RunningStorage, 'placeOf'>, init: SideInit): Promise<RunningSide> {
  const children: ChildProcess[] = []
  const stay = atExit(() => { children.forEach(child => child.kill()) })

  await Promise.all(hostsOf(init).map(async host => {
    const program = [join(import.meta.dirname, 'bare-node.ts'), placeOf(host)]
    children.push(await startProcess(host, init.wan, program, process.env))
  }))

  return {
    reconnect: async () => {},
    close: async () => {
      await endAll(children)
      stay()
    }
  }
}
