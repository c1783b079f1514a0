import { viewOf } from '../dag/view-of.ts'
import type { IpfszComponents } from '@ipfsz/core'

type Blocks = IpfszComponents['blockstore']

/** A view of a blockstore that reports the bytes of each block that is read from it. */
export function reportReads (blockstore: Blocks, onBytes: (bytes: number) => void): Blocks {
  return viewOf(blockstore, { get: (cid, options) => reportBytes(blockstore.get(cid, options), onBytes) })
}

/** Report the bytes of what passes. */
export async function * reportBytes (
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void
): AsyncGenerator<Uint8Array> {
  for await (const bytes of source) {
    onBytes(bytes.byteLength)
    yield bytes
  }
}
