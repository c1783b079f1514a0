import { MAX_CACHED_ROOTS, MAX_CACHED_ROOTS_SIZE } from '../constants.ts'
import { PathCache } from './path-cache.ts'
import type { FileNode } from '../dag/node.ts'
import type { Header } from '../format/header.ts'
import type { CID } from 'multiformats/cid'

/** A file's root as it was read and checked. */
export interface CachedRoot {
  block: Uint8Array
  node: FileNode
  /** Set when it was asked for: reading by the plain CID does not look at it. */
  header?: Header
}

/** Bytes that a link with the size of what it leads to, and a frame's length, take besides the block, roughly. */
const LINK_SIZE = 40
const FRAME_SIZE = 8

/**
 * The roots of the files that were read last, so that ranges of one file cost one
 * fetch of its root. What a CID names never changes, so nothing here is ever stale.
 */
export class RootCache {
  /** How the files below directories were come to. */
  readonly paths = new PathCache()
  readonly #roots = new Map<string, { root: CachedRoot, size: number }>()
  #size = 0

  get (cid: CID): CachedRoot | undefined {
    const key = cid.toString()
    const found = this.#roots.get(key)

    if (found != null) {
      // a Map keeps the order of insertion: the last one used goes to the end
      this.#roots.delete(key)
      this.#roots.set(key, found)
    }

    return found?.root
  }

  set (root: CachedRoot): void {
    const key = root.node.cid.toString()
    const size = root.block.byteLength + root.node.links.length * LINK_SIZE + (root.header?.frameLengths.length ?? 0) * FRAME_SIZE

    this.#delete(key)
    this.#roots.set(key, { root, size })
    this.#size += size

    // one is always kept: a root that alone is too large is that of the largest files
    while (this.#roots.size > 1 && (this.#roots.size > MAX_CACHED_ROOTS || this.#size > MAX_CACHED_ROOTS_SIZE)) {
      const [oldest] = this.#roots.keys()
      this.#delete(oldest)
    }
  }

  #delete (key: string): void {
    this.#size -= this.#roots.get(key)?.size ?? 0
    this.#roots.delete(key)
  }
}
