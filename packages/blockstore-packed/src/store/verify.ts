import { mapOrdered } from '@ipfsz/utils/map-ordered'
import { CustomProgressEvent } from 'progress-events'
import { codeOf } from '../disk/disk.ts'
import { placeText } from '../format/entry.ts'
import { keyOf } from '../format/key.ts'
import { checkBlock } from './check-block.ts'
import { withPlaces } from './look-up.ts'
import { readContents } from './read-groups.ts'
import type { PackContents, PackedBlock } from './read-groups.ts'
import type { StoreParts } from './store-parts.ts'
import type { View } from './view.ts'
import type { Row } from '../format/entry.ts'
import type { Damage, VerifyOptions } from '../contract.ts'
import type { BlockReader } from '../pack/block-reader.ts'
import type { PackFiles } from '../pack/pack-files.ts'

/** Blocks that are read at a time. */
const CONCURRENCY = 16

/** Read and hash all blocks that live, pack by pack, and yield what is damaged. */
export async function * verifyPacks (
  { view, files, reader }: StoreParts,
  { signal, onProgress }: VerifyOptions
): AsyncGenerator<Damage> {
  const ids = Array.from(view.packs.keys()).toSorted()
  let blocks = 0

  for (const [i, id] of ids.entries()) {
    signal?.throwIfAborted()
    const contents = await read(view, files, id)

    if (contents instanceof Error) {
      yield { pack: id, offset: 0, error: contents }
      continue
    }

    for (const [offset] of contents?.damage ?? []) {
      yield { pack: id, offset }
    }

    const check = async (block: PackedBlock): Promise<Damage | undefined> => checkOne(view, reader, block)

    for await (const slice of withPlaces(contents?.blocks ?? [], key => view.find(key))) {
      const living = slice.filter(({ block, rows }) => isAt(block, rows)).map(({ block }) => block)
      blocks += slice.length

      for await (const damage of mapOrdered(living, check, { concurrency: CONCURRENCY, signal })) {
        if (damage != null) {
          yield damage
        }
      }
    }

    onProgress?.(new CustomProgressEvent('ipfsz:verify:pack', { packs: i + 1, total: ids.length, blocks }))
  }
}

/** @returns undefined if the pack is gone */
async function read (view: View, files: PackFiles, id: string): Promise<PackContents | Error | undefined> {
  try {
    return view.packs.has(id) ? await readContents(files, id) : undefined
  } catch (err) {
    return codeOf(err) === 'ENOENT' ? undefined : err as Error
  }
}

async function checkOne (view: View, reader: BlockReader, block: PackedBlock): Promise<Damage | undefined> {
  const { cid, row } = block
  const damage: Damage = { cid, pack: row.pack, offset: row.frame }

  try {
    const read = reader.read(row, cid.multihash.bytes, false)
    // at once: the memory is used again
    const isGood = checkBlock(cid, read instanceof Promise ? await read : read) !== false

    if (isGood) {
      return undefined
    }
  } catch (error) {
    // repacked meanwhile
    if (codeOf(error) === 'ENOENT') {
      return undefined
    }

    damage.error = error
  }

  // since it was looked up, somebody may have repaired it: another place has it now
  await view.refresh()

  return isAt(block, await view.find(keyOf(cid.multihash))) ? damage : undefined
}

function isAt ({ row }: PackedBlock, rows: readonly Row[]): boolean {
  return rows.some(other => placeText(other) === placeText(row))
}
