import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { describe, expect, it } from 'vitest'
import { sectionHead } from '../src/format/car.ts'
import { rawBytesIn, rawFrameSize, rawRange, writeRawFrame } from '../src/format/raw-frame.ts'
import { cidBefore, cidIn, contentOf, MAX_HEAD, rawPlaceOf } from '../src/whole/frame-block.ts'
import type { Row } from '../src/format/entry.ts'

const SIZE = 300_000
const content = randomBytes(SIZE)
const frame = Buffer.alloc(rawFrameSize(SIZE))
writeRawFrame(frame, 0, [content], SIZE)

/** Bytes in parts that end at some of their positions. */
function cut (bytes: Uint8Array, ends: readonly number[]): Uint8Array[] {
  const all = [0, ...ends.map(end => Math.floor(end * bytes.byteLength)).toSorted((a, b) => a - b), bytes.byteLength]

  return all.slice(1).map((end, i) => bytes.subarray(all[i], end))
}

it('takes bytes out of parts of a frame, wherever these are cut, into memory of their own', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true })

  fc.assert(fc.property(share, share, share, fc.array(share, { maxLength: 6 }), (a, b, c, ends) => {
    const [first, position, to] = [a, b, c].map(share => Math.floor(share * SIZE)).toSorted((a, b) => a - b)
    const { start, end } = rawRange(first, to - first)
    const bytes = rawBytesIn(cut(frame.subarray(start, end), ends), first, { position, length: to - position })

    expect(Buffer.compare(bytes, content.subarray(position, to))).toBe(0)
    expect(bytes.buffer.byteLength).toBe(bytes.byteLength)
  }))
})

it('takes them out of parts that are cut in and beside the headers of blocks', () => {
  for (const header of [10, 10 + 3 + 128 * 1024]) {
    for (let at = header - 2; at <= header + 5; at++) {
      const parts = [frame.subarray(13, at), frame.subarray(Math.max(13, at))]
      const bytes = rawBytesIn(parts, 0, { position: 0, length: SIZE })

      expect(Buffer.compare(bytes, content)).toBe(0)
    }
  }
})

describe('the CID of a block of a raw frame', () => {
  const digest = randomBytes(32)
  const sha = Digest.create(0x12, digest)
  const CIDS = [
    CID.createV0(sha), CID.createV1(0x55, sha), CID.createV1(0x70, sha), CID.createV1(0x1b58c1, sha),
    CID.createV1(0x55, Digest.create(0x00, digest)), CID.createV1(0x55, Digest.create(0x13, randomBytes(64)))
  ]

  it('is what a scan of the frame finds, or is left to that', async () => {
    // 51 and 78: the length of the section of a CIDv0 would be the codec of a CIDv1
    const lengths = [0, 1, 51, 78, 91, 92, 93, 94, 127, 128, 200, 131_000, 131_072]
    const made = frameOf(CIDS.flatMap(cid => lengths.map(length => ({ cid, bytes: randomBytes(length) }))))
    const told: string[] = []

    for (const [i, row] of made.rows.entries()) {
      const cid = before(made, i)
      const scanned = cidIn(row, await contentOf(row, made.frame))
      told.push(...cid == null ? [] : [`${scanned.version} ${scanned.code} ${scanned.multihash.code}`])
      expect(String(cid ?? scanned)).toBe(String(scanned))
    }

    expect(new Set(told).size).toBe(5)
  })

  it('is left to a scan if the bytes before say two, or the frame ends early', () => {
    const v0 = CID.createV0(sha)
    const length = 51
    // ends as the section of a CIDv1 would begin whose codec is the length of this section
    const last = Buffer.concat([randomBytes(5), sectionHead(new Uint8Array(), 36 + length), Buffer.from([1])])
    const made = frameOf([{ cid: CIDS[1], bytes: last }, { cid: v0, bytes: randomBytes(length) }])

    expect(before(made, 1)).toBe(undefined)
    expect(cidBefore(made.rows[0], [made.frame.subarray(0, 12)])).toBe(undefined)
  })
})

interface Framed {
  frame: Buffer
  rows: Row[]
}

/** A frame with blocks, and what an index says of them. */
function frameOf (blocks: ReadonlyArray<{ cid: CID, bytes: Uint8Array }>): Framed {
  const parts = blocks.flatMap(({ cid, bytes }) => [sectionHead(cid.bytes, bytes.byteLength), bytes])
  const size = parts.reduce((sum, { byteLength }) => sum + byteLength, 0)
  const frame = Buffer.alloc(rawFrameSize(size))
  writeRawFrame(frame, 0, parts, size)
  let start = 0
  const rows = blocks.map(({ cid, bytes: { byteLength: length } }) => {
    start += sectionHead(cid.bytes, length).byteLength
    const row = { pack: '', frame: 0, stored: frame.byteLength, raw: true, start, length } as Row
    start += length

    return row
  })

  return { frame, rows }
}

function before ({ frame, rows }: Framed, i: number): CID | undefined {
  const { from, to } = rawPlaceOf({ ...rows[i], length: 0 }, MAX_HEAD)

  return cidBefore(rows[i], [frame.subarray(from, to)])
}
