import { LruMap } from '@ipfsz/utils/lru-map'
import { CID } from 'multiformats/cid'
import { ByteReader } from '../util/byte-reader.ts'
import { compressFile } from '../write/compress-file.ts'
import { DictionaryTrainer } from './dictionary-trainer.ts'
import { encodeWithDictionary } from './encode-with-dictionary.ts'
import { TreeDictionary } from './tree-dictionary.ts'
import type { PutStore } from '../dag/block.ts'
import type { Metadata } from '../dag/file-block.ts'
import type { Compression } from '../policy/compression.ts'
import type { EncodedWithFrame } from '../small/encode-file.ts'
import type { EncodedBlock, EncodedFile } from '../small/encoded-file.ts'
import type { SmallFile } from './kinds.ts'

/** How many dictionaries are kept: at most 16 MiB of them, and about those of a window. */
const MAX_KEPT = 32

/** A dictionary that can be posted to other threads. */
export interface SharedDictionary {
  /** All of its original bytes, in memory that threads share. */
  content: Uint8Array
  /** The bytes of its plain CIDv1. */
  cid: Uint8Array
  /** Stored bytes of the file that it is, and of its block. */
  size: number
  dagSize: number
  /** Whether most of its files is not in it. */
  isThin: boolean
}

/** The dictionaries of some files. */
export interface FileDictionaries {
  dictionaries: SharedDictionary[]
  /** The block of each dictionary. */
  blocks: EncodedBlock[]
  /** For each file which of the dictionaries it has, or -1. */
  assigned: Int32Array
}

/** Keeps blocks, in the order in which they are put. */
class Blocks implements PutStore {
  readonly blocks: EncodedBlock[] = []

  async put (cid: CID, bytes: Parameters<PutStore['put']>[1]): Promise<CID> {
    this.blocks.push({ cid: cid.bytes, bytes: bytes as Uint8Array })

    return cid
  }
}

/** Makes the dictionaries of small files, and encodes files with them, on the calling thread. */
export class DictionaryEncoder {
  readonly #compression: Compression
  readonly #stored = new Blocks()
  readonly #trainer: DictionaryTrainer | undefined
  /** Those that were used, by their CIDs. */
  readonly #dictionaries = new LruMap<string, TreeDictionary>({ maxEntries: MAX_KEPT })

  constructor (compression: Compression) {
    const { dictionaries } = compression
    this.#compression = compression
    this.#trainer = dictionaries && new DictionaryTrainer(dictionaries, this.#stored)
  }

  async train (files: readonly SmallFile[]): Promise<FileDictionaries> {
    const trained = await this.#trainer?.train(files) ?? []
    const different = [...new Set(trained.filter(dictionary => dictionary != null))]

    return {
      dictionaries: different.map(toShared),
      blocks: this.#stored.blocks.splice(0),
      assigned: Int32Array.from(files, (_, i) => trained[i] == null ? -1 : different.indexOf(trained[i]))
    }
  }

  /**
   * Encode a file as `fs.addAll` does with a dictionary.
   *
   * @returns undefined if it is not compressed
   */
  async encode (
    bytes: Uint8Array,
    metadata: Metadata,
    shared: SharedDictionary
  ): Promise<EncodedWithFrame | undefined> {
    const dictionary = this.#dictionaryOf(shared)

    return await encodeWithDictionary(bytes, metadata, dictionary, this.#compression) ??
      this.#encodeInSteps(bytes, metadata, dictionary)
  }

  async #encodeInSteps (
    bytes: Uint8Array,
    metadata: Metadata,
    dictionary: TreeDictionary
  ): Promise<EncodedFile | undefined> {
    const store = new Blocks()
    let decided: Pick<EncodedFile, 'codec' | 'reason' | 'hasDictionary'> | undefined
    const written = await compressFile(
      { ...metadata, dictionary },
      new ByteReader(bytes),
      store,
      {
        compression: this.#compression,
        inFlightBytes: bytes.byteLength,
        compressesAtOnce: true,
        openBase: async () => undefined,
        onProgress: event => {
          if (event.type === 'ipfsz:add:decided') {
            const { codec, reason, dictionary } = event.detail
            decided = { codec, reason, hasDictionary: dictionary != null }
          }
        }
      }
    )

    if (written instanceof Uint8Array || decided == null) {
      return undefined
    }

    const { cid, code: marker, dagSize, onlyIpfsz } = written
    const { byteLength: size } = bytes

    return { cid: cid.bytes, marker, blocks: store.blocks, size, dagSize, onlyIpfsz, ...decided }
  }

  #dictionaryOf ({ content, cid: bytes, size, dagSize, isThin }: SharedDictionary): TreeDictionary {
    const cid = CID.decode(bytes)
    const key = cid.toString()
    const dictionary = this.#dictionaries.get(key) ??
      new TreeDictionary({ cid, size, dagSize }, content.slice(), isThin)
    this.#dictionaries.set(key, dictionary)

    return dictionary
  }
}

function toShared ({ content, link: { cid, size, dagSize }, isThin }: TreeDictionary): SharedDictionary {
  const shared = new Uint8Array(new SharedArrayBuffer(content.byteLength))
  shared.set(content)

  return { content: shared, cid: cid.bytes, size, dagSize, isThin }
}
