import { codecs } from '../src/all.ts'
import { BROTLI, GZIP, LZ4, LZO, SNAPPY, ZSTD } from '../src/implementations.ts'
import type { Codec, CodecName } from '../src/codec.ts'
import type { ImplementationEntry } from '../src/implementation.ts'

export const TABLE: Readonly<Record<CodecName, readonly ImplementationEntry[]>> = {
  zstd: ZSTD,
  gzip: GZIP,
  lz4: LZ4,
  brotli: BROTLI,
  snappy: SNAPPY,
  lzo: LZO
}

export const NAMES = Object.keys(TABLE) as CodecName[]

const RUNNING = NAMES.flatMap(name => TABLE[name].filter(entry => entry.available()).map(entry => ({
  entry,
  codec: codecs[name]({ implementation: entry.name })
})))

/** Every implementation of every codec that runs here: all of them in Node, in a browser all but the native ones. */
export const ALL: Codec[] = RUNNING.map(({ codec }) => codec)

export const WRITERS: Codec[] = RUNNING.filter(({ entry }) => entry.readsOnly !== true).map(({ codec }) => codec)

export function label (codec: Codec): string {
  return `${codec.name} (${codec.implementation})`
}

export function concat (...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.byteLength, 0))
  let position = 0

  for (const part of parts) {
    bytes.set(part, position)
    position += part.byteLength
  }

  return bytes
}

/** Whether the bytes are the same. Far faster than the matchers on millions of bytes. */
export function same (a: Uint8Array, b: Uint8Array): boolean {
  return a.byteLength === b.byteLength && a.every((byte, i) => byte === b[i])
}

export function toHex (bytes: Uint8Array): string {
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}

export { fromBase64 } from '../src/impl/base64.ts'
export { noise, random, text } from '../../../test/support/data.ts'
