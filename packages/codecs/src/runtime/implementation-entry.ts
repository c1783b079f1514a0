import type { CodecName, ImplementationName } from '../codec.ts'
import type { FullImplementation, ImplementationModule } from '../implementation.ts'
import type { StreamModule } from '../stream/stream-decoder.ts'

/** One implementation of a codec, and how to load it. */
export interface ImplementationEntry {
  readonly name: ImplementationName
  /** Whether it runs here. Tests a capability, not the platform. May load an addon. */
  readonly available: () => boolean
  /** Set if it does only one of the two. */
  readonly only?: 'compress' | 'decompress'
  /** Whether it is the same build on every platform. `deterministic` selects it. */
  readonly everywhere?: boolean
  /** Whether it takes dictionaries here. Missing if it never does. */
  readonly dictionaries?: () => boolean
  // loaded on first use, so importing a codec costs nothing
  readonly load: () => Promise<ImplementationModule>
  /** Decodes streams of other tools. Missing if it cannot. */
  readonly stream?: () => Promise<StreamModule>
  /**
   * The same as `load`, in workers: `inWorkers` makes it. Loads their program, and returns what creates the
   * implementation. Native implementations have their own threads.
   */
  readonly worker?: (
    codec: CodecName
  ) => Promise<(modules: readonly WebAssembly.Module[]) => FullImplementation>
  /** The WebAssembly modules, in base64. */
  readonly wasm?: () => Promise<{ modules: readonly string[] }>
}
