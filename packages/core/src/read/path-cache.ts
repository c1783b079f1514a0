import { LruMap } from '@ipfsz/utils/lru-map'
import { CID } from 'multiformats/cid'
import { MAX_CACHED_PATHS } from '../constants.ts'

/** Longer paths, in segments or in characters with the bytes of their CIDs, are not cached. */
const MAX_SEGMENTS = 32
const MAX_SIZE = 8 * 1024

/** A step of a path: a name, and the CID that the directory before it has under that name. */
export interface Segment {
  name: string
  /** A plain CID. */
  cid: CID
}

/**
 * Caches the paths followed last, so that reading ranges of one file in a tree does not fetch
 * its parent directories again. Entries never go stale: a CID's content does not change.
 */
export class PathCache {
  readonly #paths = new LruMap<string, Segment[]>({ maxEntries: MAX_CACHED_PATHS })

  async follow (cid: CID, path: string, follow: () => Promise<Segment[]>): Promise<Segment[]> {
    if (path === '') {
      return follow()
    }

    const key = `${cid}/${path}`
    const known = this.#paths.get(key)

    if (known != null) {
      return known
    }

    const segments = (await follow()).map(copy)
    const size = segments.reduce((size, { cid }) => size + cid.bytes.byteLength, key.length)

    if (segments.length <= MAX_SEGMENTS && size <= MAX_SIZE) {
      this.#paths.set(key, segments)
    }

    return segments
  }
}

/** Without the block that its CID is a part of, which it would keep in memory. */
function copy ({ name, cid }: Segment): Segment {
  return { name, cid: CID.decode(cid.bytes.slice()) }
}
