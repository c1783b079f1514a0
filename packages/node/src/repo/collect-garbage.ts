import { walkDag } from '../dag/dag-walk.ts'
import { Reached } from '../dag/reached.ts'
import type { Pin } from './pin-records.ts'
import type { Repo } from './repo.ts'

export interface GarbageOptions {
  signal: AbortSignal
  /** Called for each step with the number of blocks that it looked at, or deleted. */
  onBlocks?: (blocks: number) => void
}

export interface Garbage {
  /** Number of pins. */
  pins: number
  /** Number of blocks that a pin reaches. */
  kept: number
  /** Number of blocks that no pin reaches. */
  unwanted: number
  /** Stored bytes of the unwanted blocks. */
  size: number
  /** The blocks that the pins reach. `removeGarbage` keeps these. */
  reached: Reached
}

/**
 * Count the blocks that no pin reaches. `removeGarbage` searches for them again: a list of millions of blocks
 * takes gigabytes.
 *
 * @throws {DamagedDagError} a block below a pin is missing or damaged, so what the pin reaches is unknown
 */
export async function findGarbage (
  repo: Repo,
  pins: Iterable<Pin> | AsyncIterable<Pin>,
  { signal, onBlocks }: GarbageOptions
): Promise<Garbage> {
  const reached = new Reached()
  const garbage: Garbage = { pins: 0, kept: 0, unwanted: 0, size: 0, reached }

  for await (const { plainCid, depth } of pins) {
    garbage.pins++

    for await (const _ of walkDag(plainCid, repo.blockstore, { signal, leaves: 'skip', depth, reached })) {
      // the walk records each block in `reached`
      onBlocks?.(1)
    }
  }

  for await (const listed of repo.storage.blocks({ signal })) {
    const unwanted = listed.filter(({ multihash }) => !reached.has(multihash.bytes))
    const sizes = await Promise.all(unwanted.map(async block => repo.storage.sizeOf(block)))

    garbage.kept += listed.length - unwanted.length
    garbage.unwanted += unwanted.length
    garbage.size += sizes.reduce((total, size) => total + size, 0)
    onBlocks?.(listed.length)
  }

  return garbage
}

/** Delete the blocks that no pin reaches. Returns the bytes of packs that were removed as a whole. */
export async function removeGarbage (
  repo: Repo,
  { reached }: Garbage,
  { signal, onBlocks }: GarbageOptions
): Promise<number> {
  const packs = await repo.packs?.()
  // first, as it needs no free space
  const removed = await packs?.removeUnused(multihash => reached.has(multihash), { signal })
  onBlocks?.(removed?.blocks ?? 0)

  for await (const listed of repo.storage.blocks({ signal })) {
    signal.throwIfAborted()
    const unwanted = listed.filter(({ multihash }) => !reached.has(multihash.bytes))
    await repo.storage.remove(unwanted)
    onBlocks?.(unwanted.length)
  }

  return removed?.bytes ?? 0
}
