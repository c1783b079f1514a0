import type { StreamInput } from './stream-input.ts'

/** Decodes a stream of any length, on demand. */
export type StreamDecoder = (input: StreamInput, options: StreamDecoderOptions) => AsyncIterable<Uint8Array>

interface StreamDecoderOptions {
  /** The largest window that a stream may need, in bytes. */
  maxWindowSize: number
}

/** The exports of a file of this room that decodes streams. */
export interface StreamModule {
  createStream: (...modules: WebAssembly.Module[]) => StreamDecoder | Promise<StreamDecoder>
}
