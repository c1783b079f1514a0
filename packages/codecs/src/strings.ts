/**
 * Finds strings that files share, and which segments of the files hold most of them: what `@ipfsz/core` makes
 * dictionaries of. WebAssembly of our own (`assembly/strings.ts`): in JavaScript it takes five times as long in a new
 * process, as V8 first has to compile it, and waits for memory as often.
 *
 * @packageDocumentation
 */
import { fromBase64 } from '@ipfsz/utils/base64'

/** The exports of assembly/strings.ts. Numbers are bytes, or addresses in the memory. */
interface Exports extends Record<Field, WebAssembly.Global> {
  memory: WebAssembly.Memory
  reserve: (files: number, longest: number, bits: number, most: number) => number
  addFile: (file: number, mask: number) => void
  numberStrings: () => number
  weigh: (from: number, to: number) => void
  findBest: (first: number, last: number, span: number) => number
  cover: (first: number, last: number) => void
}

type Field =
  | 'starts' | 'firsts' | 'counts' | 'places' | 'numbers' | 'bytes' | 'distinct'
  | 'bestFirst' | 'bestLast' | 'bestScore'

/** How strings are found. */
export interface StringsInit {
  /** Which bits of the hash of a string are zero if it is counted. */
  mask: number
  /** The bits of a slot's number in the table of strings, which takes 8 bytes for each, and then 4 more. */
  slotBits: number
  /** How many strings are counted at most. */
  maxStrings: number
}

/** The strings that are in more than one of the files. All arrays are in the memory of the module. */
export interface Strings {
  /** How many there are. Equal ones have the same number, from 0 on, in the order in which they first occur. */
  distinct: number
  /** Where each string begins, in all files one after the other, once for each file that has it. */
  places: Int32Array
  numbers: Int32Array
  /** For each file the first of its strings, and one more than the last of all. */
  firsts: Int32Array
  /** How many strings each file has, with those that are in no other one. */
  counts: Int32Array
}

/** Some consecutive strings. */
export interface StringSpan {
  /** The first one, and one more than the last. */
  first: number
  last: number
  /** In how many more files than one its strings are, all added up. */
  score: number
}

let compiled: Promise<WebAssembly.Module> | undefined

/** Files are indexed one set after the other: what was found in one is gone when the next one is indexed. */
export class StringsModule {
  readonly #exports: Exports

  private constructor (exports: Exports) {
    this.#exports = exports
  }

  /** One with memory of its own. Undefined if the platform has no WebAssembly, or a page's policy forbids it. */
  static async load (): Promise<StringsModule | undefined> {
    try {
      compiled ??= compile()
      const { exports } = await WebAssembly.instantiate(await compiled)

      return new StringsModule(exports as unknown as Exports)
    } catch {
      // the next call tries again
      compiled = undefined

      return undefined
    }
  }

  /**
   * Find the strings of files.
   *
   * @returns undefined if there is not enough memory
   */
  index (files: readonly Uint8Array[], { mask, slotBits, maxStrings }: StringsInit): Strings | undefined {
    const { memory, reserve, addFile, numberStrings } = this.#exports
    const longest = files.reduce((longest, { byteLength }) => Math.max(longest, byteLength), 0)

    if (reserve(files.length, longest, slotBits, maxStrings) === 0) {
      return undefined
    }

    const bytes = new Uint8Array(memory.buffer, this.#value('bytes'), longest)
    const starts = this.#array('starts', files.length + 1)
    starts[0] = 0

    for (const [i, file] of files.entries()) {
      bytes.set(file)
      starts[i + 1] = starts[i] + file.byteLength
      addFile(i, mask)
    }

    const count = numberStrings()

    return {
      distinct: this.#value('distinct'),
      places: this.#array('places', count),
      numbers: this.#array('numbers', count),
      firsts: this.#array('firsts', files.length + 1),
      counts: this.#array('counts', files.length)
    }
  }

  /** Begin to choose segments of some files: each string is worth as many files as have it, but for one. */
  weigh (from: number, to: number): void {
    this.#exports.weigh(from, to)
  }

  /**
   * The best segment between two strings. Those at its ends are worth something.
   *
   * @param span - how many bytes may be between the beginnings of its first and last string
   * @returns undefined if no string is worth something
   */
  findBest (first: number, last: number, span: number): StringSpan | undefined {
    return this.#exports.findBest(first, last, span) === 0
      ? undefined
      : { first: this.#value('bestFirst'), last: this.#value('bestLast'), score: this.#value('bestScore') >>> 0 }
  }

  /** The strings of a segment are worth nothing any more, wherever they are. */
  cover ({ first, last }: StringSpan): void {
    this.#exports.cover(first, last)
  }

  #array (field: Field, length: number): Int32Array {
    return new Int32Array(this.#exports.memory.buffer, this.#value(field), length)
  }

  #value (field: Field): number {
    return this.#exports[field].value as number
  }
}

async function compile (): Promise<WebAssembly.Module> {
  const { modules: [base64] } = await import('./generated/strings-module.ts')

  return WebAssembly.compile(fromBase64(base64))
}
