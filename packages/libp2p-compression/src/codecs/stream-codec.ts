/** Compresses one direction of a connection. */
export interface Encoder {
  /** Compress and flush: the result can be decoded without any later bytes. One call at a time. */
  encode: (bytes: Uint8Array) => Uint8Array[] | Promise<Uint8Array[]>
  close: () => void
}

/** Decompresses one direction of a connection. */
export interface Decoder {
  /**
   * Decompress the result of one `encode` call. One call at a time.
   *
   * @throws {CorruptFrameError} the bytes do not decode to exactly `size` bytes. At most 64 KiB more are decoded
   */
  decode: (bytes: Uint8Array, size: number) => Uint8Array[] | Promise<Uint8Array[]>
  close: () => void
}

/** Compresses and decompresses frames of one type. */
export interface StreamCodec {
  /** The first byte of its frames. */
  readonly type: number
  /** Its name in protocol ids. */
  readonly id: string
  /** Whether no frame refers to an earlier one. Then a frame that did not shrink can be dropped, and sent stored. */
  readonly independent: boolean
  readonly maxLevel: number
  createEncoder: (level: number) => Encoder
  createDecoder: () => Decoder
}
