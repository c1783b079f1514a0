import { messageOf } from '@ipfsz/utils/message-of'
import { raceAbort } from '@ipfsz/utils/race-abort'
import { checkLevel } from '../codec.ts'
import { MAX_FRAME_SIZE } from '../constants.ts'
import {
  CorruptFrameError,
  DictionaryNotSupportedError,
  FrameTooLargeError,
  MissingImplementationError,
  WorkerCrashedError
} from '../errors.ts'
import { checkDictionary } from './check-dictionary.ts'
import { dictionaryEntries, oneDirectionOnly, requestedEntries, streamEntries } from './choose-entries.ts'
import { Lazy, onceEach } from './lazy.ts'
import { loadImplementation, loadStreamDecoder } from './load-implementation.ts'
import type { Codec, CodecInit, CodecName, ImplementationName } from '../codec.ts'
import type { FullImplementation, Implementation } from '../implementation.ts'
import type { CodecDefinition } from './codec-definition.ts'
import type { ImplementationEntry } from './implementation-entry.ts'

/**
 * Create a codec from its definition, with the first available implementation that can
 * compress, and the first that can decompress.
 *
 * @throws {MissingImplementationError} the implementation asked for is not available
 */
export function createCodec (definition: CodecDefinition, init: CodecInit = {}): Codec {
  const { name, code, levels } = definition
  const requested = requestedEntries(definition, init)
  let chosen: ImplementationEntry[] | undefined
  // on first use: checking for an addon loads it, which takes milliseconds
  const entries = (): ImplementationEntry[] => chosen ??= requested.filter(({ available }) => available())
  const workers = init.workers ?? true
  const load = onceEach(async (entry: ImplementationEntry) => loadImplementation(name, entry, workers))
  const compressor = new Lazy(() => entries().filter(({ only }) => only !== 'decompress'), load)
  const decompressor = new Lazy(() => entries().filter(({ only }) => only !== 'compress'), load)
  const dictionaryCompressor = new Lazy(() => dictionaryEntries(definition, entries, 'decompress'), load)
  const dictionaryDecompressor = new Lazy(() => dictionaryEntries(definition, entries, 'compress'), load)
  const streams = new Lazy(() => streamEntries(definition, entries()), loadStreamDecoder)

  // every codec has at least one of the two
  const implementation = (): ImplementationName => (compressor.entry ?? decompressor.entry as ImplementationEntry).name

  /** The one of the two that can use the dictionary. */
  const choose = (
    plain: Lazy<Implementation>,
    withDictionary: Lazy<Implementation>,
    dictionary: Uint8Array | undefined
  ): Lazy<Implementation> => {
    if (dictionary == null) {
      return plain
    }

    if (withDictionary.entry == null) {
      throw new DictionaryNotSupportedError(name, implementation())
    }

    checkDictionary(dictionary)

    return withDictionary
  }

  return {
    name,
    code,
    levels,

    get implementation () {
      return implementation()
    },

    get dictionaries () {
      return dictionaryDecompressor.entry != null
    },

    async compress (bytes, { level, dictionary, transfer, background, signal } = {}) {
      const checked = checkLevel(definition, level)
      checkSize(bytes.byteLength)
      signal?.throwIfAborted()

      if (compressor.entry == null) {
        throw oneDirectionOnly(definition, entries()[0].name, 'decompress')
      }

      const chosen = choose(compressor, dictionaryCompressor, dictionary)
      const { compress } = chosen.loaded as FullImplementation | undefined ??
        await loadCompressor(definition, chosen)
      signal?.throwIfAborted()

      const options = { transfer, background, signal, dictionary: dictionary && toUint8Array(dictionary) }
      const frame = compress(toUint8Array(bytes), checked, options)

      // a small one was made at once: nobody need wait for it
      return 'then' in frame ? raceAbort(frame, signal) : frame
    },

    async decompress (frame, { size, dictionary, transfer, into, signal }) {
      checkSize(size)
      signal?.throwIfAborted()

      if (decompressor.entry == null) {
        throw oneDirectionOnly(definition, entries()[0].name, 'compress')
      }

      const { decompress } = await choose(decompressor, dictionaryDecompressor, dictionary)
        .load() as FullImplementation
      signal?.throwIfAborted()

      const bytes = toUint8Array(frame)
      const options = { transfer, into, signal, dictionary: dictionary && toUint8Array(dictionary) }
      const decode = async (): Promise<Uint8Array> =>
        raceAbort(decompress(bytes, size, options), signal)

      return decodeExactly(name, size, decode, signal)
    },

    compressSync: (bytes, level, allocate) => bytes.byteLength > MAX_FRAME_SIZE
      ? undefined
      : compressor.loaded?.compressSync?.(toUint8Array(bytes), checkLevel(definition, level), allocate),

    decompressSync: (frame, size, memory) => size > MAX_FRAME_SIZE
      ? undefined
      : decompressor.loaded?.decompressSync?.(toUint8Array(frame), size, memory),

    prepare ({ to, calls = 1 }) {
      const lazy = to === 'compress' ? compressor : decompressor

      if (lazy.entry != null) {
        lazy.load().then(({ prepare }) => prepare?.(calls)).catch(() => {})
      }
    },

    async * decompressStream (source, options) {
      const { decompressStream } = await import('../stream/decompress-stream.ts')

      yield * decompressStream(name, await streams.load(), source, options)
    }
  }
}

/** @throws {MissingImplementationError} none can be loaded, for example because a policy forbids WebAssembly */
async function loadCompressor (
  { name }: CodecDefinition,
  compressor: Lazy<Implementation>
): Promise<FullImplementation> {
  try {
    // `compressor` has no entries that only decompress
    return await compressor.load() as FullImplementation
  } catch (err) {
    const reason = `cannot be loaded to compress: ${messageOf(err)}`

    throw new MissingImplementationError(name, compressor.entry?.name ?? 'default', reason, { cause: err })
  }
}

function checkSize (size: number): void {
  if (!Number.isInteger(size) || size < 0 || size > MAX_FRAME_SIZE) {
    throw new FrameTooLargeError(size, MAX_FRAME_SIZE)
  }
}

/** A plain Uint8Array of this realm: implementations treat a Buffer, and arrays of other realms, differently. */
function toUint8Array ({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** Lack of memory does not mean that the frame is corrupt. Engines throw a RangeError, with different messages. */
function isOutOfMemory (err: unknown): boolean {
  return err instanceof Error && err.name === 'RangeError' && /memory|allocation/i.test(err.message)
}

/** Every failure of a decoder means that the frame is corrupt, except aborts, crashes and lack of memory. */
async function decodeExactly (
  name: CodecName,
  size: number,
  decode: () => Promise<Uint8Array>,
  signal: AbortSignal | null | undefined
): Promise<Uint8Array> {
  let bytes: Uint8Array

  try {
    bytes = await decode()
  } catch (err) {
    const isKnown = err instanceof CorruptFrameError || err instanceof WorkerCrashedError || isOutOfMemory(err)

    if (signal?.aborted === true || isKnown) {
      throw err
    }

    throw new CorruptFrameError(name, messageOf(err), { cause: err })
  }

  if (bytes.byteLength !== size) {
    throw new CorruptFrameError(name, `it decodes to ${bytes.byteLength} bytes instead of ${size}`)
  }

  return bytes
}
