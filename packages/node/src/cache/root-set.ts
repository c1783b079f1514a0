import { join } from 'node:path'
import { makeRoot, ROOT_SIZE } from './cached-root.ts'
import { newDirectoryName } from './names.ts'
import type { CachedRoot } from './cached-root.ts'
import type { EvictedRoots } from './evicted-roots.ts'

/** The part of the space that eviction keeps free: blocks are added while evicted roots are still being deleted. */
const FREE_PART = 0.05

export interface RootSetInit {
  /** Where the directories of new roots are made. */
  directory: string
  /** Maximum number of bytes on the disk, with those of evicted roots that are still there. */
  size: number
  maxRoots: number
  evicted: EvictedRoots
}

/** The roots of a cache in the order of their use. Makes room by evicting the one that was used least recently. */
export class RootSet {
  readonly #init: RootSetInit
  /** By name, the least recently used first. */
  readonly #roots = new Map<string, CachedRoot>()
  #size = 0
  /** Whether anything has changed since it was last set to false. */
  changed = false

  constructor (init: RootSetInit) {
    this.#init = init
  }

  /** Bytes on the disk, with those of evicted roots that are still there. */
  get usage (): { roots: number, bytes: number } {
    return { roots: this.#roots.size, bytes: this.#size + this.#init.evicted.size }
  }

  /** The least recently used first. */
  get all (): CachedRoot[] {
    return [...this.#roots.values()]
  }

  /** @param roots - the least recently used first */
  load (roots: readonly CachedRoot[]): void {
    for (const root of roots) {
      this.#roots.set(root.name, root)
      this.#size += root.size
    }

    this.#makeRoom(0)
  }

  /** The root of this name, which becomes the most recently used one. */
  use (name: string): CachedRoot | undefined {
    const root = this.#roots.get(name)

    if (root != null) {
      // the one that was used last is last
      this.#roots.delete(name)
      this.#roots.set(name, root)
    }

    return root
  }

  /** Add a root without blocks. Evicts the least recently used one if there are too many. */
  add (name: string): CachedRoot {
    const root = makeRoot(name, join(this.#init.directory, newDirectoryName(name)))

    this.#roots.set(name, root)
    this.resize(root, ROOT_SIZE)

    if (this.#roots.size > this.#init.maxRoots) {
      const [oldest] = this.#roots.values()
      this.#evict(oldest)
    }

    return root
  }

  /** Evict others until there is room for more bytes of a root. Returns false if there is none. */
  reserve (root: CachedRoot, size: number): boolean {
    const isTooLarge = root.size + size > this.#init.size * (1 - FREE_PART)

    if (root.evicted || isTooLarge) {
      return false
    }

    this.#makeRoom(size, root)

    if (this.#size + this.#init.evicted.size + size > this.#init.size) {
      return false
    }

    this.resize(root, size)

    return true
  }

  /** Count bytes that are added to a root, or taken away. */
  resize (root: CachedRoot, size: number): void {
    root.changed = Date.now()
    root.recorded = undefined
    this.changed = true

    if (!root.evicted) {
      root.size += size
      this.#size += size
    }
  }

  /** Evict a root, unless it was evicted. */
  drop (root: CachedRoot): void {
    if (!root.evicted) {
      this.#evict(root)
    }
  }

  /** Evict a root if none of its blocks could be kept. */
  dropIfEmpty (root: CachedRoot): void {
    if (root.size === ROOT_SIZE && root.putting.size === 0) {
      this.drop(root)
    }
  }

  #makeRoom (size: number, keep?: CachedRoot): void {
    for (const root of this.#roots.values()) {
      if (this.#size + size <= this.#init.size * (1 - FREE_PART)) {
        break
      }

      if (root !== keep) {
        this.#evict(root)
      }
    }
  }

  #evict (root: CachedRoot): void {
    const { name, directory, size, writing } = root

    root.evicted = true
    this.changed = true
    this.#roots.delete(name)
    this.#size -= size
    this.#init.evicted.remove(directory, size, Promise.allSettled(writing))
  }
}
