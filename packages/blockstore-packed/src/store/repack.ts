import { freeBlock } from '@ipfsz/utils/free-bytes'
import { GROUP_BLOCKS, GROUP_SIZE } from '../constants.ts'
import { codeOf } from '../disk/disk.ts'
import { placeText } from '../format/entry.ts'
import { PACKS, lockName, packName } from '../pack/pack-names.ts'
import { NO_BLOCKS } from '../format/group-header.ts'
import { checkBlock } from './check-block.ts'
import { withPlaces } from './look-up.ts'
import { readContents } from './read-groups.ts'
import type { PackedBlock } from './read-groups.ts'
import type { View } from './view.ts'
import type { Row } from '../format/entry.ts'
import type { Disk } from '../disk/disk.ts'
import type { PlainBlock } from '../encode/encode-blocks.ts'
import type { BlockReader } from '../pack/block-reader.ts'
import type { StoreParts } from './store-parts.ts'
import type { CID } from 'multiformats/cid'

/** What systems say when a file cannot be deleted because somebody has it open. */
const IN_USE: ReadonlySet<unknown> = new Set(['EBUSY', 'EPERM', 'EACCES'])

export interface RepackedPack {
  /** Blocks that were copied. */
  blocks: number
  /** Blocks that cannot be read, or whose hash is wrong. Their pack stays. */
  damaged: CID[]
  isRemoved: boolean
}

/** Copy what lives in a pack, and remove the pack. The caller has the maintenance lock, and an up-to-date view. */
export async function repackOne (
  { disk, view, files, reader, appender, encode }: StoreParts,
  id: string
): Promise<RepackedPack> {
  const { blocks, deletions, damage } = await readContents(files, id)
  const damaged: CID[] = []
  let batch: PlainBlock[] = []
  let bytes = 0
  let copied = 0
  const flush = async (): Promise<void> => {
    if (batch.length > 0) {
      await appender.append(await encode(batch))
      copied += batch.length
      batch.forEach(({ bytes }) => { freeBlock(bytes) })
      batch = []
      bytes = 0
    }
  }

  for await (const slice of withPlaces(blocks, key => view.findAll(key))) {
    for (const { block, rows } of slice) {
      if (await isNeeded(view, reader, block, rows)) {
        const content = await readChecked(reader, block)

        if (content == null) {
          damaged.push(block.cid)
          continue
        }

        batch.push({ cid: block.cid, bytes: content })
        bytes += content.byteLength

        if (bytes >= GROUP_SIZE || batch.length >= GROUP_BLOCKS) {
          await flush()
        }
      }
    }
  }

  await flush()
  // deletions of places in this pack go with it
  const kept = deletions.filter(({ pack }) => pack !== id && view.packs.has(pack))

  for (let start = 0; start < kept.length; start += GROUP_BLOCKS) {
    await appender.append(NO_BLOCKS, kept.slice(start, start + GROUP_BLOCKS))
  }

  await appender.sync()

  // a pack that was removed a moment ago may come back with the blocks, until that is on the disk
  if (deletions.some(({ pack }) => !view.packs.has(pack))) {
    await disk.syncDirectory(PACKS)
  }

  if (damaged.length > 0 || damage.length > 0) {
    return { blocks: copied, damaged, isRemoved: false }
  }

  return { blocks: copied, damaged, isRemoved: await removePack(disk, view, id) }
}

/** @returns false on Windows, if somebody has it open */
export async function removePack (disk: Disk, view: View, id: string): Promise<boolean> {
  view.remove(id)

  try {
    await disk.remove(packName(id))
  } catch (err) {
    if (IN_USE.has(codeOf(err))) {
      // Windows: it holds nothing that is needed, and goes next time
      await view.lookAgain()

      return false
    }

    throw err
  }

  await disk.removeLock(lockName(id))
  await view.announce()

  return true
}

/** Whether a block is to be copied: it lives here, and nowhere else can be read. */
async function isNeeded (
  view: View,
  reader: BlockReader,
  { cid, row }: PackedBlock,
  rows: readonly Row[]
): Promise<boolean> {
  if (!rows.some(other => placeText(other) === placeText(row))) {
    return false
  }

  for (const other of rows) {
    // a copy that is damaged, or on a bad disk, is none
    if (other.pack !== row.pack && view.isDurable(other)) {
      const copy = await readChecked(reader, { cid, row: other })

      if (copy != null) {
        freeBlock(copy)

        return false
      }
    }
  }

  // twice in this pack: once is enough
  return placeText(rows.find(other => other.pack === row.pack) ?? row) === placeText(row)
}

async function readChecked (reader: BlockReader, { cid, row }: PackedBlock): Promise<Uint8Array | undefined> {
  try {
    const bytes = await reader.read(row, cid.multihash.bytes)

    return checkBlock(cid, bytes) === false ? undefined : bytes
  } catch (err) {
    // gone is gone, but what cannot be read now may be read later
    if (codeOf(err) === 'ENOENT') {
      throw err
    }

    return undefined
  }
}
