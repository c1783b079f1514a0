import { checkLevel } from './codec.ts'
import { MAX_FRAME_SIZE } from './constants.ts'
import { CorruptFrameError, FrameTooLargeError, MissingImplementationError, WorkerCrashedError } from './errors.ts'
import { loadImplementation } from './implementation.ts'
import type { Codec, CodecInit, CodecName, Levels } from './codec.ts'
import type { Implementation, ImplementationEntry } from './implementation.ts'

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
  const compressor = new Lazy(name, entries.filter(({ only }) => only !== 'decompress'), workers)
  const decompressor = new Lazy(name, entries.filter(({ only }) => only !== 'compress'), workers)

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

      // entries that only decompress were left out above
      const { compress } = await compressor.load() as Required<Implementation>
      signal?.throwIfAborted()

      return raceSignal(compress(plain(bytes), checked, { transfer, signal }), signal)
    },

    async decompress (frame, { size, signal }) {
      checkSize(size)
      signal?.throwIfAborted()

      if (decompressor.entry == null) {
        throw new MissingImplementationError(name, entries[0].name, `only compresses: decompressing takes the ${others(definition, 'compress')} one`)
      }

      const { decompress } = await decompressor.load() as Required<Implementation>
      signal?.throwIfAborted()

      return decodeExactly(name, size, () => raceSignal(decompress(plain(frame), size, { signal }), signal), signal)
    }
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

/** The first of some entries that can be loaded, loaded when it is needed. */
class Lazy {
  readonly #codec: CodecName
  readonly #workers: boolean
  #entries: readonly ImplementationEntry[]
  #loading?: Promise<Implementation> | undefined

  constructor (codec: CodecName, entries: readonly ImplementationEntry[], workers: boolean) {
    this.#codec = codec
    this.#entries = entries
    this.#workers = workers
  }

  /** The one that runs, as far as is known. */
  get entry (): ImplementationEntry | undefined {
    return this.#entries[0]
  }

  async load (): Promise<Implementation> {
    this.#loading ??= this.#loadFirst()

    try {
      return await this.#loading
    } catch (err) {
      // perhaps the network failed: the next call tries again
      this.#loading = undefined
      throw err
    }
  }

  async #loadFirst (): Promise<Implementation> {
    const [entry, ...others] = this.#entries

    try {
      return await loadImplementation(this.#codec, entry, this.#workers)
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

async function decodeExactly (name: CodecName, size: number, decode: () => Promise<Uint8Array>, signal: AbortSignal | null | undefined): Promise<Uint8Array> {
  let bytes: Uint8Array

  try {
    bytes = await decode()
  } catch (err) {
    if (signal?.aborted === true || err instanceof CorruptFrameError || err instanceof WorkerCrashedError) {
      throw err
    }

    throw new CorruptFrameError(name, err instanceof Error ? err.message : String(err), { cause: err })
  }

  if (bytes.byteLength !== size) {
    throw new CorruptFrameError(name, `it decodes to ${bytes.byteLength} bytes instead of ${size}`)
  }

  return bytes
}

/** The outcome, or the signal's reason as soon as it is aborted: what runs natively cannot be told to stop. */
async function raceSignal (outcome: Uint8Array | Promise<Uint8Array>, signal: AbortSignal | null | undefined): Promise<Uint8Array> {
  if (signal == null || !(outcome instanceof Promise)) {
    return outcome
  }

  return new Promise((resolve, reject) => {
    const onAbort = (): void => { reject(signal.reason) }

    signal.addEventListener('abort', onAbort, { once: true })
    outcome.then(resolve, reject).finally(() => { signal.removeEventListener('abort', onAbort) })
  })
}
