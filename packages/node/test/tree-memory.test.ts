/** @module-tag nightly */
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/** The work of `many-entries.ts`. */
export interface ManyEntries {
  /** Measure a directory of directories, or write one of symlinks. */
  task: 'measure' | 'write'
  count: number
  target: string
}

/** The entries take 4 KiB each, 117 MiB together. */
const COUNT = 30_000
/** The program alone needs less than half of it. */
const HEAP_MB = 64

/** @throws {Error} ERR_WORKER_OUT_OF_MEMORY, or what the program threw */
async function run (workerData: ManyEntries): Promise<void> {
  const resourceLimits = { maxOldGenerationSizeMb: HEAP_MB }
  const worker = new Worker(new URL('many-entries.ts', import.meta.url), { workerData, resourceLimits })

  expect(await once(worker, 'exit')).toEqual([0])
}

describe('a directory of 30,000 entries', () => {
  let directory: string

  beforeEach(async () => { directory = await mkdtemp(join(tmpdir(), 'ipfsz-many-')) })
  afterEach(async () => rm(directory, { recursive: true }))

  it('is measured in a heap that cannot hold them', async () => {
    await run({ task: 'measure', count: COUNT, target: join(directory, 'out') })
  })

  it('is written in a heap that cannot hold them', async () => {
    const target = join(directory, 'out')

    await run({ task: 'write', count: COUNT, target })
    expect((await readdir(target)).length).toBe(COUNT)
  })
})
