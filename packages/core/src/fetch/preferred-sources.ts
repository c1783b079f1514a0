import type { BlockSource } from './source.ts'
import type { CID } from 'multiformats/cid'

/** For how many roots it is remembered. */
const MAX_ROOTS = 256

/**
 * Which source to ask first for the blocks below a root: the one that sent a block after another one had kept silent.
 * Otherwise a source that sends a byte now and then would delay each block.
 */
export class PreferredSources {
  readonly #sources: readonly BlockSource[]
  /** By root, the one that was set last is last. */
  readonly #preferred = new Map<string, BlockSource>()

  constructor (sources: readonly BlockSource[]) {
    this.#sources = sources
  }

  /** All sources, in the order in which to ask them. */
  order (root: CID): readonly BlockSource[] {
    const first = this.#preferred.get(root.toString())

    return first == null ? this.#sources : [first, ...this.#sources.filter(source => source !== first)]
  }

  set (root: CID, source: BlockSource): void {
    const key = root.toString()

    this.#preferred.delete(key)
    this.#preferred.set(key, source)

    if (this.#preferred.size > MAX_ROOTS) {
      const [oldest] = this.#preferred.keys()
      this.#preferred.delete(oldest)
    }
  }
}
