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
  readonly #blocks = new Map<string, SourceBlock>()
  #size = 0

  get (cid: CID): SourceBlock | undefined {
    const key = keyOf(cid)
    const block = this.#blocks.get(key)

    if (block != null) {
      // the one that was used last is last
      this.#blocks.delete(key)
      this.#blocks.set(key, block)
    }

    return block
  }

  set (cid: CID, { bytes, ...block }: SourceBlock): void {
    const key = keyOf(cid)

    this.#delete(key)
    // a copy: the bytes may be a small part of a large message, which they would keep in memory
    this.#blocks.set(key, { bytes: new Uint8Array(bytes), ...block })
    this.#size += bytes.byteLength + OVERHEAD

    for (const [oldest] of this.#blocks) {
      if (this.#size <= MAX_RECENT_BYTES) {
        break
      }

      this.#delete(oldest)
    }
  }

  #delete (key: string): void {
    const block = this.#blocks.get(key)

    if (block != null) {
      this.#blocks.delete(key)
      this.#size -= block.bytes.byteLength + OVERHEAD
    }
  }
}
