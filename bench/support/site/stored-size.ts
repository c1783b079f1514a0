import { ipfsz } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { bytesOf } from './object-bytes.ts'
import type { Objects } from './trial.ts'

/** The bytes of an object's blocks, those of the root too: of a plain file's, the size of the object. */
export async function storedSizeOf ({ size, compressible }: Objects, compressed: boolean): Promise<number> {
  if (!compressed || !compressible) {
    return size
  }

  const blocks = new MemoryBlockstore()
  await ipfsz({ blockstore: blocks }).addBytes(bytesOf({ size, compressible, seed: 1 }))
  let stored = 0

  for await (const { bytes } of blocks.getAll()) {
    for await (const part of bytes) {
      stored += part.byteLength
    }
  }

  return stored
}
