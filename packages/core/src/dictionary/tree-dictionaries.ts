import { InvalidParametersError } from '../errors.ts'
import { ByteReader } from '../util/byte-reader.ts'
import { joinChunks } from '../write/join-chunks.ts'
import { DictionaryTrainer } from './dictionary-trainer.ts'
import { DictionaryWindow, MAX_DICTIONARY_FILE, mayHaveDictionary } from './window.ts'
import type { PutStore } from '../dag/block.ts'
import type { Candidate } from '../write/checked-candidates.ts'
import type { SmallFile } from './kinds.ts'
import type { Coder } from './train.ts'
import type { TreeDictionary } from './tree-dictionary.ts'

/** A candidate of a tree, with its content if it may have a dictionary. */
interface Held {
  candidate: Candidate
  /** Bytes of it that were read. */
  size: number
  file?: SmallFile
}

/**
 * Makes dictionaries for the small files of a tree while they pass on their way to the importer. Holds back all
 * candidates of two windows, in their order: the dictionaries of the next one are made while the files of the one
 * before are compressed.
 */
export class TreeDictionaries {
  readonly #trainer: DictionaryTrainer
  readonly #signal: AbortSignal | null | undefined
  readonly #isTree: boolean
  /** Those of the files that are on their way, by path. */
  readonly #assigned = new Map<string, TreeDictionary>()

  /** @param wrapped - whether all files are put into a directory: those that are in none have no dictionary */
  constructor (coder: Coder, blockstore: PutStore, wrapped: boolean) {
    this.#trainer = new DictionaryTrainer(coder, blockstore)
    this.#signal = coder.signal
    this.#isTree = wrapped
  }

  /** The dictionary of the file at a path. It can be taken once. */
  take (path: string): TreeDictionary | undefined {
    const dictionary = this.#assigned.get(path)
    this.#assigned.delete(path)

    return dictionary
  }

  /** Pass candidates on, after their dictionaries are written. */
  async * pass (candidates: AsyncIterable<Candidate>): AsyncGenerator<Candidate> {
    let held: Held[] = []
    let window = new DictionaryWindow()
    let training: Promise<readonly Held[]> = Promise.resolve([])

    try {
      for await (const candidate of candidates) {
        const read = await this.#read(candidate)
        held.push(read)
        window.add(read.size)

        if (window.isFull) {
          const before = await training
          training = this.#train(held)
          // reported when these files are due
          training.catch(() => {})
          yield * before.map(({ candidate }) => candidate)
          held = []
          window = new DictionaryWindow()
        }
      }

      yield * (await training).map(({ candidate }) => candidate)
      yield * (await this.#train(held)).map(({ candidate }) => candidate)
    } finally {
      // nothing is written once the add has ended
      await training.catch(() => {})
    }
  }

  /** Write the dictionaries of files. */
  async #train (held: readonly Held[]): Promise<readonly Held[]> {
    const files = held.flatMap(({ file }) => file ?? [])

    for (const [i, dictionary] of (await this.#trainer.train(files)).entries()) {
      if (dictionary != null) {
        this.#assigned.set(files[i].path, dictionary)
      }
    }

    return held
  }

  /** Read a file if it is small. Otherwise its first bytes are put back. */
  async #read (candidate: Candidate): Promise<Held> {
    const { path } = candidate
    const content = 'content' in candidate ? candidate.content : undefined

    if (path == null || !(this.#isTree || path.includes('/')) || !isReadable(content)) {
      return { candidate, size: 0 }
    }

    const reader = new ByteReader(joinChunks(chunksOf(content)), this.#signal)
    const bytes = await reader.read(MAX_DICTIONARY_FILE + 1)
    const { byteLength: size } = bytes

    if (size > MAX_DICTIONARY_FILE) {
      return { candidate: { ...candidate, content: join(bytes, reader) }, size }
    }

    const whole = { ...candidate, content: bytes }

    return mayHaveDictionary(size)
      ? { candidate: whole, size, file: { path, bytes } }
      : { candidate: whole, size }
  }
}

/** Anything else the importer refuses. */
function isReadable (content: unknown): content is AsyncIterable<Uint8Array> | Uint8Array {
  return content instanceof Uint8Array ||
    (content != null && typeof content === 'object' && Symbol.asyncIterator in content)
}

async function * chunksOf (content: AsyncIterable<Uint8Array> | Uint8Array): AsyncGenerator<Uint8Array> {
  for await (const chunk of content instanceof Uint8Array ? [content] : content) {
    if (!(chunk instanceof Uint8Array)) {
      throw new InvalidParametersError('The content of a file must be Uint8Arrays')
    }

    yield chunk
  }
}

async function * join (first: Uint8Array, reader: ByteReader): AsyncGenerator<Uint8Array> {
  try {
    yield first
    yield * reader.rest()
  } finally {
    reader.close()
  }
}
