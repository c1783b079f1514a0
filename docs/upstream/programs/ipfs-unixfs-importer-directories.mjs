// ipfs-unixfs-importer 17.1.1: loses entries of directories
import { MemoryBlockstore } from 'blockstore-core'
import { recursive } from 'ipfs-unixfs-exporter'
import { importer } from 'ipfs-unixfs-importer'

const blockstore = new MemoryBlockstore()
const names = ['sub/first', ...Array.from({ length: 20 }, (_, i) => `file-${i}`), 'sub/second', 'last']
const files = names.map(path => ({ path, content: Uint8Array.of(1) }))
const results = await Array.fromAsync(importer(files, blockstore, {
  wrapWithDirectory: true,
  // as in a directory of thousands of entries
  shardSplitThresholdBytes: 400
}))
const entries = await Array.fromAsync(recursive(results.at(-1).cid, blockstore))

const there = names.filter(name => entries.some(({ path }) => path.endsWith(`/${name}`)))

// prints 13 of 23 files; expected: all
console.info(`${there.length} of ${names.length} files`)
