import { CID } from 'multiformats/cid'
import { blocksOf, deletionsOf } from '../format/group-header.ts'
import { keyOf } from '../format/key.ts'
import type { EntryTable } from '../entries/entry-table.ts'
import type { GroupHeader } from '../format/group-header.ts'

/**
 * Add the blocks and deletions of a group to a table. Blocks whose CID is nonsense are left out.
 *
 * @returns bytes of the blocks
 */
export function addGroup (table: EntryTable, pack: string, { header, bytes }: {
  header: GroupHeader
  bytes: Buffer
}): number {
  let total = 0

  for (const { frame, stored, raw, start, length, cid: encoded } of blocksOf(bytes, header)) {
    const cid = decodeCid(encoded)

    if (cid != null) {
      table.add(keyOf(cid.multihash), { pack, frame, stored, raw, start, length, deleted: false })
      total += length
    }
  }

  for (const { pack, frame, start, key } of deletionsOf(bytes, header)) {
    table.add(key, { pack, frame, stored: 0, raw: false, start, length: 0, deleted: true })
  }

  return total
}

/** @returns undefined if the bytes are no CID, or more than one */
export function decodeCid (bytes: Uint8Array): CID | undefined {
  try {
    return CID.decode(bytes)
  } catch {
    return undefined
  }
}
