import { placeText } from '../format/entry.ts'
import type { Row } from '../format/entry.ts'

/** The places of a key where its block is: in packs that exist, and not deleted there. */
export function liveRows (rows: readonly Row[], packs: { has: (id: string) => boolean }): Row[] {
  const deleted = new Set(rows.filter(({ deleted }) => deleted).map(placeText))

  return rows.filter(row => !row.deleted && packs.has(row.pack) && !deleted.has(placeText(row)))
}
