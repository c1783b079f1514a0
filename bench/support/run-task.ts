/** Runs a `Task` of `task.ts` in a process of its own. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { MemoryBlockstore } from 'blockstore-core'
import { FsBlockstore } from 'blockstore-fs'
import { LevelBlockstore } from 'blockstore-level'
import { CID } from 'multiformats/cid'
import { measure } from '../benchmark.ts'
import { repeatFile } from './corpus.ts'
import { FILE_SYSTEMS, readAll } from './file-systems.ts'
import { peakMemory } from './peak-memory.ts'
import type { Outcome, Task } from './task.ts'
import type { Blockstore } from 'interface-blockstore'

// the parent process has ended
process.on('disconnect', () => { process.exit() })

const task = JSON.parse(process.argv[2]) as Task
const { size: available } = await stat(task.file)
const open = FILE_SYSTEMS[task.files]

process.send?.(task.action === 'add' ? await add() : await cat(), () => { process.exit() })

async function add (): Promise<Outcome> {
  const { times } = task
  const walls: number[] = []
  const cpus: number[] = []
  const base = peakMemory()
  let cid = ''

  for (let time = 0; time < times; time++) {
    // the last add goes into the directory itself
    const { blockstore, close } = await openStore(time === times - 1 ? task.directory : join(task.directory, `${time}`))
    const files = open(blockstore)
    const { wall, cpu } = await measure(async () => { cid = (await files.addByteStream(source())).toString() })
    walls.push(wall)
    cpus.push(cpu)
    await close()
  }

  return { cid, walls, cpus, base, peak: peakMemory() }
}

async function cat (): Promise<Outcome> {
  const { blockstore, close } = await openStore(task.directory)
  const files = open(blockstore)
  const cid = task.cid == null || task.store === 'memory' ? await files.addByteStream(source()) : CID.parse(task.cid)
  const walls: number[] = []
  const cpus: number[] = []
  const base = peakMemory()

  for (let time = 0; time < task.times; time++) {
    const { wall, cpu } = await measure(async () => readAll(files, cid, task.size))
    walls.push(wall)
    cpus.push(cpu)
  }

  await close()

  return { cid: cid.toString(), walls, cpus, base, peak: peakMemory() }
}

function source (): AsyncIterable<Uint8Array> {
  return task.size === available ? createReadStream(task.file) : repeatFile(task.file, task.size)
}

async function openStore (directory: string): Promise<{ blockstore: Blockstore, close: () => Promise<void> }> {
  if (task.store === 'memory') {
    return { blockstore: new MemoryBlockstore(), close: async () => {} }
  }

  const blockstore = task.store === 'fs' ? new FsBlockstore(directory) : new LevelBlockstore(directory)
  await blockstore.open()

  return { blockstore, close: async () => blockstore.close() }
}
