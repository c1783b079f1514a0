import fc from 'fast-check'
import { expect } from 'vitest'
import { decodeLzo1x } from '../src/format/lzo/lzo1x-decode.ts'
import { encodeLzo1x } from '../src/format/lzo/lzo1x-encode.ts'

export function encode (bytes: Uint8Array): Uint8Array {
  const target = new Uint8Array(bytes.byteLength + Math.floor(bytes.byteLength / 16) + 67)

  return target.slice(0, encodeLzo1x(bytes, target))
}

/** Decode into the middle of a buffer, and check that the bytes around it stay. */
export function decode (stream: Uint8Array, max: number): Uint8Array {
  const target = new Uint8Array(max + 64).fill(0xa5)

  try {
    const end = decodeLzo1x(stream, target, 32, 32 + max)

    return target.slice(32, end)
  } finally {
    const around = [...target.subarray(0, 32), ...target.subarray(32 + max)]
    expect(around.every(byte => byte === 0xa5)).toBe(true)
  }
}

/** Bytes made by a few instructions: literals, and copies of earlier bytes. */
export const structured = fc.array(fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.tuple(fc.nat({ max: 60_000 }), fc.integer({ min: 2, max: 700 }))
), { maxLength: 40 }).map(parts => {
  const bytes: number[] = []

  for (const part of parts) {
    if (part instanceof Uint8Array) {
      bytes.push(...part)
    } else if (bytes.length > 0) {
      const offset = part[0] % bytes.length + 1
      for (let i = 0; i < part[1]; i++) {
        bytes.push(bytes[bytes.length - offset])
      }
    }
  }

  return Uint8Array.from(bytes)
})
