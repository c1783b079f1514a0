import { createCipheriv } from 'node:crypto'
import { text } from '../../../test/support/data.ts'
import type { SiteObject } from './messages.ts'

/** What texts are cut out of. Made once for objects of a size: 16 MiB take a second. */
let source: Uint8Array = new Uint8Array(0)

/** How often a text says which one it is, in bytes: so that no two objects share a block. */
const STAMP = 1024

/** The bytes of an object: the same for the same object. */
export function bytesOf ({ size, compressible, seed }: SiteObject): Uint8Array {
  return compressible ? textOf(size, seed) : noiseOf(size, seed)
}

function textOf (size: number, seed: number): Uint8Array {
  if (source.byteLength < 2 * size) {
    source = text(2 * size)
  }

  const start = seed * 65_521 % size
  const bytes = source.slice(start, start + size)
  const stamp = Buffer.from(`${seed} `).subarray(0, size)

  for (let at = 0; at + stamp.byteLength <= size; at += STAMP) {
    bytes.set(stamp, at)
  }

  return bytes
}

/** As fast as the processor encrypts zeros. */
function noiseOf (size: number, seed: number): Uint8Array {
  const key = Buffer.alloc(16)
  key.writeUInt32LE(seed)

  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(size))
}
