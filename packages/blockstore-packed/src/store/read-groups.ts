import { GROUP, blocksOf, deletionsOf } from '../format/group-header.ts'
import { PACK_HEADER_SIZE, isPackHeader } from '../format/pack-header.ts'
import { decodeCid } from '../pack/group-rows.ts'
import { scanPack } from '../pack/scan-pack.ts'
import type { Scan, ScannedGroup } from '../pack/scan-pack.ts'
import type { DiskFile } from '../disk/disk.ts'
import type { Row } from '../format/entry.ts'
import type { Deletion } from '../format/group-header.ts'
import type { PackFiles } from '../pack/pack-files.ts'
import type { CID } from 'multiformats/cid'

export interface PackedBlock {
  cid: CID
  row: Row
}

/** What a pack says that it holds. */
export interface PackContents {
  /** The blocks in the order of the pack, whether they live or not. They are decoded when they are asked for. */
  blocks: Iterable<PackedBlock>
  deletions: Deletion[]
  damage: Array<[from: number, to: number]>
}

/** Read what a pack holds from its group headers. */
export async function readContents (files: PackFiles, id: string): Promise<PackContents> {
  const { groups, damage } = await files.use(id, async file => scanWhole(file, id))
  const own = groups.filter(({ header }) => header.kind === GROUP)

  return {
    blocks: blocksOfGroups(id, own),
    deletions: own.flatMap(({ header, bytes }) => Array.from(deletionsOf(bytes, header))),
    damage
  }
}

function * blocksOfGroups (id: string, groups: readonly ScannedGroup[]): Generator<PackedBlock> {
  for (const { header, bytes } of groups) {
    for (const { frame, stored, raw, start, length, cid: encoded } of blocksOf(bytes, header)) {
      const cid = decodeCid(encoded)

      if (cid != null) {
        yield { cid, row: { pack: id, frame, stored, raw, start, length, deleted: false } }
      }
    }
  }
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
