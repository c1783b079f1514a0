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
 * Bind a codec to the implementation that runs it.
 *
 * @throws {MissingImplementationError} the implementation asked for is not available
 */
export function createCodec (definition: CodecDefinition, init: CodecInit = {}): Codec {
  const { name, code, levels, implementations } = definition
  const entry = chooseEntry(definition, init)
  let loading: Promise<Implementation> | undefined

  const load = async (): Promise<Implementation> => {
    loading ??= loadImplementation(name, entry, init.workers ?? true)

    try {
      return await loading
    } catch (err) {
      // perhaps the network failed: the next call tries again
      loading = undefined
      throw err
    }
  }

  return {
    name,
    code,
    levels,
    implementation: entry.name,

    async compress (bytes, { level, transfer, signal } = {}) {
      const checked = checkLevel(definition, level)
      checkSize(bytes.byteLength)
      signal?.throwIfAborted()
      const { compress } = await load()

      if (compress == null) {
        const writers = implementations.filter(({ readsOnly }) => readsOnly !== true).map(({ name }) => name)
        throw new MissingImplementationError(name, entry.name, `only decompresses: compressing takes the ${writers.join(' or ')} one`)
      }

      return raceSignal(compress(bytes, checked, { transfer, signal }), signal)
    },

    async decompress (frame, { size, signal }) {
      checkSize(size)
      signal?.throwIfAborted()
      const { decompress } = await load()

      return decodeExactly(name, size, () => raceSignal(decompress(frame, size, { signal }), signal), signal)
    }
  }
}

function chooseEntry ({ name, implementations }: CodecDefinition, { implementation, deterministic = false }: CodecInit): ImplementationEntry {
  const entry = implementations.find(candidate =>
    (implementation == null || candidate.name === implementation) &&
    (!deterministic || candidate.everywhere === true) &&
    candidate.available())

  if (entry == null) {
    throw new MissingImplementationError(name, implementation ?? (deterministic ? 'deterministic' : 'default'),
      deterministic && implementation != null ? 'is not the deterministic one, or not available' : 'is not available on this platform')
  }

  return entry
}

function checkSize (size: number): void {
  if (!Number.isInteger(size) || size < 0 || size > MAX_FRAME_SIZE) {
    throw new FrameTooLargeError(size, MAX_FRAME_SIZE)
  }
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
