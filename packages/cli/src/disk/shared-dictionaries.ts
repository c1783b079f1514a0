import type { AddEvents } from '@ipfsz/core'

/** Counts dictionaries once: the stored size of each file that has one includes it. */
export class SharedDictionaries {
  /** Bytes of the dictionary of each file that is being added, by path. */
  readonly #sizes = new Map<string, number>()
  readonly #known = new Set<string>()
  #repeated = 0

  /** How many bytes the stored sizes of all files together count too often. */
  get repeated (): number {
    return this.#repeated
  }

  note (event: AddEvents): void {
    if (event.type !== 'ipfsz:add:decided' || event.detail.dictionary == null) {
      return
    }

    const { path = '', dictionary: { cid, size } } = event.detail
    const key = cid.toString()
    this.#sizes.set(path, size)

    if (this.#known.has(key)) {
      this.#repeated += size
    }

    this.#known.add(key)
  }

  /** Bytes of the dictionary of the file at a path. Called once it is added. */
  take (path = ''): number {
    const size = this.#sizes.get(path) ?? 0
    this.#sizes.delete(path)

    return size
  }
}
