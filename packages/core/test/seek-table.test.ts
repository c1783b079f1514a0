import { encodeSkipped } from '@ipfsz/codecs/skipped'
import { describe, expect, it } from 'vitest'
import { FrameTable } from '../src/frames/frame-table.ts'
import { encodeSeekTable } from '../src/format/seek-table.ts'
import { encodeTrailer } from '../src/format/trailer.ts'

describe('a seek table', () => {
  it('has the bytes of the Zstandard Seekable Format', () => {
    const bytes = encodeSeekTable([{ length: 0x1234, size: 0x40000 }, { length: 7, size: 9 }], 2)

    // skippable magic, length of the rest; entries; number of frames, descriptor, seekable magic
    expect(Buffer.from(bytes).toString('hex')).toBe(
      '5e2a4d18 19000000 34120000 00000400 07000000 09000000 02000000 00 b1ea928f'.replaceAll(' ', ''))
  })
})

describe('a trailer', () => {
  const header = { frameLengths: [40, 20], frameSize: 100, size: 130 }

  it('is the seek table after several frames of zstd or lz4', () => {
    for (const codec of ['zstd', 'lz4']) {
      expect(encodeTrailer(codec, header)).toEqual(
        encodeSeekTable([{ length: 40, size: 100 }, { length: 20, size: 30 }], 2)
      )
    }
  })

  it('is empty after a single frame, and with the other codecs', () => {
    expect(encodeTrailer('zstd', { frameLengths: [40], frameSize: 100, size: 100 })).toHaveLength(0)
    expect(
      ['gzip', 'brotli', 'snappy', 'lzo'].map(codec => encodeTrailer(codec, header).byteLength)
    ).toEqual([0, 0, 0, 0])
  })

  it('is a table of every codec if the header does not list the frames', () => {
    const table = encodeSeekTable([{ length: 40, size: 100 }, { length: 20, size: 30 }], 2)
    const entries = table.subarray(8, -9)

    for (const codec of ['zstd', 'lz4', 'brotli']) {
      expect(encodeTrailer(codec, header, undefined, false)).toEqual(table)
    }

    for (const codec of ['gzip', 'lzo', 'snappy'] as const) {
      expect(encodeTrailer(codec, header, undefined, false)).toEqual(encodeSkipped(codec, entries))
    }
  })
})

describe('a frame table', () => {
  const init = { frameSize: 65536, listsSizes: false, maxListed: 896 * 1024 }

  it('adds up the sizes of its frames, and lists their lengths', () => {
    const table = new FrameTable({ ...init, frameSize: 100 })
    table.add({ size: 100, bytes: new Uint8Array(40) })
    table.add({ size: 30, bytes: new Uint8Array(20) })

    expect(table.header).toEqual({ size: 130, frameSize: 100, frameLengths: [40, 20] })
  })

  it('lists groups of frames for a root that has no room for all', () => {
    const table = new FrameTable({ ...init, maxListed: 3 * 5000 })

    for (let frame = 0; frame < 5000; frame++) {
      table.add({ size: 65536, bytes: new Uint8Array(20_000) })
    }

    expect(table.header.frameLengths).toHaveLength(5000)
    table.add({ size: 5, bytes: new Uint8Array(14) })

    expect(table.header).toEqual({
      size: 5000 * 65536 + 5,
      frameSize: 65536,
      frameLengths: [],
      table: {
        frames: 5001,
        groups: [
          { length: 4096 * 20_000, size: 4096 * 65536 },
          { length: 904 * 20_000 + 14, size: 904 * 65536 + 5 }
        ]
      }
    })
    expect(table.all.frameLengths).toHaveLength(5001)
  })

  it('lists the regions of groups of frames that refer back to a base', () => {
    const table = new FrameTable({ ...init, maxListed: 1000 })
    const bytes = new Uint8Array(20_000)

    for (let frame = 0; frame < 4097; frame++) {
      table.add({ size: 65536, bytes, region: { offset: 0, length: frame % 3 === 0 ? 0 : 1000 + frame % 3 } })
    }

    expect(table.header.regions).toBeUndefined()
    expect(table.header.table?.regions).toEqual([
      { size: 1365 * (1001 + 1002), largest: 1002 },
      { size: 1001, largest: 1001 }
    ])
    expect(table.all.regions).toHaveLength(4097)
  })

  it('lists empty regions and all sizes if only later frames are compared with a base, which are smaller', () => {
    const table = new FrameTable({ ...init, frameSize: 400 })
    const bytes = new Uint8Array(40)
    table.add({ size: 400, bytes })
    table.add({ size: 400, bytes })
    expect(table.isBased).toBe(false)
    expect(table.header).toEqual({ size: 800, frameSize: 400, frameLengths: [40, 40] })
    table.add({ size: 100, bytes, region: { offset: 0, length: 0 } })
    expect(table.isBased).toBe(false)
    table.add({ size: 100, bytes, region: { offset: 5, length: 90 } })

    expect(table.isBased).toBe(true)
    expect(table.header).toEqual({
      size: 1000,
      frameSize: 400,
      frameLengths: [40, 40, 40, 40],
      frameSizes: [400, 400, 100, 100],
      regions: [{ offset: 0, length: 0 }, { offset: 0, length: 0 }, { offset: 0, length: 0 }, { offset: 5, length: 90 }]
    })
  })

  it('has a table of frames from 64 KiB on if it has a base, sizes and regions included', () => {
    const table = new FrameTable(init)
    const bytes = new Uint8Array(40)

    // a length and an empty region take 3 bytes, and a size would take 3
    for (let frame = 0; frame < 21_000; frame++) {
      table.add({ size: 65536, bytes })
    }

    table.add({ size: 65536, bytes, region: { offset: 5, length: 90 } })
    expect(table.header.regions).toHaveLength(21_001)
    table.add({ size: 40_000, bytes, region: { offset: 5, length: 90 } })
    expect(table.isListed).toBe(true)
    table.add({ size: 40_000, bytes, region: { offset: 5, length: 90 } })
    expect(table.isListed).toBe(false)
    expect(table.header.table).toMatchObject({ frames: 21_003, regions: { length: 6 } })
  })

  it('refuses more frames than a table may have', () => {
    const table = new FrameTable({ ...init, maxListed: 2, path: 'tree/a.db' })
    const frame = { size: 65536, bytes: new Uint8Array(20_000) }
    table.add(frame)
    // as if there were so many
    table.lengths.length = 2 ** 27 - 1
    table.add(frame)

    expect(() => { table.add(frame) }).toThrow(expect.objectContaining({
      name: 'FileTooLargeError',
      frames: 2 ** 27,
      frameSize: 65536,
      path: 'tree/a.db'
    }))
  })
})
