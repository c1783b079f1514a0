// One long file for all codecs: most cases are a line or two of handmade bytes.
import { brotliCompressSync, constants, createBrotliCompress, deflateRawSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { codecs } from '../src/all.ts'
import { adler32 } from '../src/format/checksums/adler32.ts'
import * as bigEndian from '../src/format/bytes/big-endian.ts'
import { encodeLzopHeader } from '../src/format/lzo/lzop-header-encode.ts'
import { reuseInstance } from '../src/impl/reuse-instance.ts'
import { concat, fromBase64, NAMES, noise, same, text } from './fixtures.ts'
import { lz4Frame, repair, SNAPPY_IDENTIFIER, snappyChecksum, snappyChunk, uint32 } from './fuzz-frames.ts'
import { readers } from './fuzz.ts'
import type { CodecName, ImplementationName } from '../src/codec.ts'

const MIB = 1024 * 1024
const GIB = 1024 * MIB
/** The page size of a WebAssembly heap. */
const PAGE = 64 * 1024
const NOTHING = new Uint8Array(0)

/** How many bytes a call returns, or the name of its error. Runs on this thread, so that memory can be measured. */
async function outcome (
  name: CodecName,
  implementation: ImplementationName,
  frame: Uint8Array,
  size: number
): Promise<number | string> {
  return Promise.resolve(codecs[name]({ implementation, workers: false }).decompress(frame, { size }))
    .then(bytes => bytes.byteLength, (err: Error) => err.name)
}

/** Runs in a worker: an endless loop on this thread would block the test's own time limit. */
async function refusesInWorker (
  name: CodecName,
  implementation: ImplementationName,
  frame: Uint8Array,
  size: number
): Promise<void> {
  await expect(async () => codecs[name]({ implementation }).decompress(frame, { size }))
    .rejects.toMatchObject({ name: 'CorruptFrameError' })
}

async function refuses (
  name: CodecName,
  implementation: ImplementationName,
  frame: Uint8Array,
  size: number
): Promise<void> {
  expect(await outcome(name, implementation, frame, size)).toBe('CorruptFrameError')
}

async function reads (
  name: CodecName,
  implementation: ImplementationName,
  frame: Uint8Array,
  bytes: Uint8Array
): Promise<void> {
  const read = await codecs[name]({ implementation, workers: false }).decompress(frame, { size: bytes.byteLength })
  expect(same(read, bytes)).toBe(true)
}

function repeat (bytes: Uint8Array, count: number): Uint8Array {
  const repeated = new Uint8Array(bytes.byteLength * count)

  for (let i = 0; i < count; i++) {
    repeated.set(bytes, i * bytes.byteLength)
  }

  return repeated
}

/** A zstd block: type 0 is stored, 1 is one repeated byte, 2 is compressed. */
function zstdBlock (type: number, length: number, content: Uint8Array, last: boolean = true): Uint8Array {
  return concat(uint32(Number(last) | type << 1 | length << 3).subarray(0, 3), content)
}

/** A zstd frame of one segment, with a content size of four bytes. */
function zstdFrame (size: number, ...blocks: Uint8Array[]): Uint8Array {
  return concat(fromBase64('KLUv/aA='), uint32(size), ...blocks)
}

/**
 * A block of 64 KiB that decodes to 2 GiB: each of its sequences is a literal and a match
 * of 65,539 bytes. All have the same codes, which take no bits, and 16 extra bits for the
 * length of the match.
 */
function zstdSequencesBlock (): Uint8Array {
  const count = 0x7f00 + 256
  const literals = uint32(1 | 3 << 2 | count << 4).subarray(0, 3)

  return concat(
    literals,
    text(1),
    Uint8Array.of(0xff, 0, 1, 0x54, 1, 0, 52),
    new Uint8Array(2 * count),
    Uint8Array.of(1)
  )
}

const TEXT = text(300)

describe.each(readers('zstd'))('zstd (%s)', (implementation) => {
  const stored = zstdBlock(0, 300, TEXT)
  const [low, high] = [44, 0]

  it('reads the valid frames that the other tests modify', async () => {
    await reads('zstd', implementation, zstdFrame(300, stored), TEXT)
    await reads(
      'zstd',
      implementation,
      concat(fromBase64('KLUv/UAA'), Uint8Array.of(low, high), stored).with(5, 0),
      TEXT
    )
  })

  it('refuses a window larger than the content', async () => {
    for (const window of [1 << 3, 8 << 3, 17 << 3, 31 << 3, 255]) {
      await refuses(
        'zstd',
        implementation,
        concat(fromBase64('KLUv/UA='), Uint8Array.of(window, low, high), stored),
        300
      )
    }
  })

  it('refuses a dictionary ID of any length', async () => {
    for (const flag of [1, 2, 3]) {
      const id = new Uint8Array(2 ** (flag - 1)).fill(1)
      await refuses(
        'zstd',
        implementation,
        concat(fromBase64('KLUv/Q=='), Uint8Array.of(0x60 | flag), id, Uint8Array.of(low, high), stored),
        300
      )
    }
  })

  it.each(['stored', 'of one byte', 'compressed'])('refuses a content size that differs from its block (%s)', async (
    kind
  ) => {
    const compressed = new Uint8Array(zstdCompressSync(TEXT)).subarray(7 + 3)
    const block = {
      stored,
      'of one byte': zstdBlock(1, 300, text(1)),
      compressed: zstdBlock(2, compressed.byteLength, compressed)
    }[kind] as Uint8Array

    expect(await outcome('zstd', implementation, zstdFrame(300, block), 300)).toBe(300)

    for (const size of [0, 1, 299, 301, 600, 4 * MIB]) {
      expect(await outcome('zstd', implementation, zstdFrame(size, block), size), `${size} bytes`)
        .toBe('CorruptFrameError')
    }
  })

  it('refuses a content size of more than 53 bits', async () => {
    await refuses('zstd', implementation, concat(fromBase64('KLUv/eA='), uint32(300), uint32(0x80000000), stored), 300)
  })

  it('refuses reserved bits and a reserved block type', async () => {
    await refuses('zstd', implementation, zstdFrame(300, stored).with(4, 0xa8), 300)
    await refuses('zstd', implementation, zstdFrame(300, zstdBlock(3, 300, TEXT)), 300)
  })

  it('refuses a skippable frame before or after the frame', async () => {
    const skippable = concat(Uint8Array.of(0x50, 0x2a, 0x4d, 0x18), uint32(3), text(3))
    await refuses('zstd', implementation, concat(skippable, zstdFrame(300, stored)), 300)
    await refuses('zstd', implementation, concat(zstdFrame(300, stored), skippable), 300)
  })

  it('refuses a wrong content checksum', async () => {
    const frame = new Uint8Array(zstdCompressSync(TEXT, { params: { [constants.ZSTD_c_checksumFlag]: 1 } }))
    await reads('zstd', implementation, frame, TEXT)
    frame[frame.byteLength - 1] ^= 1
    await refuses('zstd', implementation, frame, 300)
  })

  it('reads five million empty blocks', { tags: 'nightly' }, async () => {
    const frame = zstdFrame(300, repeat(zstdBlock(0, 0, NOTHING, false), 5_000_000), stored)
    await reads('zstd', implementation, frame, TEXT)
  })

  it('refuses a block whose sequences decode to gigabytes', async () => {
    const block = zstdSequencesBlock()
    await refusesInWorker('zstd', implementation, zstdFrame(4 * MIB, zstdBlock(2, block.byteLength, block)), 4 * MIB)
  })
})

describe('a zstd frame whose Huffman weights have no end', () => {
  // literals compressed with a tree (type 2): 20 bytes decode to 10
  const literals = 2 | 10 << 4 | 20 << 14
  // the tree: weights in 10 bytes, accuracy 5, all of the probability for the first symbol
  const block = Uint8Array.of(literals, literals >> 8, literals >> 16, 10, 0xf0, 0x03, ...Array<number>(30).fill(0xff))
  // content size 10 in one byte, one block, the last
  const header = 1 | 2 << 1 | block.byteLength << 3
  const frame = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x20, 10, header, header >> 8, header >> 16, ...block)

  it.each(readers('zstd'))('is refused by %s', async (implementation) => {
    await refuses('zstd', implementation, frame, 10)
  })
})

describe.each(readers('gzip'))('gzip (%s)', (implementation) => {
  const deflated = deflateRawSync(TEXT)

  /** A member with the trailer of TEXT, whatever its stream is. */
  function member (flags: number, fields: Uint8Array = NOTHING, stream: Uint8Array = deflated): Uint8Array {
    const trailer = concat(Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255), deflated, new Uint8Array(8))
    repair('gzip', trailer, 300, trailer)

    return concat(Uint8Array.of(0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 255), fields, stream, trailer.subarray(-8))
  }

  it('reads a member with every optional field', async () => {
    await reads('gzip', implementation, member(0), TEXT)
    await reads(
      'gzip',
      implementation,
      member(
        0x1f,
        concat(Uint8Array.of(2, 0, 1, 2), text(5), Uint8Array.of(0), text(9), Uint8Array.of(0), Uint8Array.of(1, 2))
      ),
      TEXT
    )
  })

  it('refuses a wrong size or checksum in the trailer', async () => {
    const whole = member(0)

    for (let i = 1; i <= 8; i++) {
      await refuses('gzip', implementation, whole.with(whole.byteLength - i, whole[whole.byteLength - i] ^ 1), 300)
    }
  })

  it('refuses a second member, even an empty one', async () => {
    const empty = fromBase64('H4sIAAAAAAAA/wMAAAAAAAAAAAA=')
    await reads('gzip', implementation, empty, NOTHING)
    await refuses('gzip', implementation, concat(member(0), empty), 300)
    await refuses('gzip', implementation, concat(empty, member(0)), 300)
    await refuses('gzip', implementation, concat(member(0), member(0)), 600)
  })

  it('refuses bytes between the deflate stream and the trailer', async () => {
    await refuses('gzip', implementation, member(0, NOTHING, concat(deflated, Uint8Array.of(0))), 300)
    await refuses('gzip', implementation, member(0, NOTHING, concat(deflated, deflated)), 300)
  })

  it('refuses reserved flags and unterminated fields', async () => {
    for (const flags of [0x20, 0x40, 0x80]) {
      await refuses('gzip', implementation, member(flags), 300)
    }

    await refuses('gzip', implementation, member(0x04, Uint8Array.of(255, 255)), 300)
    await refuses('gzip', implementation, concat(member(0x08).subarray(0, 10), text(500)), 300)
  })

  it('refuses a deflate stream that is longer or shorter than the trailer says', async () => {
    await refuses('gzip', implementation, member(0, NOTHING, deflateRawSync(text(301))), 300)
    await refuses('gzip', implementation, member(0, NOTHING, deflateRawSync(text(299))), 300)
    await refuses('gzip', implementation, member(0, NOTHING, deflated.subarray(0, -1)), 300)
  })
})

/** A compressed block with its length in front. */
function lz4Block (...parts: Uint8Array[]): Uint8Array {
  return concat(uint32(concat(...parts).byteLength), ...parts)
}

/** A compressed block that holds only literals. */
function literals (bytes: Uint8Array): Uint8Array {
  const more = bytes.byteLength - 15

  return lz4Block(
    Uint8Array.of(0xf0),
    new Uint8Array(Math.floor(more / 255)).fill(255),
    Uint8Array.of(more % 255),
    bytes
  )
}

describe.each(readers('lz4'))('lz4 (%s)', (implementation) => {
  const stored = concat(uint32(300 | 0x80000000), TEXT)

  it('reads the valid frames that the other tests modify', async () => {
    await reads('lz4', implementation, lz4Frame(300, [stored]), TEXT)
    await reads('lz4', implementation, lz4Frame(300, [literals(TEXT)]), TEXT)
    await reads('lz4', implementation, lz4Frame(5000, [literals(text(5000))]), text(5000))
  })

  it('refuses dictionary IDs, linked blocks, invalid flags and block sizes, and a missing content size', async () => {
    for (const flags of [0x69, 0x48, 0x6a, 0xa8, 0x28, 0x60]) {
      await refuses('lz4', implementation, lz4Frame(300, [stored], flags), 300)
    }

    for (const code of [0, 1, 2, 3, 12]) {
      await refuses('lz4', implementation, lz4Frame(300, [stored], 0x68, code), 300)
    }
  })

  it('refuses blocks larger than the block size, compressed or stored', async () => {
    const tooLong = text(65_537)
    await refuses('lz4', implementation, lz4Frame(65_537, [uint32(65_537 | 0x80000000), tooLong]), 65_537)
    await refuses('lz4', implementation, lz4Frame(65_537, [literals(tooLong)]), 65_537)
    // short, but decodes to too much
    const zeros = lz4Block(Uint8Array.of(0x1f, 0, 1, 0), new Uint8Array(300).fill(255), Uint8Array.of(0, 0x50), text(5))
    await refuses('lz4', implementation, lz4Frame(76_525, [zeros]), 76_525)
  })

  it('refuses block lengths out of range', async () => {
    for (const length of [301, 65_536, 0x7fffffff]) {
      await refuses('lz4', implementation, lz4Frame(300, [uint32(length | 0x80000000), TEXT]), 300)
      await refuses('lz4', implementation, lz4Frame(300, [uint32(length), TEXT]), 300)
    }
  })

  it('refuses blocks that hold more or less than the content size says', async () => {
    await refuses('lz4', implementation, lz4Frame(300, [stored, stored]), 300)
    await refuses('lz4', implementation, lz4Frame(300, []), 300)
    await refuses('lz4', implementation, lz4Frame(300, [literals(text(299))]), 300)
    await refuses('lz4', implementation, lz4Frame(300, [literals(text(301))]), 300)
  })

  it('refuses matches that reach before their block, or have the offset 0', async () => {
    for (const offset of [0, 2, 301, 65_535]) {
      // one literal, a match of 4, and the last literals
      const match = lz4Block(Uint8Array.of(0x10, 97, offset, offset >> 8, 0x50), text(5))
      expect(await outcome('lz4', implementation, lz4Frame(310, [stored, match]), 310), `offset ${offset}`)
        .toBe('CorruptFrameError')
    }

    // the same in a longer block
    const match = lz4Block(
      Uint8Array.of(0x10, 97, 0, 0),
      Uint8Array.of(0xf0),
      new Uint8Array(16).fill(255),
      Uint8Array.of(5),
      text(4100)
    )
    await refuses('lz4', implementation, lz4Frame(4105, [match]), 4105)
  })

  it('refuses wrong checksums of blocks and of the content, and a missing one', async () => {
    await refuses('lz4', implementation, lz4Frame(300, [stored, uint32(1)], 0x78), 300)
    await refuses('lz4', implementation, concat(lz4Frame(300, [stored], 0x6c), uint32(1)), 300)
    await refuses('lz4', implementation, lz4Frame(300, [stored], 0x6c), 300)
  })

  it('refuses three million empty blocks, compressed or stored', { tags: 'nightly' }, async () => {
    for (const empty of [lz4Block(Uint8Array.of(0)), uint32(0x80000000)]) {
      await refuses('lz4', implementation, lz4Frame(16 * MIB, [repeat(empty, 3_000_000)], 0x68, 7), 16 * MIB)
    }
  })

  it('reads a million blocks of one byte', { tags: 'nightly' }, async () => {
    await reads(
      'lz4',
      implementation,
      lz4Frame(1_000_000, [repeat(lz4Block(Uint8Array.of(0x10, 97)), 1_000_000)], 0x68, 7),
      new Uint8Array(1_000_000).fill(97)
    )
  })

  it('needs less than 200 MiB of memory for 500 short blocks', async () => {
    const frame = lz4Frame(500 * 4200, [repeat(literals(text(4200)), 500)], 0x68, 7)
    const before = process.memoryUsage().rss
    expect(await outcome('lz4', implementation, frame, 500 * 4200)).toBe(500 * 4200)
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * MIB)
  })
})

function stream (...chunks: Uint8Array[]): Uint8Array {
  return concat(SNAPPY_IDENTIFIER, ...chunks)
}

function storedChunk (bytes: Uint8Array): Uint8Array {
  return snappyChunk(1, concat(snappyChecksum(bytes), bytes))
}

/** @param bytes - what the block decodes to */
function compressedChunk (bytes: Uint8Array, block: Uint8Array): Uint8Array {
  return snappyChunk(0, concat(snappyChecksum(bytes), block))
}

describe.each(readers('snappy'))('snappy (%s)', (implementation) => {
  /** A block of literals: the length 300 as a varint, then a literal whose length takes two bytes. */
  const block300 = concat(Uint8Array.of(0xac, 0x02, 61 << 2, 43, 1), TEXT)

  it('reads the valid chunks that the other tests modify', async () => {
    await reads('snappy', implementation, stream(storedChunk(TEXT)), TEXT)
    await reads('snappy', implementation, stream(compressedChunk(TEXT, block300)), TEXT)
  })

  it('skips skippable chunks, and refuses other unknown types', async () => {
    for (const type of [0x80, 0xa0, 0xfd, 0xfe]) {
      await reads(
        'snappy',
        implementation,
        stream(snappyChunk(type, noise(1000)), storedChunk(TEXT), snappyChunk(type, NOTHING)),
        TEXT
      )
    }

    for (const type of [2, 3, 0x40, 0x7f]) {
      await refuses('snappy', implementation, stream(snappyChunk(type, NOTHING), storedChunk(TEXT)), 300)
    }
  })

  it('refuses chunks of more than 64 KiB', async () => {
    const tooLong = text(65_537)
    await refuses('snappy', implementation, stream(storedChunk(tooLong)), 65_537)
    // 65,537 as a varint, then a literal whose length takes three bytes
    await refuses(
      'snappy',
      implementation,
      stream(compressedChunk(tooLong, concat(Uint8Array.of(0x81, 0x80, 0x04, 62 << 2, 0, 0, 1), tooLong))),
      65_537
    )
    await refuses('snappy', implementation, stream(snappyChunk(0, noise(100_000))), 100)
  })

  it('refuses a block that does not decode to the length it states', async () => {
    for (const size of [299, 301, 128, 65_535]) {
      const bytes = concat(TEXT, new Uint8Array(65_536)).subarray(0, size)
      const lying = concat(Uint8Array.of(0x80 | size & 0x7f, 0x80 | size >> 7 & 0x7f, size >> 14), block300.subarray(2))
      // the checksum is of what a careless decoder would return
      expect(await outcome('snappy', implementation, stream(compressedChunk(bytes, lying)), size), `${size} bytes`)
        .toBe('CorruptFrameError')
    }

    await refuses('snappy', implementation, stream(compressedChunk(TEXT, new Uint8Array(10).fill(0xff))), 300)
    await refuses('snappy', implementation, stream(compressedChunk(NOTHING, NOTHING)), 0)
  })

  it('refuses a literal with a negative length, and copies out of range', async () => {
    // read as a signed number, the length of four bytes leads back to its own first byte: an endless loop
    await refusesInWorker(
      'snappy',
      implementation,
      stream(compressedChunk(new Uint8Array(10), Uint8Array.of(10, 0xfc, 0xfa, 0xff, 0xff, 0xff, 0))),
      10
    )

    const bytes = concat(Uint8Array.of(97), new Uint8Array(4))

    for (
      const copy of [
        [0x01, 0],
        [0x01, 2],
        [0x0e, 0, 0],
        [0x0e, 2, 0],
        [0x0f, 0, 0, 0, 0],
        [0x0f, 0xff, 0xff, 0xff, 0xff],
        [0x0f, 0, 0, 0, 0x80]
      ]
    ) {
      expect(
        await outcome('snappy', implementation, stream(compressedChunk(bytes, Uint8Array.of(5, 0, 97, ...copy))), 5),
        String(copy)
      ).toBe('CorruptFrameError')
    }
  })

  it('refuses chunks that are too short for a checksum, and wrong checksums', async () => {
    await refuses('snappy', implementation, stream(snappyChunk(1, Uint8Array.of(1, 2, 3))), 0)
    await refuses('snappy', implementation, stream(snappyChunk(1, concat(uint32(1), TEXT))), 300)
    await refuses('snappy', implementation, stream(snappyChunk(0, concat(uint32(1), block300))), 300)
  })

  it('reads a million empty chunks of each type, and 100,000 of one byte', { tags: 'nightly' }, async () => {
    for (
      const empty of [
        storedChunk(NOTHING),
        compressedChunk(NOTHING, Uint8Array.of(0)),
        snappyChunk(0xfe, NOTHING),
        SNAPPY_IDENTIFIER
      ]
    ) {
      await reads('snappy', implementation, stream(repeat(empty, 1_000_000), storedChunk(TEXT)), TEXT)
    }

    await reads(
      'snappy',
      implementation,
      stream(repeat(compressedChunk(text(1), concat(Uint8Array.of(1, 0), text(1))), 100_000)),
      repeat(text(1), 100_000)
    )
  })
})

describe.each(readers('brotli'))('brotli (%s)', (implementation) => {
  it('refuses a stream of the large-window extension', async () => {
    // brotli 1.0.9: the 700 bytes of fuzz-frames.ts, brotli -c -q 5 --large_window=30 s.txt
    await refuses(
      'brotli',
      implementation,
      fromBase64('EV7sCgAQcI51Sxr9Nb8KVzhswAlg5AEtOC4ow0ROpHY5UNmwSiNHleKFV4Z7lvfpC9EO'),
      700
    )
    await refuses(
      'brotli',
      implementation,
      brotliCompressSync(TEXT, {
        params: { [constants.BROTLI_PARAM_LARGE_WINDOW]: 1, [constants.BROTLI_PARAM_LGWIN]: 30 }
      }),
      300
    )
  })

  it('reads a window larger than the content', async () => {
    await reads(
      'brotli',
      implementation,
      brotliCompressSync(TEXT, { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } }),
      TEXT
    )
  })

  it('refuses bytes or a second stream after the frame', async () => {
    const frame = brotliCompressSync(TEXT)

    for (const tail of [Uint8Array.of(0), Uint8Array.of(3), frame]) {
      await refuses('brotli', implementation, concat(frame, tail), 300)
      await refuses('brotli', implementation, concat(frame, tail), 600)
    }
  })

  it('reads five million empty metadata blocks', { tags: 'nightly' }, async () => {
    // a window of 2 ** 16, then bytes that each are a metadata block that skips nothing, then an empty last block
    const frame = concat(Uint8Array.of(0x0c), repeat(Uint8Array.of(0x06), 5_000_000), Uint8Array.of(0x03))
    expect(await outcome('brotli', implementation, frame, 0)).toBe(0)
  })
})

/** A big-endian integer of four bytes. */
function big (value: number): Uint8Array {
  return uint32(value).toReversed()
}

describe.each(readers('lzo'))('lzo (%s)', (implementation) => {
  const header = encodeLzopHeader()
  const end = new Uint8Array(4)
  /** A member of one block: its stated length, its stated compressed length, and its bytes. */
  const member = (length: number, compressedLength: number, block: Uint8Array): Uint8Array =>
    concat(header, big(length), big(compressedLength), block, end)
  const zeros = codecs.lzo().compress(new Uint8Array(300))

  it('reads the valid members that the other tests modify', async () => {
    const block = (await zeros).slice(header.byteLength + 8, -4)
    await reads('lzo', implementation, member(300, 300, TEXT), TEXT)
    await reads('lzo', implementation, member(300, block.byteLength, block), new Uint8Array(300))
  })

  it('refuses filters, multipart archives, unknown flags, methods and versions', async () => {
    const whole = member(300, 300, TEXT)
    const change = (position: number, value: number): Uint8Array => {
      const changed = whole.with(position, value)
      bigEndian.writeUint32(changed, 34, adler32(changed.subarray(9, 34)))

      return changed
    }

    expect(await outcome('lzo', implementation, change(20, 0), 300)).toBe(300)

    for (
      const [
        position,
        value
      ] of [[19, 0x08], [19, 0x04], [18, 0x04], [18, 0x01], [19, 0x80], [15, 0], [15, 4], [9, 0x08], [13, 0x20]]
    ) {
      expect(await outcome('lzo', implementation, change(position, value), 300), `${value} at ${position}`)
        .toBe('CorruptFrameError')
    }
  })

  it('refuses wrong block lengths', async () => {
    const block = (await zeros).slice(header.byteLength + 8, -4)
    const { byteLength } = block

    for (
      const [length, compressedLength] of [
        [299, byteLength],
        [301, byteLength],
        [300, byteLength - 1],
        [300, byteLength + 1],
        [300, 0],
        [300, 301],
        [0xffffffff, byteLength],
        [300, 0xffffffff],
        [16 * MIB, byteLength]
      ]
    ) {
      for (const size of new Set([300, Math.min(length, 16 * MIB)])) {
        expect(
          await outcome('lzo', implementation, member(length, compressedLength, block), size),
          `${length}, ${compressedLength}`
        ).toBe('CorruptFrameError')
      }
    }
  })

  it('refuses matches that reach before their block', async () => {
    // four literals, and a match of 4 bytes that reaches back 5 bytes, into the previous block
    const block = Uint8Array.of(21, 97, 97, 97, 97, 0x70, 0, 0x11, 0, 0)
    const near = block.with(5, 0x6c)

    for (const second of [block, near]) {
      await refuses(
        'lzo',
        implementation,
        concat(header, big(300), big(300), TEXT, big(20), big(second.byteLength), second, end),
        320
      )
    }
  })

  it('refuses a length encoded in millions of zeros', async () => {
    for (const first of [0, 0x20, 0x10]) {
      const run = concat(Uint8Array.of(21, 97, 97, 97, 97, first), new Uint8Array(15 * MIB))
      await refuses('lzo', implementation, member(16 * MIB, run.byteLength, run), 16 * MIB)
      const ended = concat(run, Uint8Array.of(1, 0, 0, 0x11, 0, 0))
      await refuses('lzo', implementation, member(16 * MIB, ended.byteLength, ended), 16 * MIB)
    }
  })

  it('reads two million blocks of one byte', { tags: 'nightly' }, async () => {
    const one = concat(big(1), big(1), text(1))
    await reads('lzo', implementation, concat(header, repeat(one, 2_000_000), end), repeat(text(1), 2_000_000))
  })
})

describe('a frame of 1 GiB of zeros that claims to hold 4 MiB', () => {
  const size = 4 * MIB
  const zeros = new Uint8Array(MIB)

  /** Made of repeated blocks, or compressed as a stream, so that the gigabyte is never in memory. */
  const bombs: Readonly<Record<CodecName, () => Uint8Array | Promise<Uint8Array>>> = {
    zstd: () => zstdFrame(
      size,
      repeat(zstdBlock(1, 128 * 1024, Uint8Array.of(0), false), GIB / (128 * 1024)),
      zstdBlock(0, 0, NOTHING)
    ),

    gzip () {
      const piece = deflateRawSync(zeros, { finishFlush: constants.Z_FULL_FLUSH })

      return concat(
        Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255),
        repeat(piece, GIB / MIB),
        Uint8Array.of(3, 0),
        uint32(0),
        uint32(size)
      )
    },

    async brotli () {
      const compressor = createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })
      const chunks = compressor.toArray()

      for (let i = 0; i < GIB / MIB; i++) {
        await new Promise(resolve => { compressor.write(zeros, resolve) })
      }

      compressor.end()

      return concat(...await chunks)
    },

    async lz4 () {
      const block = (await codecs.lz4().compress(new Uint8Array(size))).slice(15, -4)

      return lz4Frame(size, [repeat(block, GIB / size)], 0x68, 7)
    },

    async snappy () {
      const chunk = (await codecs.snappy().compress(new Uint8Array(65_536))).slice(10)

      return concat(SNAPPY_IDENTIFIER, repeat(chunk, GIB / 65_536))
    },

    async lzo () {
      const header = encodeLzopHeader()
      const block = (await codecs.lzo().compress(new Uint8Array(256 * 1024))).slice(header.byteLength, -4)

      return concat(header, repeat(block, GIB / (256 * 1024)), new Uint8Array(4))
    }
  }

  it.each(NAMES)('is refused by every implementation of %s in less than 100 MiB of memory', { tags: 'nightly' }, async (
    name
  ) => {
    const bomb = await bombs[name]()

    for (const implementation of readers(name)) {
      // the peak, so memory that has already been freed counts, too
      const before = process.resourceUsage().maxRSS
      await refuses(name, implementation, bomb, size)
      expect(process.resourceUsage().maxRSS - before, implementation).toBeLessThan(100 * 1024)
    }
  })
})

/** A function that makes calls, and how many instances were started for them. */
function fake (): { call: ReturnType<typeof reuseInstance<{ memory: WebAssembly.Memory }>>, starts: () => number } {
  let starts = 0
  const call = reuseInstance(async () => {
    starts++
    return { memory: new WebAssembly.Memory({ initial: 1 }) }
  })

  return { call, starts: () => starts }
}

describe('a WASM instance', () => {
  it('is kept after a call that needed at most 32 MiB', async () => {
    const { call, starts } = fake()
    await call(() => 1)
    await call(({ memory }) => memory.grow(32 * MIB / PAGE - 1))
    await call(() => 1)
    expect(starts()).toBe(1)
  })

  it('is replaced after a call that threw or rejected', async () => {
    const { call, starts } = fake()
    await expect(call(() => { throw new Error('unreachable') })).rejects.toThrow('unreachable')
    await expect(call(async () => { throw new Error('later') })).rejects.toThrow('later')
    expect(await call(({ memory }) => memory.buffer.byteLength)).toBe(PAGE)
    expect(starts()).toBe(3)
  })

  it('is replaced after a call that left a heap above 32 MiB', async () => {
    const { call, starts } = fake()
    await call(({ memory }) => memory.grow(32 * MIB / PAGE))
    expect(await call(({ memory }) => memory.buffer.byteLength)).toBe(PAGE)
    expect(starts()).toBe(2)
  })

  it('is started again if starting it failed', async () => {
    let starts = 0
    const call = reuseInstance(async () => {
      if (++starts === 1) {
        throw new Error('no memory')
      }

      return { memory: new WebAssembly.Memory({ initial: 1 }) }
    })

    await expect(call(() => 1)).rejects.toThrow('no memory')
    expect(await call(() => 1)).toBe(1)
  })

  it('is replaced only once after several concurrent calls have failed', async () => {
    const { call, starts } = fake()
    await Promise.allSettled([
      call(async () => { throw new Error('one') }),
      call(async () => 2),
      call(async () => { throw new Error('three') })
    ])
    await call(() => 1)
    expect(starts()).toBe(2)
  })

  it.each(
    NAMES.filter(name => readers(name).includes('wasm'))
  )('of %s does not keep a large heap after many corrupt and large frames', { tags: 'nightly' }, async (name) => {
    const codec = codecs[name]({ implementation: 'wasm', workers: false })
    const frame = await codecs[name]().compress(new Uint8Array(16 * MIB))
    const noisy = await codecs[name]().compress(noise(100_000))
    // what V8 keeps of old instances is bounded
    await codec.decompress(frame, { size: 16 * MIB })
    const before = process.memoryUsage().rss

    for (let i = 0; i < 40; i++) {
      await refuses(name, 'wasm', frame, 16 * MIB - 1)
      await expect(async () => codec.decompress(frame.subarray(0, -10), { size: 16 * MIB }))
        .rejects.toMatchObject({ name: 'CorruptFrameError' })
      await expect(async () => codec.decompress(noisy.subarray(0, -10), { size: 100_000 }))
        .rejects.toMatchObject({ name: 'CorruptFrameError' })
    }

    await codec.decompress(frame, { size: 16 * MIB })
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * MIB)
    expect(same(await codec.decompress(noisy, { size: 100_000 }), noise(100_000))).toBe(true)
  })
})
