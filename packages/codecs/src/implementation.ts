/** The contract of an implementation, and of its entry in the codec's file. */
import type { ImplementationName } from './codec.ts'
import type { StreamInput } from './stream/stream-input.ts'

/** Options of a call. */
interface CallOptions {
  signal?: AbortSignal | null | undefined
  transfer?: boolean | undefined
}

/** Compresses and decompresses. `createCodec` has validated the arguments. */
export interface Implementation {
  compress?: (bytes: Uint8Array, level: number, options?: CallOptions) => Uint8Array | Promise<Uint8Array>
  /** Returns at most `size + 1` bytes, or throws. */
  decompress?: (frame: Uint8Array, size: number, options?: CallOptions) => Uint8Array | Promise<Uint8Array>
}

/** The exports of a file in impl/. */
export interface ImplementationModule {
  /** @param modules - the compiled WebAssembly modules of the implementation, if any */
  create: (...modules: WebAssembly.Module[]) => Implementation | Promise<Implementation>
}

/** Decodes a stream of any length, on demand. */
export type StreamDecoder = (input: StreamInput, options: StreamDecoderOptions) => AsyncIterable<Uint8Array>

interface StreamDecoderOptions {
  /** The largest window that a stream may need, in bytes. */
  maxWindowSize: number
}

/** The exports of a file in stream/. */
export interface StreamModule {
  createStream: (...modules: WebAssembly.Module[]) => StreamDecoder | Promise<StreamDecoder>
}

/** One implementation of a codec, and how to load it. */
export interface ImplementationEntry {
  readonly name: ImplementationName
  /** Whether it runs here. Tests a capability, not the platform. Called when a codec is created. */
  readonly available: () => boolean
  /** Set if it does only one of the two. */
  readonly only?: 'compress' | 'decompress'
  /** Whether it is the same build on every platform. `deterministic` selects it. */
  readonly everywhere?: boolean
  // loaded on first use, so importing a codec costs nothing
  readonly load: () => Promise<ImplementationModule>
  /** Decodes streams of other tools. Missing if it cannot. */
  readonly stream?: () => Promise<StreamModule>
  /** The same as `load`, as the source of a worker. Native implementations have their own threads. */
  readonly worker?: () => Promise<{ source: string }>
  /** The WebAssembly modules, in base64. */
  readonly wasm?: () => Promise<{ modules: readonly string[] }>
}
