/** The first message to a worker. It answers with {@link Started}. */
export interface Start {
  modules: readonly WebAssembly.Module[]
}

/** A call, to a worker. Its bytes are transferred, and so is the copy of a dictionary. */
export type Request =
  { compress: Uint8Array, level: number, dictionary?: Uint8Array | undefined } |
  { decompress: Uint8Array, size: number, dictionary?: Uint8Array | undefined }

/** From a worker: whether it is ready for calls, or why not. */
export interface Started {
  started: boolean
  reason?: string
}

/** The result of a call, from a worker. Its bytes are transferred. */
export type Response = { bytes: Uint8Array } | Failure

/** The error of a call. */
export interface Failure {
  /** The reason in a `CorruptFrameError`, or the message of another error. */
  failure: string
  name: string
  /** That of a `CorruptFrameError`. */
  needsDictionary?: boolean
}
