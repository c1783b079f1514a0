import { constants, zstdCompressSync } from 'node:zlib'
import { decompress } from 'fzstd'
// @ts-expect-error it has no types
import lz4js from 'lz4js'
import { describe, expect, it } from 'vitest'
import { mended } from './installed.ts'

interface Lz4js {
  compressBound (size: number): number
  compressBlock (from: Uint8Array, to: Uint8Array, offset: number, length: number, table: Uint32Array): number
  decompressBlock (from: Uint8Array, to: Uint8Array, offset: number, length: number, toOffset: number): number
}

const lz4 = lz4js as Lz4js

describe('lz4js', () => {
  it('begins a match in the last 12 bytes of a block, which the format forbids', () => {
    const bytes = new TextEncoder().encode('abcdEFGHIJKLMNOPabcd123456')
    const block = new Uint8Array(lz4.compressBound(bytes.byteLength))
    const length = lz4.compressBlock(bytes, block, 0, bytes.byteLength, new Uint32Array(65_536))

    // LZ4 block format, "End of block conditions": the last match starts at least 12 bytes before the end
    expect(lastMatch(block.subarray(0, length)), mended('lz4js', 'packages/codecs/src/format/lz4/lz4-encode.ts'))
      .toBeGreaterThan(bytes.byteLength - 12)
  })

  it('decodes a match that begins before the first byte', () => {
    // the literal "a", then a match 100 bytes back
    const block = Uint8Array.of(0x10, 0x61, 100, 0)
    const output = new Uint8Array(16)

    const length = lz4.decompressBlock(block, output, 0, block.byteLength, 0)

    expect(length, mended('lz4js', 'packages/codecs/src/format/lz4/lz4-block.ts')).toBe(5)
  })
})

describe('fzstd', () => {
  it('reads a frame whose checksum is wrong', () => {
    const bytes = new TextEncoder().encode('hello '.repeat(100))
    const frame = zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 } })
    frame[frame.byteLength - 1] ^= 1

    const back = Buffer.from(decompress(frame))

    expect(back.equals(bytes), mended('fzstd', 'packages/codecs/src/format/zstd/zstd-decode.ts')).toBe(true)
  })
})

/** Where the last match of an LZ4 block begins in the decoded bytes. */
function lastMatch (block: Uint8Array): number {
  let at = 0
  let decoded = 0
  let last = -1

  const extend = (length: number): number => {
    for (let byte = 255; length >= 15 && byte === 255;) {
      byte = block[at++]
      length += byte
    }

    return length
  }

  for (;;) {
    const token = block[at++]
    const literals = extend(token >> 4)
    at += literals
    decoded += literals

    if (at >= block.byteLength) {
      return last
    }

    last = decoded
    at += 2
    decoded += extend(token & 15) + 4
  }
}
