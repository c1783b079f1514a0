import { raceSignal } from 'race-signal'
import { checkLevel } from '../codec.ts'
import { MAX_FRAME_SIZE } from '../constants.ts'
import { CorruptFrameError, FrameTooLargeError, MissingImplementationError, WorkerCrashedError } from '../errors.ts'
import { loadImplementation, loadStreamDecoder } from './load-implementation.ts'
import { messageOf } from '../util/message-of.ts'
import type { Codec, CodecInit, CodecName, Levels } from '../codec.ts'
import type { Implementation } from '../implementation.ts'
import type { ImplementationEntry } from './implementation-entry.ts'

/** The definition of a codec. Each codec has its own file, so a bundle contains only the codecs it uses. */
export interface CodecDefinition {
  readonly name: CodecName
  readonly code: number
  readonly levels: Levels
  /**
   * In order of preference: the first available one runs, unless `CodecInit` says otherwise.
   * docs/codecs.md has the measurements behind the order.
   */
  readonly implementations: readonly ImplementationEntry[]
}

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
  const load = async (entry: ImplementationEntry): Promise<Implementation> => loadImplementation(name, entry, workers)
  const compressor = new Lazy(() => entries().filter(({ only }) => only !== 'decompress'), load)
  const decompressor = new Lazy(() => entries().filter(({ only }) => only !== 'compress'), load)
  const streams = new Lazy(() => streamEntries(definition, entries()), loadStreamDecoder)

  return {
    name,
    code,
    levels,

    get implementation () {
      // every codec has at least one of the two
      return (compressor.entry ?? decompressor.entry as ImplementationEntry).name
    },

    async compress (bytes, { level, transfer, signal } = {}) {
      const checked = checkLevel(definition, level)
      checkSize(bytes.byteLength)
      signal?.throwIfAborted()

      if (compressor.entry == null) {
        throw oneDirectionOnly(definition, entries()[0].name, 'decompress')
      }

      const { compress } = await loadCompressor(definition, compressor)
      signal?.throwIfAborted()

      return raceSignal(Promise.resolve(compress(toUint8Array(bytes), checked, { transfer, signal })), signal)
    },

    async decompress (frame, { size, transfer, signal }) {
      checkSize(size)
      signal?.throwIfAborted()

      if (decompressor.entry == null) {
        throw oneDirectionOnly(definition, entries()[0].name, 'compress')
      }

      const { decompress } = await decompressor.load() as Required<Implementation>
      signal?.throwIfAborted()

      const bytes = toUint8Array(frame)
      const decode = async (): Promise<Uint8Array> =>
        raceSignal(Promise.resolve(decompress(bytes, size, { transfer, signal })), signal)

      return decodeExactly(name, size, decode, signal)
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
): Promise<Required<Implementation>> {
  try {
    // `compressor` has no entries that only decompress
    return await compressor.load() as Required<Implementation>
  } catch (err) {
    const reason = `cannot be loaded to compress: ${messageOf(err)}`

    throw new MissingImplementationError(name, compressor.entry?.name ?? 'default', reason, { cause: err })
  }
}

/** The error for an implementation that only compresses or only decompresses. Names the alternatives. */
function oneDirectionOnly (
  { name, implementations }: CodecDefinition,
  implementation: string,
  direction: 'compress' | 'decompress'
): MissingImplementationError {
  const others = implementations.filter(({ only }) => only !== direction).map(({ name }) => name)
  const advice = others.length === 0 ? '' : `: use ${[...new Set(others)].join(' or ')} instead`

  return new MissingImplementationError(name, implementation, `can only ${direction}${advice}`)
}

/** The implementations that were asked for. At least one of them runs here. */
function requestedEntries (
  { name, implementations }: CodecDefinition,
  { implementation, deterministic = false }: CodecInit
): ImplementationEntry[] {
  const entries = implementations.filter(candidate =>
    (implementation == null || candidate.name === implementation) &&
    (!deterministic || candidate.everywhere === true))

  // the last one first: it runs nearly everywhere, so no other is checked
  if (!entries.toReversed().some(({ available }) => available())) {
    throw new MissingImplementationError(name, implementation ?? (deterministic ? 'deterministic' : 'default'),
      deterministic && implementation != null
        ? 'is not the deterministic one, or not available'
        : 'is not available on this platform')
  }

  return entries
}

/** The chosen implementations that can read streams, or all that can if no chosen one does. Every codec has one. */
function streamEntries (
  { implementations }: CodecDefinition,
  chosen: readonly ImplementationEntry[]
): ImplementationEntry[] {
  const reading = implementations.filter(entry => entry.stream != null && entry.available())
  const preferred = reading.filter(entry => chosen.some(({ name }) => name === entry.name))

  return preferred.length > 0 ? preferred : reading
}

/** Loads the first entry that can be loaded, on first use. */
class Lazy<T> {
  readonly #choose: () => readonly ImplementationEntry[]
  readonly #load: (entry: ImplementationEntry) => Promise<T>
  #entries?: readonly ImplementationEntry[]
  #loading?: Promise<T> | undefined

  constructor (choose: () => readonly ImplementationEntry[], load: (entry: ImplementationEntry) => Promise<T>) {
    this.#choose = choose
    this.#load = load
  }

  /** The first entry that has not failed to load. */
  get entry (): ImplementationEntry | undefined {
    return this.#remaining()[0]
  }

  async load (): Promise<T> {
    this.#loading ??= this.#loadFirst()

    try {
      return await this.#loading
    } catch (err) {
      // the network may have failed: the next call tries again
      this.#loading = undefined
      throw err
    }
  }

  async #loadFirst (): Promise<T> {
    const [entry, ...others] = this.#remaining()

    try {
      return await this.#load(entry)
    } catch (err) {
      if (others.length === 0) {
        throw err
      }

      // the platform may have WebAssembly, but a page's policy may forbid it
      this.#entries = others

      return this.#loadFirst()
    }
  }

  #remaining (): readonly ImplementationEntry[] {
    return this.#entries ??= this.#choose()
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
