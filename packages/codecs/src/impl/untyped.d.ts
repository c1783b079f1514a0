// types for packages without their own: only the parts that we use

declare module 'snappyjs' {
  const snappy: {
    compress (bytes: Uint8Array): Uint8Array
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
