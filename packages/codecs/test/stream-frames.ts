import { xxHash32 } from 'js-xxhash'
import * as bigEndian from '../src/format/bytes/big-endian.ts'
import { writeUint32 } from '../src/format/bytes/little-endian.ts'
import { concat, text } from './fixtures.ts'
import type { Transform } from 'node:stream'

// handmade parts of streams

export function uint32 (value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  writeUint32(bytes, 0, value)

  return bytes
}

export function bigUint32 (value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  bigEndian.writeUint32(bytes, 0, value)

  return bytes
}

/** A frame of zeros, compressed without holding all of them in memory. */
export async function zeros (compressor: Transform, size: number): Promise<Uint8Array> {
  const zeros = new Uint8Array(16 * 1024 * 1024)
  const write = async (): Promise<void> => {
    for (let i = 0; i < size / zeros.byteLength; i++) {
      await new Promise(resolve => { compressor.write(zeros, resolve) })
    }

    compressor.end()
  }
  const [chunks] = await Promise.all([Array.fromAsync<Uint8Array>(compressor), write()])

  return concat(...chunks)
}

/** A zstd block: type 0 is stored, 1 is one repeated byte, 2 is compressed. */
export function zstdBlock (type: number, length: number, content: Uint8Array, last = true): Uint8Array {
  return concat(uint32(Number(last) | type << 1 | length << 3).subarray(0, 3), content)
}

/** A skippable frame that claims `length` bytes, but has at most 1,000. */
export function skippable (length: number): Uint8Array {
  return concat(uint32(0x184d2a53), uint32(length), new Uint8Array(Math.min(length, 1000)))
}

/** An LZ4 frame: flags without the version, block size code, other fields of the descriptor, and the rest. */
export function lz4Frame (flags: number, sizes: number, middle: Uint8Array, ...rest: Uint8Array[]): Uint8Array {
  const descriptor = concat(Uint8Array.of(0x40 | flags, sizes), middle)

  return concat(uint32(0x184d2204), descriptor, Uint8Array.of(xxHash32(descriptor, 0) >>> 8), ...rest)
}

export function lz4Block (content: Uint8Array, isStored: boolean): Uint8Array {
  return concat(uint32((content.byteLength | (isStored ? 0x80000000 : 0)) >>> 0), content)
}

/** The content of a block: a match of 4 to 18 bytes, `offset` bytes back, and five literals. */
export function lz4Match (offset: number, length: number): Uint8Array {
  return concat(Uint8Array.of(length - 4, offset, offset >> 8, 0x50), text(5))
}

/** A chunk of the framing format that holds zeros. */
export function snappyChunk (type: number, length: number): Uint8Array {
  return concat(uint32(type | length << 8), new Uint8Array(length))
}
