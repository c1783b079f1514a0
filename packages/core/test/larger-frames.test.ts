import { zstd } from '@ipfsz/codecs/zstd'
import { describe, expect, it } from 'vitest'
import { FrameTable } from '../src/frames/frame-table.ts'
import { ipfsz, mark } from '../src/index.ts'
import { resolveLayout } from '../src/policy/layout.ts'
import { ByteReader } from '../src/util/byte-reader.ts'
import { writeFile } from '../src/write/write-file.ts'
import { same } from '../../../test/support/data.ts'
import { chunked, collect, CountingBlockstore, text } from './fixtures.ts'
import type { Layout } from '../src/policy/layout.ts'

const KIB = 1024
const MIB = 1024 * KIB
const GIB = 1024 * MIB

const PARQUET = new TextEncoder().encode('PAR1')
/** The header of a SQLite database that does not say its size. */
const SQLITE = new TextEncoder().encode('SQLite format 3\0'.padEnd(32, '\0'))

/** The frame table of a file whose frames do not shrink, which has as many bytes at least. */
function tableOf ({ frameSize, larger = [] }: Layout, size: number): FrameTable {
  const table = new FrameTable(frameSize)

  while (table.size < size) {
    const { frameSize: next } = larger.findLast(({ from }) => table.size >= from) ?? { frameSize }
    table.add({ size: next, bytes: { byteLength: next } as Uint8Array })
  }

  return table
}

describe('a file that auto makes small frames of, and whose size is not known', () => {
  it.each([['Parquet', PARQUET], ['a SQLite database', SQLITE]])('has a header for 200 GiB: %s', (_, head) => {
    const layout = resolveLayout({ codec: 'auto' })(head)
    const { header } = tableOf(layout, 200 * GIB)

    expect(layout.frameSize).toBe(64 * KIB)
    expect(header.frameSize).toBe(4 * MIB)
    expect(header.frameSizes?.slice(0, 65_537)).toEqual([...Array<number>(65_536).fill(64 * KIB), MIB])
    expect(header.frameSizes?.at(-1)).toBe(4 * MIB)
  })

  it('has a header of version 1 up to 4 GiB', () => {
    const { header } = tableOf(resolveLayout({ codec: 'auto' })(PARQUET), 4 * GIB)

    expect(header).toMatchObject({ frameSize: 64 * KIB, size: 4 * GIB })
    expect(header).not.toHaveProperty('frameSizes')
  })

  it('has the small frames alone if they are asked for', () => {
    const layout = resolveLayout({ codec: 'auto', optimize: 'ranges' })(PARQUET)

    expect(() => tableOf(layout, 20 * GIB)).toThrow(expect.objectContaining({ name: 'FileTooLargeError' }))
  })
})

describe('larger frames further behind', () => {
  // the last frame is whole, short, or the only large one
  it.each([2.5 * MIB, 2.5 * MIB + 1, 256 * KIB, 256 * KIB + 1, 300 * KIB])('are read back: %i bytes', async size => {
    const bytes = text(size)
    const blockstore = new CountingBlockstore()
    const layout = {
      frameSize: 64 * KIB,
      leafSize: 64 * KIB,
      larger: [{ from: 256 * KIB, frameSize: 256 * KIB }, { from: 512 * KIB, frameSize: MIB }]
    }
    const { cid, code } = await writeFile(
      { bytes: bytes.subarray(0, 128 * KIB) },
      new ByteReader(chunked(bytes.subarray(128 * KIB), 100_000)),
      { codec: zstd(), level: 1, cut: 'size', filters: [], ...layout },
      {},
      blockstore,
      { inFlightBytes: 4 * MIB, contentCid: false }
    )
    const marked = mark(cid, code)
    const fs = ipfsz({ blockstore })

    expect(same(await collect(fs.cat(marked)), bytes)).toBe(true)
    await expect(fs.verify(marked)).resolves.toMatchObject({ size: BigInt(size) })

    for (const [offset, length] of [[0, 1], [256 * KIB - 1, 2], [200_000, 1_400_000], [size - 1, 1]]) {
      expect(same(await collect(fs.cat(marked, { offset, length })), bytes.subarray(offset, offset + length))).toBe(true)
    }
  })
})
