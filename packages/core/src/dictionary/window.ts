import { MAX_LEAF_SIZE } from '../constants.ts'
import { isGain } from '../policy/policy.ts'

/** Maximum bytes of a file that may have a dictionary: what is common to larger ones and others is little of them. */
export const MAX_DICTIONARY_FILE = MAX_LEAF_SIZE - 1

/** How many bytes of files one set of dictionaries is made of, 16 MiB. Files after them have others. */
const WINDOW_SIZE = 16 * 1024 * 1024
/** Maximum number of files, directories and links in a window: each takes memory beside its bytes. */
const WINDOW_CANDIDATES = 16_384

/** Whether a file of so many bytes may have a dictionary. The smallest are not compressed. */
export function mayHaveDictionary (size: number): boolean {
  return size <= MAX_DICTIONARY_FILE && isGain(size, 0)
}

/** Candidates of a tree that follow each other, whose small files get their dictionaries together. */
export class DictionaryWindow {
  #bytes = 0
  #candidates = 0

  get isFull (): boolean {
    return this.#bytes >= WINDOW_SIZE || this.#candidates >= WINDOW_CANDIDATES
  }

  /** @param size - of a file, in bytes. Of a large one, only the first ones count, which are held. 0 for others */
  add (size: number): void {
    this.#candidates++
    this.#bytes += Math.min(size, MAX_DICTIONARY_FILE + 1)
  }
}
