import type { IpfszComponents } from '@ipfsz/core'

type Blocks = IpfszComponents['blockstore']

/** A view of a blockstore that reports the bytes of each block that is read from it. */
export function reportReads (blockstore: Blocks, onBytes: (bytes: number) => void): Blocks {
  return {
    checksBlocks: blockstore.checksBlocks,
    has: (cid, options) => blockstore.has(cid, options),
    put: (cid, bytes, options) => blockstore.put(cid, bytes, options),
    async * get (cid, options) {
      for await (const bytes of blockstore.get(cid, options)) {
        onBytes(bytes.byteLength)
        yield bytes
      }
    }
  }
}
