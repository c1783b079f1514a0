import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { NodeDisk } from '../src/disk/node-disk.ts'
import { Segment } from '../src/entries/segment.ts'
import { PAGE_SIZE, PRINT_PAGE_SIZE } from '../src/entries/segment-format.ts'
import { writeSegment } from '../src/entries/write-segment.ts'
import { ENTRY_SIZE, compareKey, writeEntry } from '../src/format/entry.ts'
import { MemoryCache } from '../src/util/memory-cache.ts'
import { it } from './fixtures.ts'
import type { Disk } from '../src/disk/disk.ts'
import type { Row } from '../src/format/entry.ts'

const ID = '0123456789abcdef0123456789abcdef'

function keyFor (i: number, prefix: readonly number[] = []): Uint8Array {
  const bytes = createHash('sha256').update(String(i)).digest()
  bytes.set(prefix)

  return bytes
}

/** Write an index file in which the frame of each key is its place in the list, and open it. */
async function segmentOf (disk: Disk, keys: readonly Uint8Array[]): Promise<Segment> {
  const entries = keys.map((bytes, frame) => {
    const entry = Buffer.alloc(ENTRY_SIZE)
    writeEntry(entry, 0, { bytes, kind: 0 }, { frame, stored: 1, raw: false, start: 0, length: 1, deleted: false })

    return entry
  }).toSorted((a, b) => compareKey(a, 0, b))
  await writeSegment(disk, ID, { expected: keys.length, packs: [{ id: ID, covered: 1, bytes: 1 }], entries })

  return Segment.open(disk, `index/${ID}.idx`, {
    entries: new MemoryCache(4, PAGE_SIZE), prints: new MemoryCache(4, PRINT_PAGE_SIZE)
  })
}

function framesOf (segment: Segment, bytes: Uint8Array): number[] {
  const rows: Row[] = []
  segment.find({ bytes, kind: 0 }, rows)

  return rows.map(({ frame }) => frame)
}

it.for([
  ['none', [], 0],
  ['one', [], 1],
  ['a page of them', [], 312],
  ['some pages', [], 20_000],
  ['keys that begin with the same bytes', [7, 7, 7, 7, 7, 7], 1000]
] as const)('finds each key: %s', async ([, prefix, count], { directory }) => {
  const keys = Array.from({ length: count }, (_, i) => keyFor(i, prefix))
  const segment = await segmentOf(new NodeDisk(directory), [...keys, ...keys.slice(0, 400)])

  const wrong = keys.filter((key, i) =>
    framesOf(segment, key).toSorted((a, b) => a - b).join() !== (i < 400 ? [i, count + i] : [i]).join() ||
    framesOf(segment, keyFor(-1 - i, prefix)).length > 0)
  expect(wrong).toEqual([])
  segment.close()
})

it('reads no page of entries for most keys that are not there', async ({ directory }) => {
  const disk = new NodeDisk(directory)
  const openRead = disk.openRead.bind(disk)
  let read = 0
  disk.openRead = name => {
    const file = openRead(name)
    const readNow = file.readNow.bind(file)
    file.readNow = (target, position) => {
      read += target.byteLength

      return readNow(target, position)
    }

    return file
  }
  const segment = await segmentOf(disk, Array.from({ length: 30_000 }, (_, i) => keyFor(i)))
  read = 0

  for (let i = 0; i < 5000; i++) {
    framesOf(segment, keyFor(-1 - i))
  }

  // all prints, and a few pages
  expect(read).toBeLessThan(4 * PRINT_PAGE_SIZE + 30 * PAGE_SIZE)
  segment.close()
})
