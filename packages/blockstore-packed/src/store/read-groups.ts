import { GROUP, blocksOf, deletionsOf } from '../format/group-header.ts'
import { PACK_HEADER_SIZE, isPackHeader } from '../format/pack-header.ts'
import { decodeCid } from '../pack/group-rows.ts'
import { scanPack } from '../pack/scan-pack.ts'
import type { Scan } from '../pack/scan-pack.ts'
import type { DiskFile } from '../disk/disk.ts'
import type { Row } from '../format/entry.ts'
import type { Deletion } from '../format/group-header.ts'
import type { PackFiles } from '../pack/pack-files.ts'
import type { CID } from 'multiformats/cid'

export interface PackedBlock {
  cid: CID
  row: Row
}

/** What a pack says that it holds: the blocks in the order of the pack, whether they live or not. */
export interface PackContents {
  blocks: PackedBlock[]
  deletions: Deletion[]
  damage: Array<[from: number, to: number]>
}

/** Read what a pack holds from its group headers. */
export async function readContents (files: PackFiles, id: string): Promise<PackContents> {
  const { groups, damage } = await files.use(id, async file => scanWhole(file, id))
  const blocks: PackedBlock[] = []
  const deletions: Deletion[] = []

  for (const { header, bytes } of groups.filter(({ header }) => header.kind === GROUP)) {
    for (const { frame, stored, raw, start, length, cid: encoded } of blocksOf(bytes, header)) {
      const cid = decodeCid(encoded)

      if (cid != null) {
        blocks.push({ cid, row: { pack: id, frame, stored, raw, start, length, deleted: false } })
      }
    }

    deletions.push(...deletionsOf(bytes, header))
  }

  return { blocks, deletions, damage }
}

async function scanWhole (file: DiskFile, id: string): Promise<Scan> {
  const scan = await scanPack(file, id, PACK_HEADER_SIZE, 0)
  const header = Buffer.alloc(PACK_HEADER_SIZE)
  await file.read(header, 0)

  // a pack that was never synced has nothing to lose
  return scan.durable === 0 || isPackHeader(header, id)
    ? scan
    : { ...scan, damage: [[0, PACK_HEADER_SIZE], ...scan.damage] }
}
