import { FORMATTED_DICTIONARY } from '@ipfsz/codecs'
import { MIN_GAIN, MIN_REGION_SIZE } from '../constants.ts'
import { BASE_LENGTH } from '../policy/policy.ts'
import { mapOrdered } from '../util/map-ordered.ts'
import { selectSegments } from './cover.ts'
import { groupByKind, MIN_FILES } from './kinds.ts'
import type { Codec } from '@ipfsz/codecs'
import type { SmallFile } from './kinds.ts'

const KIB = 1024

/** Maximum number of original bytes of a dictionary, 512 KiB: a reader of one small file decompresses all of it. */
const MAX_CONTENT_SIZE = 512 * KIB

/** Maximum stored bytes of a dictionary, 128 KiB: all of it is in one block, which a reader of any file fetches. */
const MAX_STORED_SIZE = 128 * KIB

/** Maximum number of bytes of files that segments are chosen from. */
const MAX_SAMPLE_SIZE = 2048 * KIB

/** How many files of a kind are compressed to find out what a dictionary saves. */
const MAX_TRIALS = 24

/** How much less two dictionaries for one half of the files each have to take than one for all. */
const MIN_DIVISION_GAIN = 0.02

/** From this part of the most stored bytes on, a dictionary counts as full. */
const FULL = 0.75

/** The level of the dictionaries themselves: few, and read often. Level 19 saves 3 % of them in twice the time. */
const DICTIONARY_LEVEL = 16

/** How many files are compressed at a time: each takes a context that has the dictionary. */
const CONCURRENCY = 2

/** A dictionary, and the files that it is for. */
export interface Trained {
  files: readonly SmallFile[]
  /** Its original bytes. */
  content: Uint8Array
  /** These as one frame. */
  frame: Uint8Array
}

/** How files and dictionaries are compressed. */
export interface Coder {
  codec: Codec
  /** The level of files with a dictionary. */
  level: number
  signal?: AbortSignal | null | undefined
}

/**
 * Make dictionaries for files: one for each kind, or several if the first files of a kind have little in common with
 * the last ones. None if it would save less than 5 %, its own bytes included.
 *
 * The same files in the same order yield the same dictionaries.
 */
export async function trainDictionaries (files: readonly SmallFile[], coder: Coder): Promise<Trained[]> {
  const trial = new Trial(coder)
  const trained: Trained[] = []

  for (const kind of groupByKind(files)) {
    trained.push(...await divide(kind, await train(kind, coder), trial, coder))
  }

  return Promise.all(trained.map(async dictionary => finish(dictionary, coder)))
}

/** Compress a dictionary once more, now that it is certain: this takes long. */
async function finish (trained: Trained, { codec, level, signal }: Coder): Promise<Trained> {
  const best = Math.max(level, Math.min(DICTIONARY_LEVEL, codec.levels.max))
  const frame = await codec.compress(trained.content, { level: best, signal })

  return frame.byteLength < trained.frame.byteLength ? { ...trained, frame } : trained
}

/** Keep a dictionary, replace it by one for each half of its files, or do without, whichever takes least. */
async function divide (
  files: readonly SmallFile[],
  whole: Trained | undefined,
  trial: Trial,
  coder: Coder
): Promise<Trained[]> {
  const sample = pick(files, MAX_TRIALS)
  const scale = lengthOf(files) / lengthOf(sample)
  const alone = scale * await trial.total(sample)
  const together = lengthOfDictionary(whole) + scale * await trial.total(sample, whole)

  // two dictionaries help only if one is too small for all that the files share
  if (files.length >= 2 * MIN_FILES && lengthOfDictionary(whole) >= MAX_STORED_SIZE * FULL) {
    const middle = files.length >> 1
    const halves = [files.slice(0, middle), files.slice(middle)]
    const dictionaries = [await train(halves[0], coder), await train(halves[1], coder)]
    let divided = 0

    for (const [i, half] of halves.entries()) {
      const own = new Set(half)
      const total = await trial.total(sample.filter(file => own.has(file)), dictionaries[i])
      divided += lengthOfDictionary(dictionaries[i]) + scale * total
    }

    if (divided <= together * (1 - MIN_DIVISION_GAIN)) {
      return [
        ...await divide(halves[0], dictionaries[0], trial, coder),
        ...await divide(halves[1], dictionaries[1], trial, coder)
      ]
    }
  }

  return whole == null || together > alone * (1 - MIN_GAIN) ? [] : [whole]
}

/** Make one dictionary for some files. Undefined if they have nothing in common. */
async function train (
  files: readonly SmallFile[],
  { codec, level, signal }: Coder
): Promise<Trained | undefined> {
  const samples = pick(files, Math.ceil(files.length * Math.min(1, MAX_SAMPLE_SIZE / lengthOf(files))))
  const selected = selectSegments(samples.map(({ bytes }) => bytes), MAX_CONTENT_SIZE)

  // the last segments are the best: drop the first ones until the rest fits into one block
  for (let size = selected.byteLength; ;) {
    const last = selected.subarray(selected.byteLength - size)
    const content = FORMATTED_DICTIONARY.every((byte, i) => last[i] === byte) ? last.subarray(1) : last

    if (content.byteLength < MIN_REGION_SIZE) {
      return undefined
    }

    const frame = await codec.compress(content, { level, signal })

    if (frame.byteLength <= MAX_STORED_SIZE) {
      return { files, content, frame }
    }

    size = Math.floor(content.byteLength * MAX_STORED_SIZE / frame.byteLength * 0.97)
  }
}

/** Compresses files with and without dictionaries, to compare what they take. */
class Trial {
  readonly #coder: Coder
  /** Bytes of files as they were compressed, for each dictionary, and without one. */
  readonly #lengths = new Map<Trained | undefined, Map<SmallFile, number>>()

  constructor (coder: Coder) {
    this.#coder = coder
  }

  /** Bytes of files, with a dictionary where that pays off. */
  async total (files: readonly SmallFile[], dictionary?: Trained): Promise<number> {
    let total = 0

    const lengths = mapOrdered(files, async file => this.#length(file, dictionary), {
      concurrency: CONCURRENCY,
      signal: this.#coder.signal
    })

    for await (const length of lengths) {
      total += length
    }

    return total
  }

  async #length (file: SmallFile, dictionary?: Trained): Promise<number> {
    const alone = await this.#compress(file)

    if (dictionary == null) {
      return alone
    }

    const aided = await this.#compress(file, dictionary) + BASE_LENGTH

    return aided <= alone * (1 - MIN_GAIN) ? aided : alone
  }

  async #compress (file: SmallFile, trained?: Trained): Promise<number> {
    const { codec, level, signal } = this.#coder
    const lengths = this.#lengths.get(trained) ?? new Map<SmallFile, number>()
    const { bytes } = file
    let length = lengths.get(file)

    if (length == null) {
      const dictionary = trained == null ? {} : { dictionary: trained.content }
      const frame = await codec.compress(bytes, { level, signal, ...dictionary })
      length = Math.min(frame.byteLength, bytes.byteLength)
      this.#lengths.set(trained, lengths.set(file, length))
    }

    return length
  }
}

function lengthOfDictionary (trained: Trained | undefined): number {
  return trained?.frame.byteLength ?? 0
}

function lengthOf (files: readonly SmallFile[]): number {
  return files.reduce((total, { bytes }) => total + bytes.byteLength, 0)
}

/** At most `count` of the files, evenly spread. */
function pick (files: readonly SmallFile[], count: number): readonly SmallFile[] {
  return files.length <= count
    ? files
    : Array.from({ length: count }, (_, i) => files[Math.floor((i + 0.5) * files.length / count)])
}
