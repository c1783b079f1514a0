import { LruMap } from '@ipfsz/utils/lru-map'
import { keyOf } from '../dag/dag-walk.ts'
import type { SourceBlock } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** Maximum number of bytes of blocks that arrived last, 32 MiB. */
export const MAX_RECENT_BYTES = 32 * 1024 * 1024
/** About what a block takes besides its bytes. */
const OVERHEAD = 512

/**
 * The blocks that arrived last, in memory. A request reads some blocks several times, and Helia does not send a
 * block again within seconds.
 */
export class RecentBlocks {
  readonly #blocks = new LruMap<string, SourceBlock>({
    maxSize: MAX_RECENT_BYTES,
    sizeOf: ({ bytes }) => bytes.byteLength + OVERHEAD
  })

  get (cid: CID): SourceBlock | undefined {
    return this.#blocks.get(keyOf(cid))
  }

  set (cid: CID, { bytes, ...block }: SourceBlock): void {
    // a copy: the bytes may be a small part of a large message, which they would keep in memory
    this.#blocks.set(keyOf(cid), { bytes: new Uint8Array(bytes), ...block })
  }
}
