import { LruMap } from '@ipfsz/utils/lru-map'
import { MAX_CACHED_ROOTS, MAX_CACHED_ROOTS_SIZE } from '../constants.ts'
import { decodeNode } from '../dag/node.ts'
import { ContentCache } from './content-cache.ts'
import { PathCache } from './path-cache.ts'
import { SharedPieces } from './shared-pieces.ts'
import type { FileNode } from '../dag/node.ts'
import type { Header } from '../format/header.ts'
import type { CID } from 'multiformats/cid'

/** The root of a file, or a directory on the way to one, read and checked. */
export interface CachedRoot {
  block: Uint8Array
  node: FileNode
  /** Undefined until it is needed: reading by the plain CID ignores it. */
  header?: Header
}

type Written = Pick<CachedRoot, 'block'>

/** Approximate bytes that a decoded link (or a group of frames) and a frame length take besides the block. */
const LINK_SIZE = 40
const FRAME_SIZE = 8

/**
 * Caches the roots of the files read last, so that reading several ranges of a file fetches
 * its root once, and the directories above them, so that reading a tree decodes each once.
 * Entries never go stale: a CID's content does not change.
 */
export class RootCache {
  /** The paths that led to files in directories. */
  readonly paths: PathCache
  /** The content of small bases. */
  readonly contents: ContentCache
  /** The pieces of larger bases that are being read. */
  readonly pieces: SharedPieces
  /** By CID. What was only written is decoded once it is needed. */
  readonly #roots = new LruMap<string, { root: CachedRoot | Written, size: number }>({
    maxEntries: MAX_CACHED_ROOTS,
    maxSize: MAX_CACHED_ROOTS_SIZE,
    sizeOf: ({ size }) => size,
    // a root that exceeds the limit alone is that of a very large file
    keepsLast: true
  })

  readonly #shared: RootCache | undefined

  /** @param shared - for what an open file needs again, which others must not displace: the cache of all files */
  constructor (shared?: RootCache) {
    this.#shared = shared
    this.paths = shared?.paths ?? new PathCache()
    this.contents = new ContentCache(shared?.contents)
    this.pieces = shared?.pieces ?? new SharedPieces()
  }

  get (cid: CID): CachedRoot | undefined {
    const found = this.#roots.get(cid.toString())

    if (found == null) {
      const root = this.#shared?.get(cid)

      if (root != null) {
        this.#keepRoot(root)
      }

      return root
    }

    if (!('node' in found.root)) {
      const { block } = found.root
      const root = { block, node: decodeNode(cid, block) }
      this.#keepRoot(root)

      return root
    }

    return found.root
  }

  set (root: CachedRoot): void {
    this.#shared?.set(root)
    this.#keepRoot(root)
  }

  #keepRoot (root: CachedRoot): void {
    const frames = root.header?.frameLengths.length ?? 0
    const { groups = [], regions = [] } = root.header?.table ?? {}
    const decoded = (root.node.links.length + groups.length + regions.length) * LINK_SIZE + frames * FRAME_SIZE

    this.#keep(root.node.cid, root, root.block.byteLength + decoded)
  }

  /** Keep the root of a file that was written: it may be read, or be a base, next. */
  setWritten (cid: CID, block: Uint8Array): void {
    this.#keep(cid, { block }, block.byteLength)
  }

  #keep (cid: CID, root: CachedRoot | Written, size: number): void {
    this.#roots.set(cid.toString(), { root, size })
  }
}
