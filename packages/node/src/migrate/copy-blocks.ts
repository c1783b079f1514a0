import { mapOrdered } from '@ipfsz/utils/map-ordered'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { readChecked } from '../dag/read-checked.ts'
import { hasBlock } from './destination.ts'
import type { Destination, MigrationSource } from './contract.ts'

/** How many blocks are read and written at a time. A disk commits those that wait together. */
const CONCURRENCY = 16

/** Maximum bytes of a block, 16 MiB: as many as a store that compresses takes, eight times what nodes exchange. */
const MAX_BLOCK_SIZE = 16 * 1024 * 1024

/** What became of a block. One that is `lost` is damaged, or cannot be read, and the error says why. */
export type CopiedBlock =
  & { cid: CID }
  & ({ state: 'copied', size: number, replaced: boolean } | { state: 'there' } | { state: 'lost', error: Error })

export interface CopyOptions {
  /** Whether to look only. Without `verify`, no block of the source is read then, and `size` is 0. */
  dryRun: boolean
  /** Whether to read the blocks that are there, and to replace damaged ones, and what is no file with bytes. */
  verify: boolean
  signal: AbortSignal
}

/**
 * Copy the blocks that the destination lacks, a few at a time, each compared with its CID. Those that are there are
 * synced later, since another process may have written them just now, and read only if that is asked for.
 *
 * @param destination - undefined for one that does not exist yet
 */
export function copyBlocks (
  source: MigrationSource,
  destination: Destination | undefined,
  { dryRun, verify, signal }: CopyOptions
): AsyncGenerator<CopiedBlock> {
  return mapOrdered(cids(source, signal), async (cid): Promise<CopiedBlock> => {
    const isThere = destination != null &&
      (verify ? await destination.blockstore.has(cid, { signal }) : await hasBlock(destination, cid, signal))
    const replaced = isThere && verify && await isDamaged(cid, destination, signal)

    if (isThere && !replaced) {
      await (dryRun ? undefined : destination.storage.syncLater(cid))

      return { cid, state: 'there' }
    }

    if (dryRun && !verify) {
      return { cid, state: 'copied', size: 0, replaced }
    }

    let bytes: Uint8Array

    try {
      bytes = await readChecked(cid, source.blockstore, MAX_BLOCK_SIZE, signal)
    } catch (error) {
      signal.throwIfAborted()

      return { cid, state: 'lost', error: error as Error }
    }

    await (dryRun ? undefined : destination?.blockstore.put(cid, bytes, { signal }))

    return { cid, state: 'copied', size: bytes.byteLength, replaced }
  }, { concurrency: CONCURRENCY, signal })
}

/** Whether a block cannot be read, or is not what its CID says. Where nothing can be written either, `put` says why. */
async function isDamaged (cid: CID, { reader }: Destination, signal: AbortSignal): Promise<boolean> {
  try {
    await readChecked(cid, reader, MAX_BLOCK_SIZE, signal)

    return false
  } catch {
    signal.throwIfAborted()

    return true
  }
}

async function * cids (source: MigrationSource, signal: AbortSignal): AsyncGenerator<CID> {
  for await (const batch of source.list(signal)) {
    for (const multihash of batch) {
      yield CID.createV1(raw.code, multihash)
    }
  }
}
