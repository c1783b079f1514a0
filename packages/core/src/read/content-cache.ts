import { MAX_CACHED_CONTENTS_SIZE } from '../constants.ts'
import type { CID } from 'multiformats/cid'

/**
 * Caches the original content of small bases, so that files of a tree which share one decompress it once. Entries
 * never go stale: a CID's content does not change.
 */
export class ContentCache {
  /** By CID, the one used last at the end. */
  readonly #contents = new Map<string, Uint8Array>()
  #size = 0

  get (cid: CID): Uint8Array | undefined {
    const key = cid.toString()
    const found = this.#contents.get(key)

    if (found != null) {
      this.#contents.delete(key)
      this.#contents.set(key, found)
    }

    return found
  }

  set (cid: CID, content: Uint8Array): void {
    const key = cid.toString()
    this.#size += content.byteLength - (this.#contents.get(key)?.byteLength ?? 0)
    this.#contents.delete(key)
    this.#contents.set(key, content)

    for (const [oldest, { byteLength }] of this.#contents) {
      if (this.#size <= MAX_CACHED_CONTENTS_SIZE) {
        return
      }

      this.#contents.delete(oldest)
      this.#size -= byteLength
    }
  }
}
