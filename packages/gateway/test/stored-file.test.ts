import { constants, zstdCompressSync } from 'node:zlib'
import { gzip } from '@ipfsz/codecs/gzip'
import { zstd } from '@ipfsz/codecs/zstd'
import { describe, expect, it } from 'vitest'
import { canSend, chooseRepresentation, openFrames } from '../src/respond/stored-file.ts'
import { KIB, text } from './fixtures.ts'
import type { CodecName } from '@ipfsz/codecs'

/** The bytes that a gzip member has besides its blocks. */
const MEMBER = 26

function file (codec: CodecName, frames: number, frameSize: number): Parameters<typeof chooseRepresentation>[0] {
  const frameLengths = Array.from({ length: frames }, () => 1000)

  return { codec, frameSize, frameLengths, length: frames * 1000 }
}

/** The start of a zstd frame. */
function frame (descriptor: number, ...rest: number[]): Uint8Array {
  return Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, descriptor, ...rest, ...new Uint8Array(18))
}

describe('the representation of a stored file', () => {
  it.each<[CodecName, number, number, string, string | undefined, boolean, number]>([
    // codec, frames, frame size, what the client takes, coding, joined, length
    ['zstd', 1, 100_000, 'zstd', 'zstd', false, 1000],
    ['zstd', 3, 64 * KIB, 'zstd', 'zstd', false, 3000],
    ['zstd', 3, 16 * KIB, 'br zstd', 'zstd', false, 3000],
    ['zstd', 3, 100_000, 'zstd', undefined, false, 0],
    ['zstd', 3, 64 * KIB + 1, 'zstd', undefined, false, 0],
    ['zstd', 1, 64 * KIB, 'br gzip', undefined, false, 0],
    ['gzip', 1, 100_000, 'gzip', 'gzip', false, 1000],
    ['gzip', 3, 100_000, 'gzip', 'gzip', true, 3 * (1000 - MEMBER) + MEMBER],
    ['gzip', 3, 64 * KIB, 'br zstd', undefined, false, 0],
    ['brotli', 1, 100_000, 'br', 'br', false, 1000],
    ['brotli', 2, 64 * KIB, 'br', undefined, false, 0],
    ['brotli', 1, 64 * KIB, 'gzip', undefined, false, 0],
    ['lz4', 1, 64 * KIB, 'br gzip zstd', undefined, false, 0],
    ['snappy', 1, 64 * KIB, 'br gzip zstd', undefined, false, 0],
    ['lzo', 1, 64 * KIB, 'br gzip zstd', undefined, false, 0],
    ['zstd', 0, 64 * KIB, 'zstd', undefined, false, 0]
  ])('of %s with %d frames of %d bytes for a client of %s is %s', (
    codec, frames, frameSize, accepted, coding, joined, length
  ) => {
    const chosen = chooseRepresentation(file(codec, frames, frameSize), name => accepted.split(' ').includes(name))

    expect(chosen).toEqual(coding == null ? undefined : { coding, joined, length })
  })

  it('sends zstd only with a window that clients accept', async () => {
    const zstdFile = { coding: 'zstd', joined: false, length: 0 } as const

    expect(canSend(zstdFile, await zstd().compress(text(200 * KIB)))).toBe(true)
    // the window descriptor: 2^23, 2^23 + 1/8, 2^24
    expect(canSend(zstdFile, frame(0x00, 13 << 3))).toBe(true)
    expect(canSend(zstdFile, frame(0x00, 13 << 3 | 1))).toBe(false)
    expect(canSend(zstdFile, frame(0x00, 14 << 3))).toBe(false)
    // a single segment, of as many bytes: 8 MiB, one more, 2^63
    expect(canSend(zstdFile, frame(0xa0, 0, 0, 0x80, 0))).toBe(true)
    expect(canSend(zstdFile, frame(0xa0, 1, 0, 0x80, 0))).toBe(false)
    expect(canSend(zstdFile, frame(0xe0, 0, 0, 0, 0, 0, 0, 0, 0x80))).toBe(false)
    // of 2 bytes, behind the number of a dictionary
    expect(canSend(zstdFile, frame(0x63, 1, 2, 3, 4, 0xff, 0xff))).toBe(true)
    // a skippable frame, and no frame
    expect(canSend(zstdFile, Uint8Array.of(0x5e, 0x2a, 0x4d, 0x18, 0, 0, 0, 0))).toBe(false)
    expect(canSend(zstdFile, new Uint8Array(0))).toBe(false)
    expect(canSend(zstdFile, frame(0xe0).subarray(0, 8))).toBe(false)
  })

  it('sends zstd with a dictionary only with a window that clients accept, and a checksum', () => {
    const delta = { coding: 'dcz', joined: false, length: 0 } as const

    expect(canSend(delta, frame(0x04, 13 << 3))).toBe(true)
    expect(canSend(delta, frame(0x04, 13 << 3 | 1))).toBe(false)
    expect(canSend(delta, frame(0x00, 13 << 3))).toBe(false)
  })

  it('sends no zstd with checksums, behind which Node may stop', async () => {
    const params = { [constants.ZSTD_c_checksumFlag]: 1 }

    for (const [options, sent] of [[{}, true], [{ params }, false]] as const) {
      const bytes = zstdCompressSync(text(1000), { pledgedSrcSize: 1000, ...options })

      expect(canSend({ coding: 'zstd', joined: false, length: 0 }, bytes)).toBe(sent)
    }
  })

  it('joins only gzip members that were written to be joined', async () => {
    const ours = await gzip().compress(text(1000))
    const theirs = new Uint8Array(Buffer.from('1f8b080000000000000303000000000000000000', 'hex'))

    expect(canSend({ coding: 'gzip', joined: true, length: 0 }, ours)).toBe(true)
    expect(canSend({ coding: 'gzip', joined: true, length: 0 }, theirs)).toBe(false)
    expect(canSend({ coding: 'gzip', joined: false, length: 0 }, theirs)).toBe(true)
    expect(canSend({ coding: 'gzip', joined: false, length: 0 }, new Uint8Array(20))).toBe(false)
  })

  it('is told by the first bytes, in pieces of any length', async () => {
    for (const length of [1, 7, 100]) {
      const bytes = text(100)
      const pieces = (async function * (): AsyncGenerator<Uint8Array> {
        for (let i = 0; i < bytes.byteLength; i += length) {
          yield bytes.subarray(i, i + length)
        }
      })()

      const { start, frames } = await openFrames(pieces)

      expect(start).toEqual(bytes.subarray(0, 18))
      expect(Buffer.concat(await Array.fromAsync(frames))).toEqual(Buffer.from(bytes))
    }
  })
})
