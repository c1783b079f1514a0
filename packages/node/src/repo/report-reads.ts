import { viewOf } from '../dag/view-of.ts'
import type { IpfszComponents } from '@ipfsz/core'

type Blocks = IpfszComponents['blockstore']

/** A view of a blockstore that reports the bytes of each block that is read from it. */
export function reportReads (blockstore: Blocks, onBytes: (bytes: number) => void): Blocks {
  return viewOf(blockstore, {
    async * get (cid, options) {
      for await (const bytes of blockstore.get(cid, options)) {
        onBytes(bytes.byteLength)
        yield bytes
      }
    }
  })
}
