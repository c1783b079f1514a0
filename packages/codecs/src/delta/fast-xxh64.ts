import { createXXHash64 } from 'hash-wasm'
import { xxh64Low } from '../format/checksums/xxh64.ts'

/** Computes the lower 32 bits of XXH64 with the seed 0. */
export type Xxh64Low = (bytes: Uint8Array) => number

/** WebAssembly, which takes a tenth of the time of our own, or else that: a page's policy may forbid WebAssembly. */
export async function fastXxh64 (): Promise<Xxh64Low> {
  try {
    const hasher = await createXXHash64()

    return bytes => {
      // in big endian
      const digest = hasher.init().update(bytes).digest('binary')

      return new DataView(digest.buffer, digest.byteOffset).getUint32(4)
    }
  } catch {
    return xxh64Low
  }
}
