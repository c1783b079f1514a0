import { mergeEntries } from '../entries/merge-entries.ts'
import { renumber } from '../entries/entry-table.ts'
import { writeSegment } from '../entries/write-segment.ts'
import { packNumber } from '../format/entry.ts'
import { addGroup } from '../pack/group-rows.ts'
import { lockName } from '../pack/pack-names.ts'
import { scanPack } from '../pack/scan-pack.ts'
import type { PackState } from './pack-state.ts'
import type { Disk } from '../disk/disk.ts'
import type { CoveredPack } from '../entries/segment-format.ts'
import type { PackFiles } from '../pack/pack-files.ts'

/** Entries of a pack at most: more are in no pack of ours, and not in memory. */
const MAX_ENTRIES = 2 ** 20

/** Bring what is known of a pack up to date. */
export async function scanState (disk: Disk, files: PackFiles, state: PackState): Promise<void> {
  const { id, table } = state
  const size = await files.use(id, async file => file.size())

  if (size <= state.size || size === state.tornSize || table == null) {
    return
  }

  // before the pack is read: if nobody writes it any more, it stays as it is
  const isWritten = await disk.isLocked(lockName(id))
  const scan = await files.use(id, async file => scanPack(file, id, state.size, state.durable))

  for (const group of scan.groups) {
    if (table.count + group.header.blocks + group.header.deletions > MAX_ENTRIES) {
      break
    }

    state.bytes += addGroup(table, id, group)
  }

  state.size = scan.end
  state.durable = scan.durable
  state.isSealed = scan.isSealed
  state.damage.push(...scan.damage)
  state.tornSize = isWritten || scan.isSealed || scan.end === size ? undefined : size
}

/** Whether an index file of the pack can be written: it is sealed, and has no damage that may hide blocks. */
export function isIndexable ({ isSealed, table, writer, damage }: PackState): boolean {
  return isSealed && table != null && writer == null && damage.length === 0
}

/** Write one index file of several packs. */
export async function writeTables (
  disk: Disk,
  id: string,
  states: ReadonlyArray<Pick<PackState, 'id' | 'size' | 'bytes' | 'table'>>
): Promise<void> {
  const packs = new Map<string, CoveredPack>(states.map(({ id, size: covered, bytes }) => [id, { id, covered, bytes }]))

  for (const pack of states.flatMap(({ table }) => table?.packs ?? [])) {
    packs.set(pack, packs.get(pack) ?? { id: pack, covered: 0, bytes: 0 })
  }

  const numbers = new Map(Array.from(packs.keys(), (id, i) => [id, i]))
  const tables = states.flatMap(({ table }) => table == null ? [] : [table])
  const sources = tables.map(table => ({ packs: table.packs, entries: table.sorted() }))
  const expected = tables.reduce((sum, { count }) => sum + count, 0)
  const entries = (function * () {
    for (const group of mergeEntries(sources)) {
      for (const { entry, packs } of group) {
        yield renumber(entry, numbers.get(packs[packNumber(entry, 0)]) ?? 0)
      }
    }
  })()

  await writeSegment(disk, id, { expected, packs: Array.from(packs.values()), entries })
}
