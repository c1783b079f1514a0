/** The contract of an implementation. */
import type { Codec } from './codec.ts'

interface CallOptions {
  signal?: AbortSignal | null | undefined
  transfer?: boolean | undefined
  /** See `CompressOptions.background`. */
  background?: boolean | undefined
  /** Only for implementations whose entry has `dictionaries`. */
  dictionary?: Uint8Array | undefined
  /** Memory that the result of decompressing may be written to. */
  into?: Uint8Array | undefined
}

/** Compresses and decompresses. `createCodec` has validated the arguments. */
export interface Implementation {
  compress?: (bytes: Uint8Array, level: number, options?: CallOptions) => Uint8Array | Promise<Uint8Array>
  /** Returns at most `size + 1` bytes, or throws. */
  decompress?: (frame: Uint8Array, size: number, options?: CallOptions) => Uint8Array | Promise<Uint8Array>
  /** The same as `compress`, at once. Undefined: it cannot. */
  compressSync?: Codec['compressSync']
  /** The same as `decompress`, at once. Undefined: it cannot. */
  decompressSync?: Codec['decompressSync']
  /** Start what so many calls need. Only those that run in workers start anything. */
  prepare?: (calls: number) => void
}

/** One that does both, as those in workers do. */
export type FullImplementation = Implementation & Required<Pick<Implementation, 'compress' | 'decompress' | 'prepare'>>

/** The exports of a file in impl/. */
export interface ImplementationModule {
  /** @param modules - the compiled WebAssembly modules of the implementation, if any */
  create: (...modules: WebAssembly.Module[]) => Implementation | Promise<Implementation>
}
