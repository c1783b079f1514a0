import { isSamePlace, placeText } from '../format/entry.ts'
import type { Row } from '../format/entry.ts'

/** So few are compared one by one: a Set takes longer. */
const FEW = 8

/** The places of a key where its block is: in packs that exist, and not deleted there. */
export function liveRows (rows: Row[], packs: { has: (id: string) => boolean }): Row[] {
  if (rows.length === 0 || (rows.length === 1 && !rows[0].deleted && packs.has(rows[0].pack))) {
    return rows
  }

  if (rows.length <= FEW) {
    return rows.filter(row => !row.deleted && packs.has(row.pack) && !rows.some(
      other => other.deleted && isSamePlace(other, row)))
  }

  const deleted = new Set(rows.filter(({ deleted }) => deleted).map(placeText))

  return rows.filter(row => !row.deleted && packs.has(row.pack) && !deleted.has(placeText(row)))
}
