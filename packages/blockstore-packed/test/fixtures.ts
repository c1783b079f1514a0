import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it as base } from 'vitest'
import { NodeDisk } from '../src/disk/node-disk.ts'
import { PackedBlockstore } from '../src/index.ts'
import { blockOf } from './texts.ts'
import type { Disk, PackedBlockstoreInit, PlainBlock } from '../src/index.ts'

/** Opens a store in a directory, and closes it at the end of the test. */
export type OpenStore = (init?: PackedBlockstoreInit, disk?: Disk) => Promise<PackedBlockstore>

export const it = base.extend<{ directory: string, open: OpenStore }>({
  // oxlint-disable-next-line no-empty-pattern
  directory: async ({}, use) => {
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-packed-'))
    await use(directory)
    await rm(directory, { recursive: true })
  },
  open: async ({ directory }, use) => {
    const stores: PackedBlockstore[] = []
    await use(async (init, disk = new NodeDisk(directory)) => {
      const store = new PackedBlockstore(directory, init, { disk })
      stores.push(store)
      await store.open()

      return store
    })
    // one whose disk fails cannot store what it has
    await Promise.allSettled(stores.map(async store => store.close()))
  }
})

export function random (size: number): PlainBlock {
  return blockOf(randomBytes(size))
}

export async function putAll (store: PackedBlockstore, blocks: readonly PlainBlock[]): Promise<void> {
  await Array.fromAsync(store.putMany(blocks))
}

export async function nameOf (work: Promise<unknown>): Promise<string> {
  return work.then(() => 'no error', (err: unknown) => err instanceof Error ? err.name : String(err))
}
