/** To a worker, once, before anything else. Answered with {@link Ready}. */
export interface Start {
  module: WebAssembly.Module | undefined
}

/** To a worker: one call. Its bytes are transferred. */
export type Request =
  { compress: Uint8Array, level: number } |
  { decompress: Uint8Array, size: number }

/** From a worker: it has started. */
export interface Ready {
  ready: true
}

/** From a worker: how its call ended. The bytes are transferred. */
export type Response = { bytes: Uint8Array } | { failure: string }
