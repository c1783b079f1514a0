/** @module-tag slow */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { soak } from '../../scripts/soak/soak.ts'
import { it } from './run-cli.ts'

const FILES = 60

describe('many files through two nodes of a store', () => {
  it('are all there afterwards, on both', async ({ sandbox }) => {
    const store = join(sandbox.directory, 'store')
    const work = join(sandbox.directory, 'work')
    const events: string[] = []
    await mkdir(store)
    await mkdir(work)

    // `npm run soak` does the same with 10,000 files on Ceph, and kills a storage daemon
    const { files, failures, commands } = await soak(work, {
      stores: [store, store],
      env: {},
      kill: async () => { events.push('kill') },
      restore: async () => { events.push('restore') },
      works: async () => { events.push('works') },
      describe: async () => ({}),
      stop: async () => {}
    }, { files: FILES, size: FILES * 20_000, batch: FILES / 3, seed: 18 })

    expect({ files, failures, events }).toEqual({ files: FILES, failures: [], events: ['kill', 'restore', 'works'] })
    expect(commands.get('add')?.runs).toBe(3)
    expect(commands.get('verify')?.runs).toBe(2)
  })
})
