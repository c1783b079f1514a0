import { MAX_CACHED_CONTENTS_SIZE } from '../constants.ts'
import type { CID } from 'multiformats/cid'

/**
 * Caches the original content of small bases, so that files of a tree which share one decompress it once. Entries
 * never go stale: a CID's content does not change.
 */
export class ContentCache {
  /** By CID, the one used last at the end. */
  readonly #contents = new Map<string, Uint8Array>()
  readonly #shared: ContentCache | undefined
  #size = 0

  /** @param shared - where what is not here is looked for, and what comes here is put too */
  constructor (shared?: ContentCache) {
    this.#shared = shared
  }

  get (cid: CID): Uint8Array | undefined {
    const key = cid.toString()
    const found = this.#contents.get(key) ?? this.#shared?.get(cid)

    if (found != null) {
      this.#keep(key, found)
    }

    return found
  }

  set (cid: CID, content: Uint8Array): void {
    this.#shared?.set(cid, content)
    this.#keep(cid.toString(), content)
  }

  #keep (key: string, content: Uint8Array): void {
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
