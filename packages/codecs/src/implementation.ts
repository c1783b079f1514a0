import { hasWorkers } from '#platform'
import { WorkersUnavailableError } from './errors.ts'
import { fromBase64 } from './impl/base64.ts'
import { runInWorkers } from './workers/run.ts'
import type { CodecName, ImplementationName } from './codec.ts'
import type { StreamInput } from './stream/stream-input.ts'

/** What an implementation needs to know about a call besides its bytes. */
export interface CallOptions {
  signal?: AbortSignal | null | undefined
  transfer?: boolean | undefined
}

/** The work of a codec, with the checks that all codecs share already done. */
export interface Implementation {
  compress?: (bytes: Uint8Array, level: number, options?: CallOptions) => Uint8Array | Promise<Uint8Array>
  /** Gives at most one byte more than `size`, or throws. */
  decompress?: (frame: Uint8Array, size: number, options?: CallOptions) => Uint8Array | Promise<Uint8Array>
}

/** What a file in impl/ exports. */
export interface ImplementationModule {
  /** @param modules - the compiled WebAssembly, where the implementation has any */
  create: (...modules: WebAssembly.Module[]) => Implementation | Promise<Implementation>
}

/** Reads a stream of any length: as many pieces as it takes, none of them made before it is asked for. */
export type StreamDecoder = (input: StreamInput, options: StreamDecoderOptions) => AsyncIterable<Uint8Array>

export interface StreamDecoderOptions {
  /** The most bytes that a stream may ask for to look back. */
  maxWindowSize: number
}

/** What a file in stream/ exports. */
export interface StreamModule {
  createStream: (...modules: WebAssembly.Module[]) => StreamDecoder | Promise<StreamDecoder>
}

/** A way to run a codec. */
export interface ImplementationEntry {
  readonly name: ImplementationName
  /** Whether it runs here: a capability, not a platform. Asked when a codec is made. */
  readonly available: () => boolean
  /** It does one of the two, and not the other. */
  readonly only?: 'compress' | 'decompress'
  /** It is the same build on every platform, and the one that `deterministic` picks. */
  readonly everywhere?: boolean
  // all of these are loaded on first use, so that importing a codec costs nothing
  readonly load: () => Promise<ImplementationModule>
  /** Streams that others made, where it can read them. */
  readonly stream?: () => Promise<StreamModule>
  /** The same as `load`, as the program of a worker. Native implementations have threads of their own. */
  readonly worker?: () => Promise<{ source: string }>
  /** The WebAssembly modules, in base64. */
  readonly wasm?: () => Promise<{ modules: readonly string[] }>
}

/** Load an implementation: in workers where it has a program for them and there are any, or here. */
export async function loadImplementation (codec: CodecName, entry: ImplementationEntry, workers: boolean): Promise<Implementation> {
  // here also for workers: where a policy forbids it this fails, and the next implementation is tried
  const modules = await compileModules(entry)
  let here: Promise<Implementation> | undefined

  const loadHere = async (): Promise<Implementation> => {
    here ??= entry.load().then(({ create }) => create(...modules))

    try {
      return await here
    } catch (err) {
      // the next call tries again
      here = undefined
      throw err
    }
  }

  if (!workers || entry.worker == null || !hasWorkers()) {
    return loadHere()
  }

  const { source } = await entry.worker()

  return withFallback(runInWorkers({ codec, source, modules }), loadHere)
}

/** Load what reads streams, of an entry that has it. */
export async function loadStreamDecoder (entry: ImplementationEntry): Promise<StreamDecoder> {
  const modules = await compileModules(entry)
  const { createStream } = await (entry.stream as () => Promise<StreamModule>)()

  return createStream(...modules)
}

async function compileModules (entry: ImplementationEntry): Promise<WebAssembly.Module[]> {
  return Promise.all((await entry.wasm?.())?.modules.map(async base64 => WebAssembly.compile(fromBase64(base64))) ?? [])
}

/** Use workers until it turns out that none can be started (a page's policy may forbid it). */
function withFallback (inWorkers: Required<Implementation>, loadHere: () => Promise<Implementation>): Required<Implementation> {
  const run = async (work: (implementation: Required<Implementation>) => Uint8Array | Promise<Uint8Array>): Promise<Uint8Array> => {
    try {
      return await work(inWorkers)
    } catch (err) {
      if (err instanceof WorkersUnavailableError) {
        // nothing is asked of an entry that it is not there for
        return work(await loadHere() as Required<Implementation>)
      }

      throw err
    }
  }

  return {
    compress: async (bytes, level, options) => run(implementation => implementation.compress(bytes, level, options)),
    decompress: async (frame, size, options) => run(implementation => implementation.decompress(frame, size, options))
  }
}
