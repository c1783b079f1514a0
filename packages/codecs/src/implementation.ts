/** What an implementation of a codec has, and how it is listed in the codec's file. */
import type { ImplementationName } from './codec.ts'
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
