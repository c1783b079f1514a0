import { MAX_CACHED_PATHS } from '../constants.ts'
import type { Segment } from './path.ts'
import type { CID } from 'multiformats/cid'

/** A path of more names than this is not kept. */
const MAX_SEGMENTS = 32

/**
 * Where paths led that were followed last, so that ranges of one file of a tree cost
 * no second fetch of the directories above it. What a path below a CID leads to never
 * changes.
 */
export class PathCache {
  readonly #paths = new Map<string, Segment[]>()

  async follow (cid: CID, path: string, follow: () => Promise<Segment[]>): Promise<Segment[]> {
    if (path === '') {
      return follow()
    }

    const key = `${cid}/${path}`
    const segments = this.#paths.get(key) ?? await follow()

    // a Map keeps the order of insertion: the last one used goes to the end
    this.#paths.delete(key)

    if (segments.length <= MAX_SEGMENTS) {
      this.#paths.set(key, segments)
    }

    if (this.#paths.size > MAX_CACHED_PATHS) {
      const [oldest] = this.#paths.keys()
      this.#paths.delete(oldest)
    }

    return segments
  }
}
