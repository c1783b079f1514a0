import {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzipSync,
  zstdCompressSync
} from 'node:zlib'
import { xxHash32 } from 'js-xxhash'
import { describe, expect, it } from 'vitest'
import { codecs } from '../src/all.ts'
import { adler32 } from '../src/format/checksums/adler32.ts'
import * as bigEndian from '../src/format/bytes/big-endian.ts'
import { encodeLzopHeader } from '../src/format/lzo/lzop-header-encode.ts'
import { concat, fromBase64, noise, same, text } from './fixtures.ts'
import {
  bigUint32,
  lz4Block,
  lz4Frame,
  lz4Match,
  skippable,
  snappyChunk,
  uint32,
  zeros,
  zstdBlock
} from './stream-frames.ts'
import { decompress, outcome, read, STREAMS, WatchedSource } from './stream-fixtures.ts'
import type { Codec, CodecName } from '../src/codec.ts'

const MIB = 1024 * 1024
const GIB = 1024 * MIB

function of (name: CodecName): Array<readonly [string, Codec]> {
  return STREAMS.filter(([, codec]) => codec.name === name).map(([label, codec]) => [label, codec] as const)
}

describe.each([
  ['zstd', () => createZstdCompress()],
  ['brotli', () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ['gzip', () => createGzip({ level: 1 })]
] as const)('a stream of 1 GiB of zeros in %s', (name, create) => {
  it('is read on demand, in pieces of at most 1 MiB', { tags: 'slow' }, async () => {
    const bomb = await zeros(create(), GIB)

    for (const [label, codec] of of(name)) {
      // only the native decoder, which is fast, reads to the end
      const wanted = codec.implementation === 'native' ? GIB : GIB / 4
      let size = 0

      for await (const piece of decompress(codec, new WatchedSource(number => number === 0 ? bomb : undefined))) {
        expect(piece.byteLength).toBeLessThanOrEqual(MIB)
        size += piece.byteLength

        if (size >= wanted) {
          break
        }
      }

      expect(size, label).toBe(wanted)
    }
  })
})

describe.each(of('zstd'))('%s', (_, codec) => {
  const TEXT = text(300)
  const magic = fromBase64('KLUv/Q==')
  const stored = zstdBlock(0, 300, TEXT)

  it('reads frames without a content size, and skips skippable frames anywhere', async () => {
    const frame = concat(magic, Uint8Array.of(0, 0), stored)
    const frames = concat(skippable(0), frame, skippable(999), frame, skippable(1))
    expect(same(await read(codec, frames), concat(TEXT, TEXT))).toBe(true)
  })

  it('refuses windows above 8 MiB unless maxWindowSize allows them', async () => {
    for (
      const [descriptor, size] of [[13 << 3 | 1, 9 * MIB], [14 << 3, 16 * MIB], [21 << 3, 2 * GIB], [
        0xff,
        3.75 * 2 ** 40
      ]]
    ) {
      const frame = concat(magic, Uint8Array.of(0, descriptor), stored)
      await expect(read(codec, frame))
        .rejects.toMatchObject({ name: 'WindowTooLargeError', codec: 'zstd', size, max: 8 * MIB })
    }

    const allowed = concat(magic, Uint8Array.of(0, 14 << 3), stored)
    expect(await outcome(codec, allowed, { maxWindowSize: 16 * MIB })).toBe(300)
    // more than any decoder takes is no reason to refuse what it does
    for (const maxWindowSize of [2 * GIB, 2 * GIB + 1, 4 * GIB, 2 ** 50, Number.POSITIVE_INFINITY]) {
      expect(await outcome(codec, allowed, { maxWindowSize }), `${maxWindowSize}`).toBe(300)
      expect(await outcome(codec, concat(magic, Uint8Array.of(0, 22 << 3), stored), { maxWindowSize }))
        .toBe('WindowTooLargeError')
    }

    // a frame of one segment is its own window
    expect(await outcome(codec, concat(magic, Uint8Array.of(0xa0), uint32(9 * MIB), stored)))
      .toBe('WindowTooLargeError')
  })

  it('reads a frame with a window of 8 MiB', { tags: 'slow' }, async () => {
    const bytes = concat(
      noise(MIB),
      text(7 * MIB - 1000),
      noise(MIB),
      text(20 * MIB, 2),
      noise(MIB),
      text(7 * MIB - 1000)
    )
    const frame = zstdCompressSync(bytes, {
      params: {
        [constants.ZSTD_c_windowLog]: 23,
        [constants.ZSTD_c_enableLongDistanceMatching]: 1,
        [constants.ZSTD_c_checksumFlag]: 1
      }
    })
    expect(same(await read(codec, new Uint8Array(frame)), bytes)).toBe(true)
  })

  it('refuses dictionaries, reserved bits and blocks, and blocks that are too long', async () => {
    for (const descriptor of [0x21, 0x23, 0x08, 0x28]) {
      expect(await outcome(codec, concat(magic, Uint8Array.of(descriptor, 0, 0, 0, 0, 0), stored)))
        .toBe('CorruptFrameError')
    }

    expect(await outcome(codec, concat(magic, Uint8Array.of(0, 0), zstdBlock(3, 300, TEXT)))).toBe('CorruptFrameError')
    // a window of 1 KiB
    expect(await outcome(codec, concat(magic, Uint8Array.of(0, 0), zstdBlock(1, 1025, text(1)))))
      .toBe('CorruptFrameError')
    expect(await outcome(codec, concat(magic, Uint8Array.of(0, 0x50), zstdBlock(1, 128 * 1024 + 1, text(1)))))
      .toBe('CorruptFrameError')
  })

  it('refuses a wrong content size or checksum', async () => {
    for (const size of [0, 299, 301, 600]) {
      expect(await outcome(codec, concat(magic, Uint8Array.of(0x80, 0), uint32(size), stored)), `${size}`)
        .toBe('CorruptFrameError')
    }

    const frame = new Uint8Array(zstdCompressSync(text(300_000), { params: { [constants.ZSTD_c_checksumFlag]: 1 } }))
    expect(await outcome(codec, frame)).toBe(300_000)
    frame[frame.byteLength - 1] ^= 1
    expect(await outcome(codec, frame)).toBe('CorruptFrameError')
  })

  it('refuses matches into the previous frame', async () => {
    // no literals, and one sequence whose codes take no bits: a match of 3 bytes, 4 bytes back
    const match = zstdBlock(2, 7, Uint8Array.of(0, 1, 0x54, 0, 0, 0, 1))
    const header = concat(magic, Uint8Array.of(0, 0))
    const first = zstdBlock(0, 300, TEXT, false)

    expect(same(await read(codec, concat(header, first, match)), concat(TEXT, TEXT.subarray(296, 299)))).toBe(true)
    expect(await outcome(codec, concat(header, first, match, header, match))).toBe('CorruptFrameError')
  })

  it('yields to the event loop in an endless run of empty frames', async () => {
    const empty = concat(magic, Uint8Array.of(0x20, 0), zstdBlock(0, 0, new Uint8Array(0)))

    for (const endless of [empty, skippable(0), concat(skippable(500))]) {
      const many = concat(...Array.from({ length: 100 }, () => endless))
      const reading = Array.fromAsync(
        decompress(codec, new WatchedSource(() => many), { signal: AbortSignal.timeout(30) })
      )
      await expect(reading).rejects.toMatchObject({ name: 'TimeoutError' })
    }
  })
})

describe.each(of('lz4'))('%s', (_, codec) => {
  const NOTHING = new Uint8Array(0)
  const end = uint32(0)

  it('reads linked blocks far longer than the history of 64 KiB', { tags: 'slow' }, async () => {
    const first = noise(60_000)
    const linked = Array.from({ length: 5000 }, () => lz4Block(lz4Match(60_000, 18), false))
    const bytes = await read(codec, lz4Frame(0, 0x40, NOTHING, lz4Block(first, true), ...linked, end))
    const expected = new Uint8Array(60_000 + 5000 * 23)
    expected.set(first)

    for (let at = 60_000; at < expected.byteLength; at += 23) {
      expected.copyWithin(at, at - 60_000, at - 60_000 + 18)
      expected.set(text(5), at + 18)
    }

    expect(same(bytes, expected)).toBe(true)
  })

  it('refuses matches that reach before the first block, or before an independent block', async () => {
    expect(
      await outcome(
        codec,
        lz4Frame(0, 0x40, NOTHING, lz4Block(text(100), true), lz4Block(lz4Match(101, 4), false), end)
      )
    ).toBe('CorruptFrameError')
    expect(
      await outcome(
        codec,
        lz4Frame(0x20, 0x40, NOTHING, lz4Block(text(100), true), lz4Block(lz4Match(50, 4), false), end)
      )
    ).toBe('CorruptFrameError')
    // the previous block belongs to another frame
    const good = lz4Frame(0, 0x40, NOTHING, lz4Block(text(100), true), end)
    expect(await outcome(codec, concat(good, lz4Frame(0, 0x40, NOTHING, lz4Block(lz4Match(50, 4), false), end))))
      .toBe('CorruptFrameError')
  })

  it('refuses dictionaries, other versions, blocks that are too long, and the legacy format', async () => {
    for (const bad of [
      lz4Frame(0x01, 0x40, uint32(7), end),
      lz4Frame(0x02, 0x40, NOTHING, end),
      lz4Frame(0x80, 0x40, NOTHING, end),
      lz4Frame(0, 0x30, NOTHING, end),
      lz4Frame(0, 0x41, NOTHING, end),
      lz4Frame(0, 0x40, NOTHING, lz4Block(noise(65_537), true), end),
      lz4Frame(0, 0x40, NOTHING, uint32(0x7fffffff), noise(1000)),
      lz4Frame(0, 0x40, NOTHING, end).with(6, 1)
    ]) {
      expect(await outcome(codec, bad)).toBe('CorruptFrameError')
    }

    await expect(read(codec, concat(uint32(0x184c2102), text(100))))
      .rejects.toMatchObject({ name: 'CorruptFrameError', reason: 'it is a frame of the legacy format' })
  })

  it('refuses a wrong content size or checksum', async () => {
    const content = text(100)
    const hash = uint32(xxHash32(content, 0))
    const stored = lz4Block(content, true)
    const size = concat(uint32(100), uint32(0))

    expect(await outcome(codec, lz4Frame(0x1c, 0x40, size, stored, hash, end, hash))).toBe(100)
    expect(await outcome(codec, lz4Frame(0x1c, 0x40, size, stored, hash.with(0, hash[0] ^ 1), end, hash)))
      .toBe('CorruptFrameError')
    expect(await outcome(codec, lz4Frame(0x1c, 0x40, size, stored, hash, end, hash.with(3, hash[3] ^ 1))))
      .toBe('CorruptFrameError')
    expect(await outcome(codec, lz4Frame(0x1c, 0x40, size.with(0, 99), stored, hash, end, hash)))
      .toBe('CorruptFrameError')
  })
})

describe.each(of('gzip'))('%s', (_, codec) => {
  it('reads all header fields and trailing zeros, but refuses a member after zeros and reserved flags', async () => {
    const member = new Uint8Array(gzipSync(text(1000)))
    const header = concat(
      Uint8Array.of(0x1f, 0x8b, 8, 0x1c),
      member.subarray(4, 10),
      Uint8Array.of(3, 0, 1, 2, 3),
      text(20),
      Uint8Array.of(0),
      text(9),
      Uint8Array.of(0)
    )
    const full = concat(header, member.subarray(10))

    expect(await outcome(codec, concat(full, member))).toBe(2000)
    expect(await outcome(codec, concat(member, new Uint8Array(100_000)))).toBe(1000)
    expect(await outcome(codec, concat(member, new Uint8Array(100_000), member))).toBe('CorruptFrameError')
    expect(await outcome(codec, full.with(3, 0xfc))).toBe('CorruptFrameError')
  })

  it('refuses a wrong checksum or length in any member', async () => {
    const member = new Uint8Array(gzipSync(text(1000)))

    for (const back of [1, 8]) {
      const bad = member.with(member.byteLength - back, member[member.byteLength - back] ^ 1)
      expect(await outcome(codec, concat(member, bad, member))).toBe('CorruptFrameError')
    }
  })
})

describe.each(of('brotli'))('%s', (_, codec) => {
  it('reads the largest standard window, and refuses large-window streams', { tags: 'slow' }, async () => {
    const bytes = concat(noise(MIB), text(16 * MIB), noise(MIB))
    const wide = (window: number, large: number): Uint8Array => new Uint8Array(
      brotliCompressSync(bytes, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: 5,
          [constants.BROTLI_PARAM_LGWIN]: window,
          [constants.BROTLI_PARAM_LARGE_WINDOW]: large
        }
      })
    )

    expect(same(await read(codec, wide(24, 0)), bytes)).toBe(true)
    expect(await outcome(codec, wide(28, 1))).toBe('CorruptFrameError')
  })
})

describe.each(of('snappy'))('%s', (_, codec) => {
  const identifier = fromBase64('/wYAAHNOYVBwWQ==')

  it('skips skippable chunks, and refuses other unknown, misplaced and malformed ones', async () => {
    const stream = await codecs.snappy().compress(text(100_000))

    expect(
      await outcome(codec, concat(stream, snappyChunk(0xfe, 2 ** 24 - 1), stream, identifier, snappyChunk(0x80, 0)))
    ).toBe(200_000)
    expect(await outcome(codec, concat(stream, snappyChunk(0x02, 4)))).toBe('CorruptFrameError')
    expect(await outcome(codec, concat(snappyChunk(0xfe, 4), stream))).toBe('CorruptFrameError')
    expect(await outcome(codec, concat(identifier, snappyChunk(0x01, 4 + 65_537)))).toBe('CorruptFrameError')
    expect(await outcome(codec, concat(identifier, snappyChunk(0x00, 76_500)))).toBe('CorruptFrameError')
    expect(await outcome(codec, concat(identifier, snappyChunk(0x00, 2)))).toBe('CorruptFrameError')
    expect(await outcome(codec, concat(identifier, identifier.with(5, 0)))).toBe('CorruptFrameError')
  })
})

describe.each(of('lzo'))('%s', (_, codec) => {
  const stored = concat(bigUint32(100), bigUint32(100), text(100), bigUint32(0))

  it('refuses blocks above 16 MiB, and wrong lengths', async () => {
    const header = encodeLzopHeader()

    expect(await outcome(codec, concat(header, stored, header, stored))).toBe(200)

    for (
      const [
        length,
        compressed
      ] of [[16 * MIB + 1, 10], [64 * MIB, 64 * MIB], [100, 101], [16 * MIB, 100], [0xffffffff, 1]]
    ) {
      expect(
        await outcome(codec, concat(header, bigUint32(length), bigUint32(compressed), text(100), bigUint32(0))),
        `${length}`
      ).toBe('CorruptFrameError')
    }
  })

  it('reads an extra field, and refuses one that is too long', async () => {
    const header = encodeLzopHeader()
    header[20] |= 0x40
    bigEndian.writeUint32(header, 34, adler32(header.subarray(9, 34)))
    const extra = (length: number): Uint8Array => {
      const field = concat(bigUint32(length), text(length))

      return concat(header, field, bigUint32(adler32(field)), stored)
    }

    expect(await outcome(codec, extra(1000))).toBe(100)
    expect(await outcome(codec, extra(70_000))).toBe('CorruptFrameError')
    expect(await outcome(codec, concat(header, bigUint32(0xffffffff), text(1000)))).toBe('CorruptFrameError')
  })
})
