// ipfs-unixfs-importer 17.1.1: stores the block of a leaf as the content of a file
import { MemoryBlockstore } from 'blockstore-core'
import { exporter } from 'ipfs-unixfs-exporter'
import { importFile } from 'ipfs-unixfs-importer'

const blockstore = new MemoryBlockstore()
const file = { content: new TextEncoder().encode('hello'), mode: 0o600 }
const { cid } = await importFile(file, blockstore, { rawLeaves: false })

// prints 13n for 5 bytes
console.info((await exporter(cid, blockstore)).size)
