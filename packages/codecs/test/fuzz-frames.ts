import { constants, crc32, inflateRawSync, zstdCompressSync } from 'node:zlib'
import CRC32C from 'crc-32/crc32c.js'
import { xxHash32 } from 'js-xxhash'
import { uncompressSync } from 'snappy'
import { codecs } from '../src/all.ts'
import { adler32 } from '../src/format/checksums/adler32.ts'
import * as bigEndian from '../src/format/bytes/big-endian.ts'
import { readUint32, writeUint32 } from '../src/format/bytes/little-endian.ts'
import { encodeLzopHeader } from '../src/format/lzo/lzop-header-encode.ts'
import { concat, edited, fromBase64, noise, text, WRITERS } from './fixtures.ts'
import type { CodecName } from '../src/codec.ts'

/** A frame that every implementation must read, and what it holds. */
export interface Good {
  frame: Uint8Array
  bytes: Uint8Array
  dictionary?: Uint8Array
}

const SENTENCE = 'It was the best of times, it was the worst of times\n'

/**
 * Frames that the reference tools made of a file s.txt: 700 bytes of {@link SENTENCE}, repeated.
 * They have optional fields that our writers leave out.
 */
const REFERENCE: Readonly<Record<CodecName, readonly string[]>> = {
  zstd: [
    // zstd 1.5.4, with a checksum of the content: zstd -c -19 --check s.txt
    'KLUv/WS8AV0BAPhJdCB3YXMgdGhlIGJlc3Qgb2YgdGltZXMsIGl3b3IKAwCFrqrCpxn3NsccJtWq'
  ],
  gzip: [
    // gzip 1.12, with a name and a time in the header: gzip -9 -c s.txt
    'H4sICIC772oCA3MudHh0APMsUShPLFYoyUhVSEotLlHIT1MoycxNLdZRyETIlOcXIUlxeY7qGdUzCPQAAGz/RWa8AgAA'
  ],
  lz4: [
    // lz4 1.9.4, with checksums of the blocks and of the content: lz4 -c -9 -B4 -BI -BX --content-size s.txt
    'BCJNGHxAvAIAAAAAAABgMgAAAPYMSXQgd2FzIHRoZSBiZXN0IG9mIHRpbWVzLCBpGgA3d29yGwAfCjQA//9yUHRpbWVzP5MAqAAAAADHCr+p'
  ],
  brotli: [
    // brotli 1.0.9, with a window of 1 KiB: brotli -c -q 11 -w 10 s.txt
    'odgVQG6kqv112pvcnVAAhxywf7t6GGCiEmzAUQbxYtNyzA4uAxtauBsXkgE='
  ],
  snappy: [],
  lzo: [
    // lzop 1.04, with a name, a time and checksums of the content: lzop -c s.txt
    'iUxaTwANChoKEEAgoAlAAQUDAAAJAACBpGrvu4AAAAAABXMudHh0XfQHKwAAArwAAABJRxv0VgANSXQgd2FzIHRoZSBiZXN0IG9m' +
      'IHRpbWVzLCBpdCB3YacDd29yKWkACiAAAFXMAAACYXMgdGhlIGJlc3Qgb2YgdGltZXMRAAAAAAAA',
    // all of them CRC-32: lzop -c -9 --crc32 s.txt
    'iUxaTwANChoKEEAgoBABAwkDABEIAACBpGrvu4AAAAAABXMudHh0PV1HZQAAArwAAAAvZkX/bCxJdCB3YXMgdGhlIGJlc3Qgb2Yg' +
      'dGltZXMsIGkoZwB3b3IpaQAKIAAAacwAEQAAAAAAAA==',
    // without checksums of the content: lzop -c -F s.txt
    'iUxaTwANChoKEEAgoAlAAQUDAAAIAACBpGrvu4AAAAAABXMudHh0XeEHKgAAArwAAABJAA1JdCB3YXMgdGhlIGJlc3Qgb2YgdGlt' +
      'ZXMsIGl0IHdhpwN3b3IpaQAKIAAAVcwAAAJhcyB0aGUgYmVzdCBvZiB0aW1lcxEAAAAAAAA='
  ]
}

/** Valid frames of a codec: by every writer at several levels, by the reference tool, and with many blocks. */
export async function goodFrames (name: CodecName): Promise<Good[]> {
  const mixed = concat(text(3000, 2), noise(2000), new Uint8Array(3000), text(3000, 2))
  const small = [new Uint8Array(0), text(1), text(30, 3), text(1500), new Uint8Array(1000), noise(300), mixed]
  const large = [text(70_000), new Uint8Array(70_000), noise(66_000), text(300_000)]
  const frames: Good[] = []

  for (const writer of WRITERS.filter(codec => codec.name === name)) {
    const { min, max, default: usual } = writer.levels

    for (const bytes of small) {
      for (const level of new Set([min, usual, max])) {
        frames.push({ frame: await writer.compress(bytes, { level }), bytes })
      }
    }

    for (const bytes of large) {
      frames.push({ frame: await writer.compress(bytes), bytes })
    }

    for (const dictionary of writer.dictionaries === true ? [text(8), text(3000, 2), text(100_000)] : []) {
      for (const bytes of [...small, text(70_000), edited(dictionary, 3000)]) {
        frames.push({ frame: await writer.compress(bytes, { dictionary }), bytes, dictionary })
      }
    }
  }

  const encoded = new TextEncoder().encode(SENTENCE.repeat(14).slice(0, 700))

  return [
    ...frames,
    ...REFERENCE[name].map(base64 => ({ frame: fromBase64(base64), bytes: encoded })),
    ...await ofManyBlocks(name)
  ]
}

/** Frames of many small blocks. Our writers make several blocks only of larger content. */
async function ofManyBlocks (name: CodecName): Promise<Good[]> {
  const pieces = [text(600), new Uint8Array(2000), noise(50), text(600), text(1, 4)]
  const bytes = concat(...pieces)

  switch (name) {
    case 'zstd':
      // small blocks of several types, with a checksum. A copy, since slices of a Buffer share its memory
      return [{
        bytes,
        frame: new Uint8Array(
          zstdCompressSync(bytes, {
            pledgedSrcSize: bytes.byteLength,
            params: { [constants.ZSTD_c_checksumFlag]: 1, [constants.ZSTD_c_windowLog]: 10 }
          })
        )
      }]
    case 'lz4': {
      const blocks = await Promise.all(pieces.map(async piece => (await codecs.lz4().compress(piece)).slice(15, -4)))
      return [{ bytes, frame: lz4Frame(bytes.byteLength, blocks) }]
    }
    case 'snappy': {
      const chunks = await Promise.all(pieces.map(async piece => (await codecs.snappy().compress(piece)).slice(10)))
      return [{
        bytes,
        frame: concat(
          SNAPPY_IDENTIFIER,
          snappyChunk(0xfe, text(40)),
          ...chunks,
          SNAPPY_IDENTIFIER,
          snappyChunk(0x80, new Uint8Array(0))
        )
      }]
    }
    case 'lzo': {
      const header = encodeLzopHeader().byteLength
      const blocks = await Promise.all(
        pieces.map(async piece => (await codecs.lzo().compress(piece)).slice(header, -4))
      )
      return [{ bytes, frame: concat(encodeLzopHeader(), ...blocks, new Uint8Array(4)) }]
    }
    default:
      return []
  }
}

/** A little-endian integer of four bytes. */
export function uint32 (value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  writeUint32(bytes, 0, value >>> 0)

  return bytes
}

/**
 * An lz4 frame of blocks that begin with their lengths.
 *
 * @param flags - by default, independent blocks and a content size
 */
export function lz4Frame (
  size: number,
  blocks: readonly Uint8Array[],
  flags: number = 0x68,
  blockSizeCode: number = 4
): Uint8Array {
  const frame = concat(
    Uint8Array.of(0x04, 0x22, 0x4d, 0x18, flags, blockSizeCode << 4),
    uint32(size),
    uint32(0),
    Uint8Array.of(0),
    ...blocks,
    uint32(0)
  )
  frame[14] = xxHash32(frame.subarray(4, 14), 0) >>> 8

  return frame
}

export const SNAPPY_IDENTIFIER = Uint8Array.of(0xff, 0x06, 0x00, 0x00, 0x73, 0x4e, 0x61, 0x50, 0x70, 0x59)

export function snappyChunk (type: number, content: Uint8Array): Uint8Array {
  return concat(uint32(type | content.byteLength << 8), content)
}

/** The checksum of a chunk that holds these bytes. */
export function snappyChecksum (bytes: Uint8Array): Uint8Array {
  const checksum = CRC32C.buf(bytes)

  return uint32((checksum >>> 15 | checksum << 17) + 0xa282ead8)
}

/** The length of the fixed bytes at the front: if they are wrong, decoders look no further. */
const MAGIC_LENGTHS: Readonly<Record<CodecName, number>> = { zstd: 4, gzip: 3, lz4: 4, brotli: 0, snappy: 10, lzo: 9 }

/**
 * Repair the magic number, the stated size and the checksums of a mutated frame, as far as
 * possible, so that decoders look at what comes after them.
 */
export function repair (name: CodecName, frame: Uint8Array, size: number, original: Uint8Array): void {
  frame.set(original.subarray(0, Math.min(MAGIC_LENGTHS[name], frame.byteLength)))

  try {
    REPAIRS[name](frame, size)
  } catch {
    // it is too broken to repair
  }
}

const REPAIRS: Readonly<Record<CodecName, (frame: Uint8Array, size: number) => void>> = {
  zstd (frame, size) {
    const flag = frame[4] >> 6
    const position = (frame[4] & 0x20) === 0 ? 6 : 5
    const rest = flag === 1 ? size - 256 : size

    for (let i = 0; i < 1 << flag; i++) {
      frame[position + i] = rest / 2 ** (8 * i)
    }
  },

  gzip (frame, size) {
    const trailer = frame.byteLength - 8
    writeUint32(frame, trailer + 4, size)
    writeUint32(
      frame,
      trailer,
      crc32(inflateRawSync(frame.subarray(10, trailer), { maxOutputLength: Math.max(1, size) }))
    )
  },

  lz4 (frame, size) {
    writeUint32(frame, 6, size)
    frame.fill(0, 10, 14)
    frame[14] = xxHash32(frame.subarray(4, 14), 0) >>> 8

    for (let position = 15; (frame[4] & 0x10) !== 0 && position + 4 < frame.byteLength;) {
      const end = position + 4 + (readUint32(frame, position) & 0x7fffffff)
      writeUint32(frame, end, xxHash32(frame.subarray(position + 4, end), 0))
      position = end + 4
    }
  },

  brotli () {},

  snappy (frame) {
    for (let position = 0; position + 8 <= frame.byteLength;) {
      const end = position + 4 + (readUint32(frame, position) >>> 8)
      const data = frame.subarray(position + 8, end)

      if (frame[position] < 2) {
        frame.set(snappyChecksum(frame[position] === 0 ? decodeSnappyBlock(data) : data), position + 4)
      }

      position = end
    }
  },

  lzo (frame) {
    const isLong = frame[9] >= 0x10 || frame[10] >= 0x40
    const flags = bigEndian.readUint32(frame, isLong ? 17 : 14)
    const nameLength = isLong ? 33 : 26
    const end = nameLength + 1 + frame[nameLength]
    const header = frame.subarray(9, end)
    bigEndian.writeUint32(frame, end, (flags & 0x1000) === 0 ? adler32(header) : crc32(header))
  }
}

function decodeSnappyBlock (block: Uint8Array): Uint8Array {
  try {
    return uncompressSync(block, { asBuffer: true }) as Buffer
  } catch {
    return block
  }
}
