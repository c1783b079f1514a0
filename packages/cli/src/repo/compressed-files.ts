import { ipfsz } from '@ipfsz/core'
import { walkDag } from '../dag/dag-walk.ts'
import { Reached } from '../dag/reached.ts'
import { DamagedDagError } from '../errors.ts'
import { LastBlockStore } from './last-block-store.ts'
import type { WalkedBlock } from '../dag/dag-walk.ts'
import type { Pin } from './pin-records.ts'
import type { Repo } from './repo.ts'
import type { Ipfsz, Stats } from '@ipfsz/core'

export interface CompressedFiles {
  /** How many compressed files the pins reach. A file that occurs several times counts once. */
  count: number
  /** Their original bytes. */
  size: number
  /** Their stored bytes, as their roots state them: a block that several of them share counts for each. */
  storedSize: number
  /** Pins with missing or damaged blocks. Not all of their files are counted. */
  incompletePins: number
}

/**
 * Find what compressed files save, without reading leaves: the root of each file states its original and its stored
 * size.
 *
 * @param options.onBlocks - called with the number of blocks that were reached since the last call
 */
export async function findCompressedFiles (
  repo: Pick<Repo, 'blockstore'>,
  pins: Iterable<Pin> | AsyncIterable<Pin>,
  { signal, onBlocks }: { signal: AbortSignal, onBlocks?: (blocks: number) => void }
): Promise<CompressedFiles> {
  const found: CompressedFiles = { count: 0, size: 0, storedSize: 0, incompletePins: 0 }
  // kept after a walk that failed: what it did not reach stays uncounted, and nothing counts twice
  const reached = new Reached()
  const blocks = new LastBlockStore()
  // reads the block that the walk has just read, and follows no links: those would lead to other files
  const files = ipfsz({ blockstore: blocks })

  for await (const { plainCid, depth } of pins) {
    try {
      for await (const block of walkDag(plainCid, repo.blockstore, { signal, leaves: 'skip', depth, reached })) {
        onBlocks?.(1)
        const file = await fileIn(block, blocks, files)

        if (file != null) {
          found.count++
          found.size += Number(file.size)
          // its base counts as a file of its own
          found.storedSize += Number(file.storedSize - (file.baseSize ?? 0n))
        }
      }
    } catch (err) {
      if (!(err instanceof DamagedDagError)) {
        throw err
      }

      found.incompletePins++
    }
  }

  return found
}

/** The sizes of the compressed file that has this root, or undefined if it is no such root. */
async function fileIn (
  { cid, bytes }: WalkedBlock,
  blocks: LastBlockStore,
  files: Ipfsz
): Promise<Stats | undefined> {
  if (bytes == null) {
    return undefined
  }

  await blocks.put(cid, bytes)

  try {
    const { markedCid } = await files.stat(cid)

    return markedCid == null ? undefined : await files.stat(markedCid)
  } catch {
    // another kind of block, or a header that breaks a rule: not a file that ipfsz could read
    return undefined
  }
}
