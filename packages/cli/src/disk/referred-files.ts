import type { AddEvents } from '@ipfsz/core'

/**
 * Bytes of stored sizes that are not the files' own: each file that refers back to its earlier version, or to a
 * dictionary, is said to have all bytes of that too.
 */
export class ReferredFiles {
  /** Bytes of what each file that is being added refers back to, by path. */
  readonly #sizes = new Map<string, number>()
  readonly #dictionaries = new Set<string>()
  #foreign = 0

  /**
   * How many bytes of all stored sizes together are not their own: earlier versions, which were stored before, and
   * dictionaries that several files have, which are stored once.
   */
  get foreign (): number {
    return this.#foreign
  }

  note (event: AddEvents): void {
    if (event.type !== 'ipfsz:add:decided') {
      return
    }

    const { path = '', dictionary, base } = event.detail

    if (base != null) {
      this.#sizes.set(path, base.size)
      this.#foreign += base.size
    }

    if (dictionary != null) {
      const key = dictionary.cid.toString()
      this.#sizes.set(path, dictionary.size)
      this.#foreign += this.#dictionaries.has(key) ? dictionary.size : 0
      this.#dictionaries.add(key)
    }
  }

  /** Bytes of what the file at a path refers back to. Called once it is added. */
  take (path = ''): number {
    const size = this.#sizes.get(path) ?? 0
    this.#sizes.delete(path)

    return size
  }
}
