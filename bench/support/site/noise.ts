import { createCipheriv } from 'node:crypto'

/** Bytes that do not compress, from a seed: as fast as the processor encrypts zeros. */
export function noiseOf (length: number, seed: number): Uint8Array {
  const key = Buffer.alloc(16)
  key.writeUInt32LE(seed)

  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(length))
}
