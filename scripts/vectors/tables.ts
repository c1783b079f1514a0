/** The tables of docs/format.md, sections 4 and 6. */
import type { CodecName } from '@ipfsz/codecs'

export interface FrameEntry {
  /** Compressed bytes. */
  length: number
  /** Original bytes. */
  size: number
  /** Where its region begins in the base, and its bytes. */
  region: readonly [offset: number, length: number]
}

const GROUP = 4096
const SKIPPABLE = 0x184d2a5e

function words (...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, i) => bytes.writeUInt32LE(value, i * 4))

  return bytes
}

function entriesOf (frames: readonly FrameEntry[]): Buffer {
  return words(...frames.flatMap(({ length, size }) => [length, size]))
}

export function seekTable (frames: readonly FrameEntry[]): Buffer {
  const count = frames.length

  return Buffer.concat([
    words(SKIPPABLE, 8 * count + 9), entriesOf(frames), words(count), Uint8Array.of(0), words(0x8f92eab1)
  ])
}

/** The head of the skippable frame that holds the base. */
export function baseHead (size: number): Buffer {
  return words(SKIPPABLE, size)
}

export function regionTable (frames: readonly FrameEntry[]): Buffer {
  return Buffer.concat([words(SKIPPABLE, 20 * frames.length), ...frames.map(({ length, size, region: [at, bytes] }) =>
    words(length, size, at % 2 ** 32, Math.floor(at / 2 ** 32), bytes))])
}

export function groupsOf<T> (frames: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(frames.length / GROUP) }, (_, i) => frames.slice(i * GROUP, (i + 1) * GROUP))
}

/** The table of a file in groups that has no base. */
export function groupTable (codec: CodecName, frames: readonly FrameEntry[]): Buffer {
  if (codec !== 'gzip' && codec !== 'snappy' && codec !== 'lzo') {
    return seekTable(frames)
  }

  return Buffer.concat(groupsOf(frames).map(group => part(codec, entriesOf(group))))
}

function part (codec: 'gzip' | 'snappy' | 'lzo', entries: Buffer): Buffer {
  const { byteLength } = entries

  if (codec === 'snappy') {
    return Buffer.concat([Uint8Array.of(0xa5), words(byteLength).subarray(0, 3), entries])
  }

  if (codec === 'gzip') {
    const head = Buffer.from('1f8b080400000000 00ff0000 49540000'.replaceAll(' ', ''), 'hex')
    head.writeUInt16LE(byteLength + 4, 10)
    head.writeUInt16LE(byteLength, 14)

    return Buffer.concat([head, entries, Uint8Array.of(3, 0, 0, 0, 0, 0, 0, 0, 0, 0)])
  }

  const head = Buffer.from(`894c5a4f000d0a1a0a104020a00940010503000040000081a4${'00'.repeat(9)}`, 'hex')
  const length = bigEndian(byteLength)

  return Buffer.concat([
    head, bigEndian(adler32(head.subarray(9))), length, entries, bigEndian(adler32(Buffer.concat([length, entries]))),
    new Uint8Array(4)
  ])
}

function bigEndian (value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)

  return bytes
}

export function adler32 (bytes: Uint8Array): number {
  let [a, b] = [1, 0]

  for (const byte of bytes) {
    a = (a + byte) % 65_521
    b = (b + a) % 65_521
  }

  return b * 65_536 + a
}
