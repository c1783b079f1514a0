import { noise, random, same, text } from '../../../test/support/data.ts'
import { codecs } from '../src/all.ts'
import { BROTLI } from '../src/brotli.ts'
import { GZIP } from '../src/gzip.ts'
import { LZ4 } from '../src/lz4.ts'
import { LZO } from '../src/lzo.ts'
import { SNAPPY } from '../src/snappy.ts'
import { ZSTD } from '../src/zstd.ts'
import type { Codec, CodecName } from '../src/codec.ts'
import type { ImplementationEntry } from '../src/runtime/implementation-entry.ts'

const DEFINITIONS = [ZSTD, GZIP, LZ4, BROTLI, SNAPPY, LZO]

export const TABLE = Object.fromEntries(
  DEFINITIONS.map(({ name, implementations }) => [name, implementations])
) as Readonly<Record<CodecName, readonly ImplementationEntry[]>>

export const NAMES = Object.keys(TABLE) as CodecName[]

/** Each codec with each implementation that runs here: all in Node, all but the native ones in a browser. */
function running (not: 'compress' | 'decompress'): Codec[] {
  return NAMES.flatMap(name => {
    const entries = TABLE[name].filter(entry => entry.only !== not && entry.available())

    return [...new Set(entries.map(entry => entry.name))].map(implementation => codecs[name]({ implementation }))
  })
}

export const ALL: Codec[] = running('compress')

export const WRITERS: Codec[] = running('decompress')

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

export function toHex (bytes: Uint8Array): string {
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}

export { fromBase64 } from '@ipfsz/utils/base64'
export { noise, random, same, text }

/** Bytes that are mostly parts of others, in another order and with other bytes between them. */
export function edited (bytes: Uint8Array, length: number, seed: number = 3): Uint8Array {
  const next = random(seed)
  const result = new Uint8Array(length)

  for (let filled = 0; filled < length;) {
    const start = next() % bytes.byteLength
    const part = bytes.subarray(start, start + 200 + next() % 2000).subarray(0, length - filled)
    result.set(part, filled)
    filled += part.byteLength

    if (filled < length) {
      result[filled++] = next()
    }
  }

  return result
}
