/** Compresses one direction of a connection. */
export interface Encoder {
  /** All that the bytes come to, so that it can be decoded without anything that is still to come. One call at a time. */
  encode: (bytes: Uint8Array) => Uint8Array[] | Promise<Uint8Array[]>
  close: () => void
}

/** Decompresses one direction of a connection. */
export interface Decoder {
  /**
   * What one call of `encode` was given. One call at a time.
   *
   * @throws {CorruptFrameError} it is not exactly `size` bytes; no more than 64 KiB beyond them are made
   */
  decode: (bytes: Uint8Array, size: number) => Uint8Array[] | Promise<Uint8Array[]>
  close: () => void
}

/** What frames of one type are made with. */
export interface StreamCodec {
  /** The type of its frames. */
  readonly type: number
  /** What its protocol ids are called by. */
  readonly id: string
  /** No frame refers to one before it, so that one need not be sent although it was compressed. */
  readonly independent: boolean
  readonly maxLevel: number
  createEncoder: (level: number) => Encoder
  createDecoder: () => Decoder
}
