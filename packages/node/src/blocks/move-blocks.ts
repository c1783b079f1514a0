import { readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { syncDirectory } from '@ipfsz/blockstore-compressed/fs'
import { mapOrdered } from '@ipfsz/utils/map-ordered'
import { retryWhileOpen } from '@ipfsz/utils/while-open'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { isMissing } from '../dag/missing.ts'
import { readChecked } from '../dag/read-checked.ts'
import { PackStorage } from './pack-storage.ts'
import type { Place } from './places.ts'
import type { StoredBlock } from '@ipfsz/shared-store/storage'

/** Blocks and bytes that are in two places at most, before the old ones are deleted. */
const BATCH_BLOCKS = 8192
const BATCH_SIZE = 16 * 1024 * 1024
/** Deleted bytes of packs after which packs that hold nothing any more are removed: those of a pack. */
const REPACK_SIZE = 64 * 1024 * 1024
/** Blocks that are read at a time. */
const CONCURRENCY = 16
/** Bytes of a block: more do not go into a pack. */
const MAX_BLOCK_SIZE = 128 * 1024 * 1024
/** What packs consist of. */
const OF_PACKS = ['packs', 'index', 'locks', 'changes']

export interface MoveOptions {
  signal: AbortSignal
  /** Called for each block that was moved. */
  onMoved?: ((size: number) => void) | undefined
  /** Called for what is damaged, or cannot be read or verified: it stays where it is. */
  onKept?: ((error: Error, cid?: CID) => void) | undefined
}

export interface MovedBlocks {
  blocks: number
  /** Bytes of them, without compression. */
  size: number
  /** How many stayed, because they are damaged or cannot be verified. */
  kept: number
}

/**
 * Move all blocks from one place to the other: each is read, compared with its hash, and synced in the new place before
 * it is deleted in the old one. May be killed at any time, and goes on when it is called again.
 */
export async function moveBlocks (from: Place, to: Place, options: MoveOptions): Promise<MovedBlocks> {
  const packs = from.stored instanceof PackStorage ? from.stored : undefined
  const listed = packs == null ? from.stored.blocks(options) : inPackOrder(packs, options)
  const moved = await moveListed(from, to, listed, options)

  if (packs != null) {
    // packs may have been joined meanwhile, and the index may know blocks of packs that are damaged
    const rest = from.stored.blocks(options)
    const { blocks, size, kept } = await moveListed(from, to, rest, { ...options, onKept: undefined })

    return { blocks: moved.blocks + blocks, size: moved.size + size, kept: kept + await countDamage(packs, options) }
  }

  return moved
}

/** Delete what an empty layout leaves behind. */
export async function removeLayout ({ layout, close }: Place, directory: string): Promise<void> {
  await close()

  if (layout === 'packs') {
    for (const name of OF_PACKS) {
      await retryWhileOpen(async () => rm(join(directory, name), { recursive: true, force: true }))
    }
  } else {
    for (const name of await readdir(directory)) {
      if (!OF_PACKS.includes(name)) {
        // one that is not empty has something else than blocks
        await rmdir(join(directory, name)).catch(() => {})
      }
    }
  }

  // or blocks might come back with their directories
  await syncDirectory(directory)
}

async function moveListed (
  from: Place,
  to: Place,
  listed: AsyncIterable<StoredBlock[]>,
  { signal, onMoved, onKept }: MoveOptions
): Promise<MovedBlocks> {
  const moved: MovedBlocks = { blocks: 0, size: 0, kept: 0 }
  const read = async (block: StoredBlock): Promise<{ block: StoredBlock, cid: CID, bytes?: Uint8Array }> => {
    const cid = CID.createV1(raw.code, block.multihash)

    try {
      return { block, cid, bytes: await readChecked(cid, from.plain, MAX_BLOCK_SIZE, signal) }
    } catch (err) {
      signal.throwIfAborted()

      if (isMissing(err)) {
        return { block, cid }
      }

      try {
        // it was added again meanwhile
        return { block, cid, bytes: await readChecked(cid, to.plain, MAX_BLOCK_SIZE, signal) }
      } catch {
        signal.throwIfAborted()
        moved.kept++
        onKept?.(err as Error, cid)

        return { block, cid }
      }
    }
  }
  let batch: StoredBlock[] = []
  let bytesOfBatch = 0
  let unused = 0
  const flush = async (): Promise<void> => {
    await to.stored.sync()
    await from.stored.remove(batch, { signal })
    unused += bytesOfBatch
    batch = []
    bytesOfBatch = 0

    if (from.stored instanceof PackStorage && unused >= REPACK_SIZE) {
      await removeEmptyPacks(from.stored, signal)
      unused = 0
    }
  }

  for await (const { block, cid, bytes } of mapOrdered(flat(listed), read, { concurrency: CONCURRENCY, signal })) {
    if (bytes == null) {
      continue
    }

    await to.plain.put(cid, bytes, { signal })
    moved.blocks++
    moved.size += bytes.byteLength
    bytesOfBatch += bytes.byteLength
    onMoved?.(bytes.byteLength)

    if (batch.push(block) >= BATCH_BLOCKS || bytesOfBatch >= BATCH_SIZE) {
      await flush()
    }
  }

  await flush()

  if (from.stored instanceof PackStorage) {
    await removeEmptyPacks(from.stored, signal)
  }

  return moved
}

/** In this order they are read fastest, and whole packs become empty. */
async function * inPackOrder (storage: PackStorage, { signal }: MoveOptions): AsyncGenerator<StoredBlock[]> {
  const packs = await storage.packs()

  for await (const { cid: { multihash } } of packs.getAll({ order: 'packs', signal })) {
    yield [{ multihash }]
  }
}

async function * flat<T> (batches: AsyncIterable<T[]>): AsyncGenerator<T> {
  for await (const batch of batches) {
    yield * batch
  }
}

/** What is damaged in packs, which may hold blocks that nobody knows of. */
async function countDamage (storage: PackStorage, { signal, onKept }: MoveOptions): Promise<number> {
  const { DamagedPackError } = await import('@ipfsz/blockstore-packed')
  let damaged = 0

  for await (const { cid, pack, offset, error } of (await storage.packs()).verify({ signal })) {
    // blocks were reported
    if (cid == null) {
      damaged++
      onKept?.(error instanceof Error ? error : new DamagedPackError(pack, offset, 'a group cannot be read'))
    }
  }

  return damaged
}

/** Only packs without any block: one of which some are left goes later, as a whole. */
async function removeEmptyPacks (storage: PackStorage, signal: AbortSignal): Promise<void> {
  await (await storage.packs()).repack({ maxUnused: 1, signal })
}
