/**
 * Encodes whole small files on the calling thread, into the same blocks as `fs.addAll`, and decodes them. Loads little,
 * for worker threads that work on many files.
 *
 * @packageDocumentation
 */
import { zstd } from '@ipfsz/codecs/zstd'
import { sha256Sync } from '@ipfsz/utils/sha256-sync'
import { lookAt } from './policy/decide-now.ts'
import { resolveCompression } from './policy/compression.ts'
import { maxOneFrame } from './policy/compression.ts'
import { canEncode, encodeFile, MAX_ENCODED_SIZE } from './small/encode-file.ts'
import { SHAPING } from './small/shaping.ts'
import type { Metadata } from './dag/file-block.ts'
import type { Compression } from './policy/compression.ts'
import type { CompressionOptions } from './policy/compression-options.ts'
import type { DictionaryEncoder, FileDictionaries, SharedDictionary } from './dictionary/small-files.ts'
import type { SmallFile } from './dictionary/kinds.ts'
import type { DecodedFile, FileMarker } from './small/decode-file.ts'
import type { EncodedBlock, EncodedFile } from './small/encoded-file.ts'
import type { EncodedLargeFile } from './write/encode-large.ts'
import type { EncodedWithFrame, EncodeOptions } from './small/encode-file.ts'
import type { Codec, CompressOptions } from '@ipfsz/codecs'

export type { Metadata } from './dag/file-block.ts'
export type { DecodedFile, FileMarker } from './small/decode-file.ts'
export type { EncodedBlock, EncodedFile } from './small/encoded-file.ts'
export type { EncodedLargeFile } from './write/encode-large.ts'
export type { FileDictionaries, SharedDictionary } from './dictionary/small-files.ts'
export type { SmallFile } from './dictionary/kinds.ts'
export { DictionaryWindow, MAX_DICTIONARY_FILE, mayHaveDictionary } from './dictionary/window.ts'

/** Options of `fs.addAll`, and the codecs. */
export interface SmallFileEncoderInit {
  compression?: CompressionOptions | undefined
  link?: boolean | undefined
  /**
   * The codecs that `compression` may name.
   *
   * @default zstd
   */
  codecs?: readonly Codec[] | undefined
  /**
   * Gives the memory of compressed files and their blocks, a number of bytes at a time: for many files, one piece of
   * memory that is used again takes less than one for each. Not for `encodeLarge`.
   */
  allocate?: ((size: number) => Uint8Array) | undefined
  /** Others, such as `rawLeaves`. */
  [option: string]: unknown
}

export interface SmallFileEncoder {
  /** The most bytes of a file. */
  readonly maxSize: number

  /**
   * Encode all bytes of a file.
   *
   * @param bytes - must not be changed while the result is used: a file that is not compressed is its own block
   * @returns undefined if this file cannot be encoded at once: ask `encodeLater`
   */
  encode (bytes: Uint8Array, metadata?: Metadata): EncodedFile | undefined

  /**
   * The same for files that are not text: their type is looked up, and filters are tried. Works on the calling thread,
   * too.
   *
   * @param dictionary - of {@link train}. A file that has one is encoded only here
   * @returns undefined if this file has to be added by `fs.addAll`
   */
  encodeLater (bytes: Uint8Array, metadata?: Metadata, dictionary?: SharedDictionary): Promise<EncodedFile | undefined>

  /**
   * Make dictionaries for the files of a window, on the calling thread: those of `fs.addAll`. Their blocks have to be
   * stored, too.
   */
  train (files: readonly SmallFile[]): Promise<FileDictionaries>

  /**
   * Encode a file of any size, a few frames at a time, on the calling thread.
   *
   * @param read - reads the next bytes into an array, and returns how many. 0 at the end of the file
   * @param put - called with each block. It may wait until there is room for more of them; up to eight wait at a time.
   *   When it has resolved, the memory of the block is used again
   * @returns undefined if this file has to be added by `fs.addAll`: it is not compressed, and there are options such as
   *   `rawLeaves`, or nothing is compressed. Then nothing was put
   */
  encodeLarge (
    read: (target: Uint8Array) => number,
    metadata: Metadata,
    put: (block: EncodedBlock) => Promise<void>
  ): Promise<EncodedLargeFile | undefined>
}

/**
 * Create what encodes files like `fs.addAll` does with these options. With `dictionaries`, files that have one have to
 * be given it.
 *
 * @returns undefined if no file can be encoded with them: with `link`, a base, `auto`, a codec other than native zstd,
 *   or in a runtime other than Node
 * @throws {UnknownCodecError}
 * @throws {InvalidLevelError}
 * @throws {InvalidFrameSizeError}
 * @throws {InvalidParametersError} as `fs.addAll`
 */
export async function createSmallFileEncoder (
  { compression, link = false, codecs = [zstd()], allocate, ...others }: SmallFileEncoderInit = {}
): Promise<SmallFileEncoder | undefined> {
  const resolved = resolveCompression(compression, codecs.map(onThisThread))
  const isPlainRaw = ![...SHAPING, 'cidVersion'].some(name => name in others)
  const options = { compression: resolved, isPlainRaw, allocate }

  if (link || (resolved != null && !canEncode(resolved))) {
    return undefined
  }

  // loads the codec
  await resolved?.named?.codec.compress(new Uint8Array(1))
  const encoder = new DefaultSmallFileEncoder(options)

  return encoder.isAble ? encoder : undefined
}

/** A codec that compresses at once where it can. */
function onThisThread (codec: Codec): Codec {
  return Object.assign(Object.create(codec) as Codec, {
    compress: (bytes: Uint8Array, options: CompressOptions = {}) => {
      const { level = codec.levels.default, dictionary } = options

      return (dictionary == null ? codec.compressSync?.(bytes, level) : undefined) ?? codec.compress(bytes, options)
    }
  })
}

class DefaultSmallFileEncoder implements SmallFileEncoder {
  readonly maxSize: number
  readonly #options: EncodeOptions
  /** What needs dictionaries: most threads have none. */
  #dictionaries: Promise<DictionaryEncoder> | undefined

  constructor (options: EncodeOptions) {
    const { compression } = options
    this.#options = options
    this.maxSize = compression == null
      ? MAX_ENCODED_SIZE
      : Math.min(MAX_ENCODED_SIZE, maxOneFrame(compression, compression.layoutOf(new Uint8Array(0))))
  }

  /** Whether codec and hash run on this thread at once. */
  get isAble (): boolean {
    const { compression } = this.#options

    return encodeFile(new Uint8Array(1000), {}, { compression, isPlainRaw: true }, NOTHING_FOUND) != null
  }

  encode (bytes: Uint8Array, metadata: Metadata = {}): EncodedFile | undefined {
    return bytes.byteLength > this.maxSize ? undefined : withoutFrame(encodeFile(bytes, metadata, this.#options))
  }

  async encodeLater (
    bytes: Uint8Array,
    metadata: Metadata = {},
    dictionary?: SharedDictionary
  ): Promise<EncodedFile | undefined> {
    const { compression } = this.#options

    if (compression != null && dictionary != null) {
      const encoder = await this.#encoderWithDictionaries(compression)

      return withoutFrame(await encoder.encode(bytes, metadata, dictionary)) ??
        encodeFile(bytes, metadata, { ...this.#options, compression: undefined })
    }

    return compression == null || bytes.byteLength > this.maxSize
      ? undefined
      : withoutFrame(encodeFile(bytes, metadata, this.#options, await lookAt(bytes, compression)))
  }

  async train (files: readonly SmallFile[]): Promise<FileDictionaries> {
    const { compression } = this.#options

    return compression == null
      ? { dictionaries: [], blocks: [], assigned: new Int32Array(files.length).fill(-1) }
      : (await this.#encoderWithDictionaries(compression)).train(files)
  }

  async #encoderWithDictionaries (compression: Compression): Promise<DictionaryEncoder> {
    this.#dictionaries ??= import('./dictionary/small-files.ts')
      .then(({ DictionaryEncoder }) => new DictionaryEncoder(compression))

    return this.#dictionaries
  }

  async encodeLarge (
    read: (target: Uint8Array) => number,
    metadata: Metadata,
    put: (block: EncodedBlock) => Promise<void>
  ): Promise<EncodedLargeFile | undefined> {
    const { compression } = this.#options

    if (compression == null) {
      return undefined
    }

    // most threads work on small files alone
    const { encodeLarge } = await import('./write/encode-large.ts')

    return encodeLarge(read, metadata, { ...this.#options, compression }, put)
  }
}

/** A block has a copy of it: posting both would take twice the time. */
function withoutFrame (file?: EncodedWithFrame): EncodedFile | undefined {
  if (file == null) {
    return undefined
  }

  const { frame: _, ...rest } = file

  return rest
}

const NOTHING_FOUND = { isCompressedType: false, filters: [] }

export interface SmallFileDecoderInit extends Pick<SmallFileEncoderInit, 'codecs'> {
  /**
   * Whether all compressed files are decoded into the same memory, so that each is there until the next one is decoded.
   *
   * @default false
   */
  reusesMemory?: boolean | undefined
}

export interface SmallFileDecoder {
  /**
   * Decode all of a file that `addAll` of this package, or of Helia, stored in one block or two. Every block is
   * compared with its CID, and everything is checked that reading and verifying check.
   *
   * @param cid - the bytes of the root's plain CID
   * @param root - the block. A file that is not compressed is returned in its memory
   * @param marker - how the CID is marked that led to the file
   * @param getLeaf - gets the second block, by the bytes of its CID
   * @returns undefined if `fs.cat` has to read the file, or to say what is wrong with it
   */
  decode (
    cid: Uint8Array,
    root: Uint8Array,
    marker: FileMarker,
    getLeaf: (cid: Uint8Array) => Uint8Array | undefined
  ): DecodedFile | undefined

  /**
   * The original bytes of such a file, as its root says.
   *
   * @returns undefined if `fs.stat` has to say it
   */
  sizeOf (cid: Uint8Array, root: Uint8Array, marker: FileMarker): number | undefined
}

/**
 * Create what decodes small files like `fs.cat` does.
 *
 * @returns undefined if no compressed file can be decoded: without native zstd, or in a runtime other than Node
 */
export async function createSmallFileDecoder (
  { codecs = [zstd()], reusesMemory = false }: SmallFileDecoderInit = {}
): Promise<SmallFileDecoder | undefined> {
  // not with the encoder, which most threads use alone
  const { decodeFile, MAX_DECODED_SIZE, sizeOfFile } = await import('./small/decode-file.ts')

  for (const codec of codecs) {
    if (codec.decompressSync != null && codec.implementation === 'native') {
      const frame = await codec.compress(new Uint8Array(1))
      await codec.decompress(frame, { size: 1 })

      if (codec.decompressSync(frame, 1) != null && sha256Sync(frame) != null) {
        const memory = reusesMemory ? new Uint8Array(MAX_DECODED_SIZE + 1) : undefined

        return {
          decode: (cid, root, marker, getLeaf) => decodeFile(cid, root, { codecs, marker, getLeaf, memory }),
          sizeOf: sizeOfFile
        }
      }
    }
  }

  return undefined
}
