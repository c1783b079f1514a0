import { MemoryBlockstore } from 'blockstore-core'
import { text } from '../support/data.ts'
import type { unixfs } from '@helia/unixfs'
import type { CID } from 'multiformats/cid'

export interface LinkedFile {
  bytes: Uint8Array
  /** The CID that @helia/unixfs gives the bytes. */
  original: CID
}

/** Files that shrink when compressed, of one block and of several. */
export async function linkedFiles (make: typeof unixfs): Promise<LinkedFile[]> {
  const fs = make({ blockstore: new MemoryBlockstore() })

  return Promise.all([1, 2, 3, 4, 5, 6].map(async seed => {
    const bytes = text(seed * 30_000, seed)

    return { bytes, original: await fs.addBytes(bytes) }
  }))
}
