// ipfs-unixfs-exporter 16.2.2: fetches more than is taken
import { MemoryBlockstore } from 'blockstore-core'
import { exporter } from 'ipfs-unixfs-exporter'
import { importFile } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'

const blockstore = new MemoryBlockstore()
const content = Uint8Array.from({ length: 150 * 1024 }, (_, i) => i / 1024)
const { cid } = await importFile({ content }, blockstore, { chunker: fixedSize({ chunkSize: 1024 }) })
const get = blockstore.get.bind(blockstore)
let read = 0
blockstore.get = (...args) => {
  read++
  return get(...args)
}
const file = await exporter(cid, blockstore)
const chunks = file.content({ blockReadConcurrency: 8 })[Symbol.asyncIterator]()
await chunks.next()
await new Promise(resolve => setTimeout(resolve, 200))

// one chunk was taken. Prints 151; expected: the root and some 8 leaves
console.info(read)
