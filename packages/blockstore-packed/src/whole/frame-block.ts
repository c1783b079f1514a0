import { zstdDecompressSync } from 'node:zlib'
import { varint } from 'multiformats'
import { CID } from 'multiformats/cid'
import { DamagedPackError } from '../errors.ts'
import { rawBytesIn, rawRange, stripBlockHeaders } from '../format/raw-frame.ts'
import { checkSize, optionsOf, zstdInPool } from '../pack/read-frame.ts'
import type { Row } from '../format/entry.ts'

/** Up to this stored size, decompressing takes less than reaching the thread pool and waiting there. */
const MAX_SYNC = 64 * 1024

/** Bytes before a block in which its section begins, if its hash has 32 bytes. */
export const MAX_HEAD = 64

/**
 * The content of a frame: sections of a CAR.
 *
 * @param bytes - the stored bytes of the row's frame
 * @throws {DamagedPackError}
 */
export async function contentOf ({ pack, frame, raw, start, length }: Row, bytes: Uint8Array): Promise<Uint8Array> {
  const end = start + length
  checkSize(pack, frame, end)

  if (raw) {
    const head = rawRange(0, end)

    if (head.end > bytes.byteLength) {
      throw new DamagedPackError(pack, frame, 'the frame is too short')
    }

    return stripBlockHeaders(Uint8Array.from(bytes.subarray(head.start, head.end)), 0, end)
  }

  try {
    const options = optionsOf(bytes, end)

    return bytes.byteLength <= MAX_SYNC ? zstdDecompressSync(bytes, options) : await zstdInPool(bytes, options)
  } catch (cause) {
    throw new DamagedPackError(pack, frame, 'the frame does not decompress', { cause })
  }
}

/** Which stored bytes of a raw frame to read for a block and so many bytes before it. */
export function rawPlaceOf ({ start, length }: Row, before: number): { from: number, to: number } {
  const { start: from, end: to } = rawRange(Math.max(0, start - before), length + Math.min(start, before))

  return { from, to }
}

/**
 * A block of a raw frame. The memory is the caller's, and holds nothing else.
 *
 * @param parts - one after the other, what `rawPlaceOf` says, with the bytes of the multihash before the block
 * @throws {DamagedPackError} another block is there
 */
export function rawBlockIn (row: Row, parts: readonly Uint8Array[], multihash: Uint8Array): Uint8Array {
  const before = Math.min(row.start, multihash.byteLength)
  const first = row.start - before
  const { from, to } = rawPlaceOf(row, before)

  if (parts.reduce((sum, { byteLength }) => sum + byteLength, 0) < to - from) {
    throw new DamagedPackError(row.pack, row.frame, 'the frame is too short')
  }

  if (Buffer.compare(rawBytesIn(parts, first, { position: first, length: before }), multihash) !== 0) {
    throw new DamagedPackError(row.pack, row.frame, 'it holds another block')
  }

  return rawBytesIn(parts, first, { position: row.start, length: row.length })
}

/**
 * A block of a frame's content. The memory is the caller's.
 *
 * @param multihash - which precedes the block
 * @throws {DamagedPackError} another block is there
 */
export function blockIn ({ pack, frame, start, length }: Row, content: Uint8Array, multihash: Uint8Array): Uint8Array {
  const from = start - multihash.byteLength

  if (from < 0 || content.byteLength < start + length) {
    throw new DamagedPackError(pack, frame, 'the frame is too short')
  }

  if (Buffer.compare(content.subarray(from, start), multihash) !== 0) {
    throw new DamagedPackError(pack, frame, 'it holds another block')
  }

  return Uint8Array.prototype.slice.call(content, start, start + length)
}

/**
 * The CID of a block of a raw frame, by the bytes before it, so that the frame need not be read. Only for hashes of at
 * most 32 bytes.
 *
 * @param parts - one after the other, the bytes before the block: `MAX_HEAD`, or all of them
 * @returns undefined if that does not tell: `cidIn` does
 */
export function cidBefore (
  { start, length }: Pick<Row, 'start' | 'length'>,
  parts: readonly Uint8Array[]
): CID | undefined {
  const size = Math.min(start, MAX_HEAD)
  const { start: from, end: to } = rawRange(start - size, size)

  if (parts.reduce((sum, { byteLength }) => sum + byteLength, 0) < to - from) {
    return undefined
  }

  const head = rawBytesIn(parts, start - size, { position: start - size, length: size })
  const found: CID[] = []

  // before a CID is the length of both. Other bytes may look so by chance
  for (let at = 1; at < size; at++) {
    const cid = endsWithVarint(head, at, size - at + length) ? decodeCid(head.subarray(at)) : undefined
    found.push(...cid == null ? [] : [cid])
  }

  return found.length === 1 ? found[0] : undefined
}

/** Whether a number is before a position. */
function endsWithVarint (bytes: Uint8Array, end: number, value: number): boolean {
  const size = varint.encodingLength(value)

  for (let i = 0; i < size; i++) {
    const byte = Math.floor(value / 0x80 ** i) % 0x80 + (i < size - 1 ? 0x80 : 0)

    if (bytes[end - size + i] !== byte) {
      return false
    }
  }

  return true
}

function decodeCid (bytes: Uint8Array): CID | undefined {
  try {
    return CID.decode(bytes)
  } catch {
    return undefined
  }
}

/** The CID of the block of a row. @throws {DamagedPackError} the content is not a sequence of sections */
export function cidIn ({ pack, frame, start, length }: Row, content: Uint8Array): CID {
  try {
    for (let at = 0; at < start;) {
      const [size, prefix] = varint.decode(content, at)

      if (at + prefix + size === start + length) {
        return CID.decode(content.subarray(at + prefix, start))
      }

      at += prefix + size
    }
  } catch (cause) {
    throw new DamagedPackError(pack, frame, 'a section is damaged', { cause })
  }

  throw new DamagedPackError(pack, frame, 'no section ends where the block does')
}
