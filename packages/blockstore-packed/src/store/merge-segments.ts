import { mergeEntries } from '../entries/merge-entries.ts'
import { renumber } from '../entries/entry-table.ts'
import { writeSegment } from '../entries/write-segment.ts'
import { readRow, placeText } from '../format/entry.ts'
import type { CoveredPack } from '../entries/segment-format.ts'
import type { Segment } from '../entries/segment.ts'
import type { Row } from '../format/entry.ts'
import type { IndexFiles } from './index-files.ts'
import type { SourcedEntry } from '../entries/merge-entries.ts'
import type { Disk } from '../disk/disk.ts'

/** Index files of a tier that are merged: each has up to eight times the entries of one of the tier below. */
const WIDTH = 8
/** Entries of the lowest tier. */
const FIRST_TIER = 16_384
/** Entries of an index file at most: merging takes seconds for these. */
const MAX_ENTRIES = 16 * 2 ** 20

/** Index files that should become one: undefined if there are few enough. */
export function chooseMerge (segments: readonly Segment[]): Segment[] | undefined {
  const tiers = Map.groupBy(segments, ({ entries }) =>
    Math.max(0, Math.ceil(Math.log(Math.max(1, entries) / FIRST_TIER) / Math.log(WIDTH))))

  for (const [, tier] of Array.from(tiers).toSorted(([a], [b]) => a - b)) {
    const chosen: Segment[] = []
    let entries = 0

    for (const segment of tier) {
      if (entries + segment.entries <= MAX_ENTRIES) {
        chosen.push(segment)
        entries += segment.entries
      }
    }

    if (chosen.length >= WIDTH) {
      return chosen
    }
  }

  return undefined
}

/**
 * Write one index file in the place of several. Entries of packs that are gone are dropped, and so are blocks with
 * their deletions.
 *
 * @param exists - whether a pack exists
 */
export async function mergeSegments (
  disk: Disk,
  id: string,
  segments: readonly Segment[],
  index: IndexFiles,
  exists: (pack: string) => boolean
): Promise<void> {
  const named = new Map<string, CoveredPack>()

  for (const pack of segments.flatMap(({ packs }) => packs)) {
    if (exists(pack.id) && (pack.covered > 0 || !named.has(pack.id))) {
      named.set(pack.id, pack)
    }
  }

  const packs = Array.from(named.values())
  const numbers = new Map(packs.map(({ id }, i) => [id, i]))
  const entries = segments.reduce((sum, { entries }) => sum + entries, 0)
  const sources = segments.map(
    segment => ({ packs: segment.packs.map(({ id }) => id), entries: index.entries(segment) })
  )

  await writeSegment(disk, id, entries, packs, merged(mergeEntries(sources), numbers))

  for (const { name } of segments) {
    await disk.remove(name)
  }
}

async function * merged (
  groups: AsyncIterable<SourcedEntry[]>,
  numbers: ReadonlyMap<string, number>
): AsyncGenerator<Buffer> {
  for await (const group of groups) {
    const rows = group.map(({ entry, packs }) => ({ entry, row: readRow(entry, 0, packs) }))
    const kept = rows.length === 1 ? rows : withoutPairs(rows)

    for (const { entry, row } of kept) {
      const number = numbers.get(row.pack)

      if (number != null) {
        yield renumber(entry, number)
      }
    }
  }
}

/** Without blocks that are deleted, and without the deletions of these. */
function withoutPairs<T extends { row: Row }> (rows: T[]): T[] {
  const places = Map.groupBy(rows, ({ row }) => placeText(row))

  return Array.from(places.values()).flatMap(same => {
    const kept = same.every(({ row }) => row.deleted) || same.every(({ row }) => !row.deleted)

    return kept ? same.slice(0, 1) : []
  })
}
