import { FORMATTED_DICTIONARY } from '@ipfsz/codecs'
import { freeBytes } from '@ipfsz/utils/free-bytes'
import { MIN_GAIN, MIN_REGION_SIZE } from '../constants.ts'
import { BASE_LENGTH } from '../policy/policy.ts'
import { joinSegments, scoreOf, selectSegments, shorten } from './cover.ts'
import { groupByKind, MIN_FILES } from './kinds.ts'
import { MAX_FILES, SharedStrings } from './shared-strings.ts'
import type { Codec } from '@ipfsz/codecs'
import type { StringsModule } from '@ipfsz/codecs/strings'
import type { FileRange, Selection } from './cover.ts'
import type { SmallFile } from './kinds.ts'

const KIB = 1024

/** Maximum number of original bytes of a dictionary, 512 KiB: a reader of one small file decompresses all of it. */
const MAX_CONTENT_SIZE = 512 * KIB

/** Maximum stored bytes of a dictionary, 128 KiB: all of it is in one block, which a reader of any file fetches. */
const MAX_STORED_SIZE = 128 * KIB

/** How much less two dictionaries for one half of the files each have to take than one for all. */
const MIN_DIVISION_GAIN = 0.02

/** From this part of the maximum on, a dictionary counts as full. */
const FULL = 0.75

/**
 * The level of the dictionaries themselves. Level 7 makes 2 % more bytes in four fifths of the time, and level 11 0.8 %
 * fewer in 1.6 times.
 */
const DICTIONARY_LEVEL = 10
/** The level to find out about how many bytes they take. */
const FAST_LEVEL = 1

/**
 * The smallest part of the strings of files that a dictionary has to save: about 5 % of what is stored, as files also
 * share what is shorter than a string.
 */
const MIN_SAVED = MIN_GAIN / 2

/** A dictionary is thin if it lacks half of the strings of its files. It has a third of those of RFCs. */
const THIN_SHARE = 0.5

/** About how many stored bytes a byte takes that is new. */
const NEW_RATIO = 0.3

/** A dictionary, and the files that it is for. */
export interface Trained {
  files: readonly SmallFile[]
  /** Its original bytes. */
  content: Uint8Array
  /** These as one frame. */
  frame: Uint8Array
  /** Whether most of the files is not in it. */
  isThin: boolean
}

/** How files and dictionaries are compressed. */
export interface Coder {
  codec: Codec
  signal?: AbortSignal | null | undefined
}

/** What a dictionary may consist of. */
interface Candidate {
  range: FileRange
  selection: Selection
  isFull: boolean
  /** Stored bytes for each byte, of all that the files of a kind share. Halves of them shrink about as much. */
  ratio?: number | undefined
}

/**
 * Make dictionaries for files: one for each kind, or several if the first files of a kind have little in common with
 * the last ones. None if it would save little. What it saves is estimated: what several files have is stored once.
 * To compress some files with and without each dictionary took ten times as long.
 *
 * The same files in the same order yield the same dictionaries.
 */
export async function trainDictionaries (
  files: readonly SmallFile[],
  coder: Coder,
  module: StringsModule
): Promise<Trained[]> {
  const trained: Trained[] = []

  for (const kind of groupByKind(files)) {
    trained.push(...await new Training(kind.slice(0, MAX_FILES), coder, module).run())
  }

  return trained
}

class Training {
  readonly #files: readonly SmallFile[]
  readonly #strings: SharedStrings
  readonly #coder: Coder

  constructor (files: readonly SmallFile[], coder: Coder, module: StringsModule) {
    this.#files = files
    this.#strings = new SharedStrings(files.map(({ bytes }) => bytes), module)
    this.#coder = coder
  }

  async run (): Promise<Trained[]> {
    const all = { from: 0, to: this.#files.length }
    const trained: Trained[] = []

    for (const candidate of await this.#divide(await this.#select(all))) {
      const dictionary = this.#pays(candidate) ? await this.#finish(candidate) : undefined
      trained.push(...dictionary == null ? [] : [dictionary])
    }

    return trained
  }

  /** Choose what a dictionary for some files consists of, as much as fits into one block. */
  async #select (range: FileRange, known?: number): Promise<Candidate> {
    const selection = selectSegments(this.#strings, range, MAX_CONTENT_SIZE)
    const { size } = selection
    const isSmall = size < MAX_STORED_SIZE * FULL
    const ratio = known ?? (isSmall ? undefined : await this.#measure(selection) / size)
    const byteLength = isSmall ? size : size * (ratio ?? 1)
    const isFull = size >= MAX_CONTENT_SIZE * FULL || byteLength >= MAX_STORED_SIZE * FULL
    const fits = Math.floor(size * MAX_STORED_SIZE / byteLength)

    return {
      range,
      selection: byteLength > MAX_STORED_SIZE ? shorten(selection, this.#strings, fits) : selection,
      isFull,
      ratio
    }
  }

  /** Keep a dictionary, or replace it by one for each half of its files. */
  async #divide (whole: Candidate): Promise<Candidate[]> {
    const { range: { from, to }, selection, isFull, ratio } = whole

    // two dictionaries help only if one is too small for all that the files share
    if (!isFull || to - from < 2 * MIN_FILES) {
      return [whole]
    }

    const middle = (from + to) >> 1
    const halves = [
      await this.#select({ from, to: middle }, ratio), await this.#select({ from: middle, to }, ratio)
    ]
    const together = this.#count(whole.range) - scoreOf(selection)
    const gain = halves.reduce((total, { selection }) => total + scoreOf(selection), 0) - scoreOf(selection)

    return gain < together * MIN_DIVISION_GAIN
      ? [whole]
      : [...await this.#divide(halves[0]), ...await this.#divide(halves[1])]
  }

  #pays ({ range, selection }: Candidate): boolean {
    return scoreOf(selection) > this.#count(range) * MIN_SAVED
  }

  /** How many strings some files have. */
  #count ({ from, to }: FileRange): number {
    return this.#strings.counts.subarray(from, to).reduce((total, count) => total + count, 0)
  }

  async #finish ({ range, selection }: Candidate): Promise<Trained | undefined> {
    for (let part = selection; ;) {
      const bytes = joinSegments(part, this.#strings)
      const content = FORMATTED_DICTIONARY.every((byte, i) => bytes[i] === byte) ? bytes.subarray(1) : bytes

      if (content.byteLength < MIN_REGION_SIZE) {
        return undefined
      }

      const frame = await this.#compress(content, DICTIONARY_LEVEL)

      if (frame.byteLength <= MAX_STORED_SIZE) {
        return { ...this.#filesFor(part, range), content, frame }
      }

      part = shorten(part, this.#strings, Math.floor(part.size * MAX_STORED_SIZE / frame.byteLength * 0.97))
    }
  }

  /** Those of the files of which a dictionary saves enough, and more than a link to it takes. */
  #filesFor ({ segments }: Selection, { from, to }: FileRange): Pick<Trained, 'files' | 'isThin'> {
    const { numbers, firsts, counts, bytesEach, distinct } = this.#strings
    const isChosen = new Uint8Array(distinct)

    // by index: a new process would take most of its time to iterate over a view
    for (const { first, last } of segments) {
      for (let at = first; at < last; at++) {
        isChosen[numbers[at]] = 1
      }
    }

    let all = 0
    let inDictionary = 0

    const files = this.#files.slice(from, to).filter((_, i) => {
      let covered = 0

      for (let at = firsts[from + i]; at < firsts[from + i + 1]; at++) {
        covered += isChosen[numbers[at]]
      }

      all += counts[from + i]
      inDictionary += covered

      return (covered - counts[from + i] * MIN_SAVED) * bytesEach * NEW_RATIO >= BASE_LENGTH
    })

    return { files, isThin: inDictionary < all * THIN_SHARE }
  }

  /** About how many bytes a dictionary takes. */
  async #measure (selection: Selection): Promise<number> {
    const content = joinSegments(selection, this.#strings)
    const frame = await this.#compress(content, FAST_LEVEL)
    const { byteLength } = frame
    freeBytes(content)
    freeBytes(frame)

    return byteLength
  }

  async #compress (bytes: Uint8Array, level: number): Promise<Uint8Array> {
    const { codec, signal } = this.#coder

    return codec.compress(bytes, { level: Math.min(level, codec.levels.max), signal })
  }
}
