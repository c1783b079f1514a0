import { raceSignal } from 'race-signal'
import { checkLevel } from '../codec.ts'
import { MAX_FRAME_SIZE } from '../constants.ts'
import { CorruptFrameError, FrameTooLargeError, MissingImplementationError, WorkerCrashedError } from '../errors.ts'
import { loadImplementation, loadStreamDecoder } from './load-implementation.ts'
import type { Codec, CodecInit, CodecName, Levels } from '../codec.ts'
import type { Implementation, ImplementationEntry } from '../implementation.ts'

/**
 * What a codec is. One file a codec, so that a bundle holds only what it uses.
 */
export interface CodecDefinition {
  readonly name: CodecName
  readonly code: number
  readonly levels: Levels
  /**
   * The preferred one first: the first that is available runs, unless a factory is
   * told otherwise. docs/codecs.md has the measurements that the order follows.
   */
  readonly implementations: readonly ImplementationEntry[]
}

/**
 * Bind a codec to the implementations that run it: the first that can compress, and
 * the first that can decompress.
 *
 * @throws {MissingImplementationError} the implementation asked for is not available
 */
export function createCodec (definition: CodecDefinition, init: CodecInit = {}): Codec {
  const { name, code, levels } = definition
  const entries = chooseEntries(definition, init)
  const workers = init.workers ?? true
  const load = async (entry: ImplementationEntry): Promise<Implementation> => loadImplementation(name, entry, workers)
  const compressor = new Lazy(entries.filter(({ only }) => only !== 'decompress'), load)
  const decompressor = new Lazy(entries.filter(({ only }) => only !== 'compress'), load)
  const streams = new Lazy(streamEntries(definition, entries), loadStreamDecoder)

  return {
    name,
    code,
    levels,

    get implementation () {
      // there is none that compresses only and has nothing beside it
      return (compressor.entry ?? decompressor.entry as ImplementationEntry).name
    },

    async compress (bytes, { level, transfer, signal } = {}) {
      const checked = checkLevel(definition, level)
      checkSize(bytes.byteLength)
      signal?.throwIfAborted()

      if (compressor.entry == null) {
        throw new MissingImplementationError(name, entries[0].name, `only decompresses: compressing takes the ${others(definition, 'decompress')} one`)
      }

      const { compress } = await loadCompressor(definition, compressor)
      signal?.throwIfAborted()

      return raceSignal(Promise.resolve(compress(plain(bytes), checked, { transfer, signal })), signal)
    },

    async decompress (frame, { size, transfer, signal }) {
      checkSize(size)
      signal?.throwIfAborted()

      if (decompressor.entry == null) {
        throw new MissingImplementationError(name, entries[0].name, `only compresses: decompressing takes the ${others(definition, 'compress')} one`)
      }

      const { decompress } = await decompressor.load() as Required<Implementation>
      signal?.throwIfAborted()

      const bytes = plain(frame)

      return decodeExactly(name, size, () => raceSignal(Promise.resolve(decompress(bytes, size, { transfer, signal })), signal), signal)
    },

    async * decompressStream (source, options) {
      const { decompressStream } = await import('../stream/decompress-stream.ts')

      yield * decompressStream(name, await streams.load(), source, options)
    }
  }
}

/** @throws {MissingImplementationError} none of those that compress can be loaded, as where a policy forbids WebAssembly */
async function loadCompressor ({ name }: CodecDefinition, compressor: Lazy<Implementation>): Promise<Required<Implementation>> {
  try {
    // entries that only decompress have been left out
    return await compressor.load() as Required<Implementation>
  } catch (err) {
    throw new MissingImplementationError(name, compressor.entry?.name ?? 'default', `cannot be loaded, which compressing takes: ${err instanceof Error ? err.message : String(err)}`, { cause: err })
  }
}

/** The names of the implementations that do more than one of the two. */
function others ({ implementations }: CodecDefinition, not: 'compress' | 'decompress'): string {
  return [...new Set(implementations.filter(({ only }) => only !== not).map(({ name }) => name))].join(' or ')
}

/** Those that were asked for and run here, at least one. */
function chooseEntries ({ name, implementations }: CodecDefinition, { implementation, deterministic = false }: CodecInit): ImplementationEntry[] {
  const entries = implementations.filter(candidate =>
    (implementation == null || candidate.name === implementation) &&
    (!deterministic || candidate.everywhere === true) &&
    candidate.available())

  if (entries.length === 0) {
    throw new MissingImplementationError(name, implementation ?? (deterministic ? 'deterministic' : 'default'),
      deterministic && implementation != null ? 'is not the deterministic one, or not available' : 'is not available on this platform')
  }

  return entries
}

/** Those that read streams, and were chosen where any of them was. Each codec has one that runs everywhere. */
function streamEntries ({ implementations }: CodecDefinition, chosen: readonly ImplementationEntry[]): ImplementationEntry[] {
  const reading = implementations.filter(entry => entry.stream != null && entry.available())
  const preferred = reading.filter(entry => chosen.some(({ name }) => name === entry.name))

  return preferred.length > 0 ? preferred : reading
}

/** The first of some entries that can be loaded, loaded when it is needed. */
class Lazy<T> {
  readonly #load: (entry: ImplementationEntry) => Promise<T>
  #entries: readonly ImplementationEntry[]
  #loading?: Promise<T> | undefined

  constructor (entries: readonly ImplementationEntry[], load: (entry: ImplementationEntry) => Promise<T>) {
    this.#entries = entries
    this.#load = load
  }

  /** The one that runs, as far as is known. */
  get entry (): ImplementationEntry | undefined {
    return this.#entries[0]
  }

  async load (): Promise<T> {
    this.#loading ??= this.#loadFirst()

    try {
      return await this.#loading
    } catch (err) {
      // perhaps the network failed: the next call tries again
      this.#loading = undefined
      throw err
    }
  }

  async #loadFirst (): Promise<T> {
    const [entry, ...others] = this.#entries

    try {
      return await this.#load(entry)
    } catch (err) {
      if (others.length === 0) {
        throw err
      }

      // a page's policy may forbid WebAssembly although there is some
      this.#entries = others

      return this.#loadFirst()
    }
  }
}

function checkSize (size: number): void {
  if (!Number.isInteger(size) || size < 0 || size > MAX_FRAME_SIZE) {
    throw new FrameTooLargeError(size, MAX_FRAME_SIZE)
  }
}

/** A Uint8Array of this realm, and no Buffer: what is beneath tells them apart. */
function plain ({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** No fault of the frame. The engines have a class for it, and texts of their own. */
function isOutOfMemory (err: unknown): boolean {
  return err instanceof Error && err.name === 'RangeError' && /memory|allocation/i.test(err.message)
}

async function decodeExactly (name: CodecName, size: number, decode: () => Promise<Uint8Array>, signal: AbortSignal | null | undefined): Promise<Uint8Array> {
  let bytes: Uint8Array

  try {
    bytes = await decode()
  } catch (err) {
    if (signal?.aborted === true || err instanceof CorruptFrameError || err instanceof WorkerCrashedError || isOutOfMemory(err)) {
      throw err
    }

    throw new CorruptFrameError(name, err instanceof Error ? err.message : String(err), { cause: err })
  }

  if (bytes.byteLength !== size) {
    throw new CorruptFrameError(name, `it decodes to ${bytes.byteLength} bytes instead of ${size}`)
  }

  return bytes
}
