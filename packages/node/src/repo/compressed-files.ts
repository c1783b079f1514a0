import { DagMeter } from '@ipfsz/core'
import { MultihashSet } from '../dag/multihash-set.ts'
import type { Pin } from './pin-records.ts'
import type { Repo } from './repo.ts'

export interface CompressedFiles {
  /** How many compressed files the pins reach. One that occurs several times counts once, and a base alone does not. */
  count: number
  /** Their original bytes. */
  size: number
  /** Bytes of their blocks, and of those of compressed bases, each counted once. */
  storedSize: number
  /** Pins with missing or damaged blocks. Not all of their files are counted. */
  incompletePins: number
}

/**
 * Find what compressed files save, without reading leaves: the blocks above state their sizes.
 *
 * @param options.onBlocks - called with the number of blocks that were reached since the last call
 */
export async function findCompressedFiles (
  { blockstore }: Pick<Repo, 'blockstore'>,
  pins: Iterable<Pin> | AsyncIterable<Pin>,
  { signal, onBlocks }: { signal: AbortSignal, onBlocks?: (blocks: number) => void }
): Promise<CompressedFiles> {
  const meter = new DagMeter({
    blockstore,
    makeSeen: () => new MultihashSet(),
    // of an incomplete pin, what is there counts
    offline: true,
    skipsLeaves: true,
    onBlock: () => { onBlocks?.(1) }
  })
  let incompletePins = 0

  for await (const { plainCid, depth } of pins) {
    // blocks that are damaged are not skipped
    const isIncomplete = await meter.add(plainCid, { signal, levels: depth })
      .then(found => found.isIncomplete, () => true)
    signal.throwIfAborted()
    incompletePins += isIncomplete ? 1 : 0
  }

  // after all files: a base that is one of them counts there. What is damaged is not counted
  await meter.addBases({ signal }).catch(() => { signal.throwIfAborted() })
  const { files: count, size, storedSize } = meter.counted.compressed

  return { count, size: Number(size), storedSize: Number(storedSize), incompletePins }
}
