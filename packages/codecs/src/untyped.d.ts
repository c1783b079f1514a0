// the parts used here of packages that carry no types

declare module 'lz4js' {
  const lz4: {
    /** Returns the length of the compressed block, 0 where nothing matched. */
    compressBlock (source: Uint8Array, target: Uint8Array, start: number, length: number, hashTable: Uint32Array): number
  }
  export default lz4
}

declare module 'snappyjs' {
  const snappy: {
    compress (bytes: Uint8Array): Uint8Array
    uncompress (block: Uint8Array, maxLength: number): Uint8Array
  }
  export default snappy
}

declare module 'crc-32/crc32c.js' {
  const crc32c: {
    /** Returns a signed number. */
    buf (bytes: Uint8Array): number
  }
  export default crc32c
}
