import { MemoryBlockstore } from 'blockstore-core'
import { exporter } from 'ipfs-unixfs-exporter'
import { importFile } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { describe, expect, it } from 'vitest'
import { MAX_LEAF_SIZE } from '../src/constants.ts'
import { IMPORTER_DEFAULTS, writePlainFile } from '../src/write/plain-file.ts'
import { noise } from './fixtures.ts'
import type { PutStore } from '../src/dag/block.ts'
import type { UnixFSFile } from 'ipfs-unixfs-exporter'
import type { ImporterOptions } from 'ipfs-unixfs-importer'

interface Written {
  cid: string
  size: bigint
  unixfs: Uint8Array | undefined
  blocks: string[]
  events: string[]
}

type Write = (store: MemoryBlockstore, importer: ImporterOptions) => ReturnType<typeof writePlainFile>

const SIZES = [0, 1, 500_000, MAX_LEAF_SIZE, MAX_LEAF_SIZE + 1]

/** Whether ipfs-unixfs-importer takes the block of the only leaf as the content. */
function isWrongInImporter ({ rawLeaves }: ImporterOptions, size: number, metadata: object): boolean {
  return rawLeaves === false && size <= MAX_LEAF_SIZE && Object.keys(metadata).length > 0
}

/** What is stored, returned and reported. */
async function write (given: ImporterOptions, work: Write): Promise<Written> {
  const store = new MemoryBlockstore()
  const events: string[] = []
  const { cid, size, unixfs } = await work(store, {
    ...IMPORTER_DEFAULTS,
    ...given,
    onProgress: ({ type, detail }) => {
      // what was read is reported before
      if (!type.endsWith(':read')) {
        events.push([type, ...Object.values(detail as object)].join(' '))
      }
    }
  })
  const blocks = await Array.fromAsync(store.getAll(), ({ cid }) => cid.toString())

  return { cid: cid.toString(), size, unixfs: unixfs?.marshal(), blocks: blocks.toSorted(), events }
}

describe('writePlainFile', () => {
  it.each<[string, ImporterOptions]>([
    ['defaults', {}],
    ['another profile', { profile: 'unixfs-v0-2015' }],
    ['leaves of UnixFS', { rawLeaves: false }],
    ['roots above single leaves', { reduceSingleLeafToSelf: false }],
    ['small chunks', { chunker: fixedSize({ chunkSize: 400_000 }) }]
  ])('writes, returns and reports what ipfs-unixfs-importer does: %s', { tags: 'slow' }, async (_, given) => {
    for (const size of SIZES) {
      for (const metadata of [{}, { mode: 0o600 }, { mtime: { secs: 5n } }]) {
        if (isWrongInImporter(given, size, metadata)) {
          continue
        }

        const content = noise(size)
        const file = { path: 'a/b', originalPath: 'a/b', ...metadata }
        const expected = await write(given, async (store, importer) =>
          importFile({ path: 'a/b', content, ...metadata }, store as never, importer))

        expect(await write(given, async (store, importer) =>
          writePlainFile(file, content, store as PutStore, { importer }))).toEqual(expected)
      }
    }
  })

  it('writes the content of files with metadata, not the block of their only leaf, with leaves of UnixFS', async () => {
    for (const size of SIZES) {
      for (const given of [{}, { cidVersion: 0 as const, leafType: 'raw' as const }]) {
        const store = new MemoryBlockstore()
        const mtime = { secs: 5n }
        const content = noise(size)
        const file = { path: 'a', mode: 0o600, mtime }
        const importer = { ...IMPORTER_DEFAULTS, rawLeaves: false, ...given }
        const { cid, size: stored } = await writePlainFile(file, content, store as PutStore, { importer })
        const read = await exporter(cid, store)

        expect(read).toMatchObject({ size: BigInt(size), unixfs: { type: 'file', mode: 0o600, mtime } })
        expect(cid.version).toBe(importer.cidVersion)
        const bytes = await Array.fromAsync((read as UnixFSFile).content())
        expect(Buffer.compare(Buffer.concat(bytes), content)).toBe(0)
        expect(stored).toBeGreaterThan(BigInt(size))
      }
    }
  })

  it('writes the time from 2038 to 2106 of a file with a leaf of UnixFS', async () => {
    const store = new MemoryBlockstore()
    const mtime = { secs: 4_102_444_800n, nsecs: 5 }
    const importer = { ...IMPORTER_DEFAULTS, rawLeaves: false }
    const { cid } = await writePlainFile({ path: 'a', mtime }, noise(100), store as PutStore, { importer })

    expect(await exporter(cid, store)).toMatchObject({ size: 100n, unixfs: { mtime } })
  })
})
