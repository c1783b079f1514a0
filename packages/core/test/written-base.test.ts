import { zstd } from '@ipfsz/codecs/zstd'
import { concat } from '@ipfsz/utils/bytes'
import { describe, expect, it } from 'vitest'
import { WrittenBase } from '../src/base/written-base.ts'
import { ipfsz, unmark } from '../src/index.ts'
import { CountingBlockstore, noise, same, text } from './fixtures.ts'
import type { Piece } from '../src/frames/compress-frames.ts'

const KIB = 1024
const FRAME = 512 * KIB

/** 3 MiB that repeat nothing. */
const BASE = noise(6 * FRAME)

const codec = zstd()

async function open (content: Uint8Array): Promise<WrittenBase> {
  const blockstore = new CountingBlockstore()
  const cid = unmark(await ipfsz({ blockstore }).addBytes(content, { compression: { codec: 'none' } }))
  const base = await WrittenBase.open(cid, { blockstore, codecs: [codec], inFlightBytes: 32 * 1024 * KIB }, {})

  if (base == null) {
    throw new Error('it cannot be a base')
  }

  return base
}

/** All pieces of a file, each of which decompresses to its bytes with the region of the base that it names. */
async function aidAll (content: Uint8Array, previous?: Piece, frameSize = FRAME, comparing = true): Promise<Piece[]> {
  const base = await open(BASE)
  const pieces: Piece[] = []

  for (let start = 0; start < content.byteLength; start += frameSize) {
    const bytes = content.subarray(start, start + frameSize)
    const piece = await base.aid(bytes, { start, frameSize, comparing, previous: previous ?? pieces.at(-1) })
    pieces.push(piece)

    if (piece.frame != null) {
      await piece.frame.checked
      const { offset = 0, length = 0 } = piece.region ?? {}
      const dictionary = BASE.slice(offset, offset + length)
      const back = await codec.decompress(piece.frame.bytes, { size: bytes.byteLength, dictionary })
      expect(same(back, bytes)).toBe(true)
    }
  }

  return pieces
}

/** A copy of which the first bytes changed. */
function changed (bytes: Uint8Array, count: number): Uint8Array {
  return bytes.map((byte, i) => i < count ? ~byte : byte)
}

/** Whether the first piece of a file is compressed by comparing it with the base. */
async function isCompressed (
  content: Uint8Array,
  comparing = true,
  frameSize = content.byteLength
): Promise<boolean> {
  const [{ frame, dictionary }] = await aidAll(content, undefined, frameSize, comparing)
  expect(frame == null).toBe(dictionary != null)

  return frame != null
}

describe('pieces of a file with a base', () => {
  it('are compressed by what changed, and refer back to what they use', async () => {
    const [first, second, third, ...rest] = await aidAll(concat([
      BASE.subarray(0, 100_000),
      text(40),
      BASE.subarray(100_000, 2 * FRAME - 40),
      BASE.subarray(2 * FRAME + 5000)
    ]))

    expect(first).toMatchObject({ region: { offset: 0, length: FRAME - 40 }, next: FRAME - 40 })
    expect(first.frame?.bytes.byteLength).toBeLessThan(200)
    expect(first.sameAt).toBeUndefined()
    // unchanged since then, but for what was inserted and deleted before it
    expect(second).toMatchObject({ region: { offset: FRAME - 40, length: FRAME }, sameAt: FRAME - 40 })
    expect(third).toMatchObject({ region: { offset: 2 * FRAME + 5000, length: FRAME }, sameAt: 2 * FRAME + 5000 })
    expect(rest.every(({ frame }) => frame != null)).toBe(true)
  })

  it('are found where they moved, and those after them where they are expected then', async () => {
    const moved = concat([noise(3 * FRAME - 1000, 5), BASE])
    const pieces = await aidAll(moved)

    expect(pieces.slice(0, 2).map(({ region }) => region?.length)).toEqual([0, 0])
    expect(pieces.slice(3).map(({ sameAt }) => sameAt)).toEqual([1, 2, 3, 4, 5, 6].map(i => i * FRAME - FRAME + 1000))
    // without the one before, the piece is searched for everywhere
    const [alone] = await aidAll(BASE.subarray(5 * FRAME), undefined)
    expect(alone).toMatchObject({ sameAt: 5 * FRAME })
  })

  it('are not compressed here if much changed, a level was asked for, or they are small or large', async () => {
    const size = 100 * KIB
    const piece = BASE.subarray(0, size)
    await expect(isCompressed(changed(piece, 3000))).resolves.toBe(true)
    // more than a 32nd of the piece, more than an eighth of it
    await expect(isCompressed(changed(piece, 3300))).resolves.toBe(false)
    await expect(isCompressed(changed(piece, 13_000).map((byte, i) => i < 13_000 ? 0 : byte))).resolves.toBe(false)
    await expect(isCompressed(piece, false)).resolves.toBe(false)
    // all of a file of one frame
    await expect(isCompressed(piece, true, 2 * size)).resolves.toBe(true)
    await expect(isCompressed(BASE.subarray(0, 64 * KIB))).resolves.toBe(true)
    await expect(isCompressed(BASE.subarray(0, 64 * KIB - 1))).resolves.toBe(false)
    await expect(isCompressed(BASE.subarray(0, 1024 * KIB))).resolves.toBe(true)
    await expect(isCompressed(BASE.subarray(0, 1024 * KIB + 1))).resolves.toBe(false)
  })

  it('refer back to no more than the format allows', async () => {
    const frameSize = 64 * KIB
    // the halves of each piece are far from each other in the base
    const pieces = await aidAll(concat(Array.from({ length: 8 }, (_, i) => concat([
      BASE.subarray(i * frameSize, i * frameSize + frameSize / 2),
      BASE.subarray(i * frameSize + 80 * KIB, i * frameSize + 80 * KIB + frameSize / 2)
    ]))), undefined, frameSize)

    expect(pieces.every(({ region }) => region != null && region.length <= 4 * frameSize)).toBe(true)
    expect(pieces.some(({ frame }) => frame != null)).toBe(true)
  })
})
