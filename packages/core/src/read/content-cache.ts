import { LruMap } from '@ipfsz/utils/lru-map'
import { MAX_CACHED_CONTENTS_SIZE } from '../constants.ts'

/**
 * Caches the original content of small bases, by CID, so that files of a tree which share one decompress it once.
 * Entries never go stale: a CID's content does not change.
 */
export class ContentCache {
  readonly #contents = new LruMap<string, Uint8Array>({
    maxSize: MAX_CACHED_CONTENTS_SIZE,
    sizeOf: ({ byteLength }) => byteLength
  })

  readonly #shared: ContentCache | undefined

  /** @param shared - where what is not here is looked for, and what comes here is put too */
  constructor (shared?: ContentCache) {
    this.#shared = shared
  }

  get (cid: string): Uint8Array | undefined {
    const own = this.#contents.get(cid)

    if (own != null) {
      return own
    }

    const found = this.#shared?.get(cid)

    if (found != null) {
      this.#contents.set(cid, found)
    }

    return found
  }

  set (cid: string, content: Uint8Array): void {
    this.#shared?.set(cid, content)
    this.#contents.set(cid, content)
  }
}
