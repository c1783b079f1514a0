import { chooseMerge } from './choose-merge.ts'
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

/** Entries of an index file of the lowest tier, and of the largest: merging takes seconds for these. */
const TIERS = { first: 16_384, max: 16 * 2 ** 20 }

/** Index files that should become one: undefined if there are few enough. */
export function chooseSegments (segments: readonly Segment[]): Segment[] | undefined {
  return chooseMerge(segments, ({ entries }) => entries, TIERS)
}

export interface Merge {
  /** The index files that become one. They are part of `index`. */
  segments: readonly Segment[]
  index: IndexFiles
  exists: (pack: string) => boolean
}

/**
 * Write one index file in the place of several. Entries of packs that are gone are dropped, and so are blocks with
 * their deletions.
 */
export async function mergeSegments (disk: Disk, id: string, { segments, index, exists }: Merge): Promise<void> {
  const named = new Map<string, CoveredPack>()

  for (const pack of segments.flatMap(({ packs }) => packs)) {
    if (exists(pack.id) && (pack.covered > 0 || !named.has(pack.id))) {
      named.set(pack.id, pack)
    }
  }

  const packs = Array.from(named.values())
  const numbers = new Map(packs.map(({ id }, i) => [id, i]))
  const expected = segments.reduce((sum, { entries }) => sum + entries, 0)
  const sources = segments.map(
    segment => ({ packs: segment.packs.map(({ id }) => id), entries: index.entries(segment) })
  )

  await writeSegment(disk, id, { expected, packs, entries: merged(mergeEntries(sources), numbers) })

  for (const { name } of segments) {
    await disk.remove(name)
  }
}

function * merged (groups: Iterable<SourcedEntry[]>, numbers: ReadonlyMap<string, number>): Generator<Buffer> {
  for (const group of groups) {
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
