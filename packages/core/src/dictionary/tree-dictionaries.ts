import { InvalidParametersError } from '../errors.ts'
import { ByteReader } from '../util/byte-reader.ts'
import { isCompressedType } from '../policy/detector.ts'
import { isGain } from '../policy/policy.ts'
import { joinChunks } from '../write/join-chunks.ts'
import { trainDictionaries } from './train.ts'
import { TreeDictionary } from './tree-dictionary.ts'
import type { PutStore } from '../dag/block.ts'
import type { Candidate } from '../write/checked-candidates.ts'
import type { SmallFile } from './kinds.ts'
import type { Coder } from './train.ts'

const MIB = 1024 * 1024

/** Files of more bytes have no dictionary: what is common to them and others is little of them. */
const MAX_FILE_SIZE = MIB

/**
 * How many bytes of small files one set of dictionaries is made of, 16 MiB. Those after them have others. So many are
 * held twice: dictionaries of the next files are made while those before are compressed.
 */
const WINDOW_SIZE = 16 * MIB
/** Maximum number of files in them: each takes memory beside its bytes. */
const WINDOW_FILES = 16_384

/** A file of a tree, with its content. */
interface Held {
  candidate: Candidate
  file: SmallFile
}

/**
 * Makes dictionaries for the small files of a tree while they pass on their way to the importer: it holds back up to
 * 32 MiB of them, in the order in which they come. Everything else passes at once.
 */
export class TreeDictionaries {
  readonly #coder: Coder
  readonly #blockstore: PutStore
  readonly #isTree: boolean
  /** Those of the files that are on their way, by path. */
  readonly #assigned = new Map<string, TreeDictionary>()

  /** @param wrapped - whether all files are put into a directory: those that are in none have no dictionary */
  constructor (coder: Coder, blockstore: PutStore, wrapped: boolean) {
    this.#coder = coder
    this.#blockstore = blockstore
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
    let size = 0
    let training: Promise<readonly Held[]> = Promise.resolve([])

    try {
      for await (const candidate of candidates) {
        const read = await this.#read(candidate)

        if (!('file' in read)) {
          yield read.candidate
          continue
        }

        held.push(read)
        size += read.file.bytes.byteLength

        if (size >= WINDOW_SIZE || held.length >= WINDOW_FILES) {
          const before = await training
          training = this.#train(held)
          // reported when these files are due
          training.catch(() => {})
          yield * before.map(({ candidate }) => candidate)
          held = []
          size = 0
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
    for (const trained of await trainDictionaries(held.map(({ file }) => file), this.#coder)) {
      const dictionary = await TreeDictionary.write(trained, this.#coder, this.#blockstore)

      for (const { path } of trained.files) {
        this.#assigned.set(path, dictionary)
      }
    }

    return held
  }

  /** Read a file if it is small. Otherwise its first bytes are put back. */
  async #read (candidate: Candidate): Promise<Held | { candidate: Candidate }> {
    const { path } = candidate
    const content = 'content' in candidate ? candidate.content : undefined

    if (path == null || !(this.#isTree || path.includes('/')) || !isReadable(content)) {
      return { candidate }
    }

    const reader = new ByteReader(joinChunks(chunksOf(content)), this.#coder.signal)
    const bytes = await reader.read(MAX_FILE_SIZE + 1)

    if (bytes.byteLength > MAX_FILE_SIZE) {
      return { candidate: { ...candidate, content: join(bytes, reader) } }
    }

    const whole = { ...candidate, content: bytes }

    return isGain(bytes.byteLength, 0) && !await isCompressedType(bytes)
      ? { candidate: whole, file: { path, bytes } }
      : { candidate: whole }
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
