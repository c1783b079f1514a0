/** Directories of files: plain and compressed ones, with dictionaries, and sharded. */
import { ipfsz, mark, TREE_CODE, unmark } from '@ipfsz/core'
import { pages } from './data.ts'
import { FRAME } from './make-file.ts'
import { original } from './vector.ts'
import type { AddAllOptions } from '@ipfsz/core'
import type { VectorInit } from './vector.ts'

type Files = Record<string, Uint8Array>

function tree (name: string, about: string, files: Files, options: AddAllOptions): VectorInit {
  return {
    name,
    about,
    make: async blocks => {
      const candidates = Object.entries(files).map(([path, content]) => ({ path, content }))
      const fs = ipfsz({ blockstore: blocks }, { deterministic: true })
      const results = await Array.fromAsync(fs.addAll(candidates, { ...options, wrapWithDirectory: true }))

      return mark(unmark(results[results.length - 1].cid), TREE_CODE)
    },
    expected: { entries: Object.entries(files).map(([path, bytes]) => ({ path, ...original(bytes) })) }
  }
}

const MIXED: Files = {
  'empty': new Uint8Array(0),
  'small.txt': Buffer.from('A file that does not shrink'),
  'pages.txt': pages(100_000),
  'deep/er/pages.txt': pages(5000, 2),
  'grün 日本 %41 #?.txt': pages(3000, 3)
}

/** Records that have most in common. */
const RECORDS: Files = Object.fromEntries(Array.from({ length: 6 }, (_, i) =>
  [`${i}.html`, Buffer.concat([pages(2000, 4), pages(300 + i, 5 + i)])]))

/** So many that some are in the same place of the first level. */
const MANY: Files = Object.fromEntries(Array.from({ length: 60 }, (_, i) =>
  [`file-${i}.txt`, i === 7 ? pages(5000) : Buffer.from(`file ${i}`)]))

const ZSTD = { compression: { codec: 'zstd', frameSize: FRAME } } as const

export const TREES: readonly VectorInit[] = [
  tree('tree', 'A tree CID: files that are compressed, and files that are not', MIXED, ZSTD),
  tree('tree-sharded', 'A HAMT directory of two levels', MANY, { ...ZSTD, shardSplitThresholdBytes: 1 }),
  tree('tree-dictionary', 'Files with one dictionary, which is their base', RECORDS, {
    compression: { dictionaries: 'auto' }
  })
]
