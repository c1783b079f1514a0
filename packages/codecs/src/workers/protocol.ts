/** To a worker, once, before anything else. Answered with {@link Started}. */
export interface Start {
  modules: readonly WebAssembly.Module[]
}

/** To a worker: one call. Its bytes are transferred. */
export type Request =
  { compress: Uint8Array, level: number } |
  { decompress: Uint8Array, size: number }

/** From a worker: whether it is ready for calls, and why not. */
export interface Started {
  started: boolean
  reason?: string
}

/** From a worker: how its call ended. The bytes are transferred. */
export type Response = { bytes: Uint8Array } | { failure: string, name: string }
