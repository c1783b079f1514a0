import { checkBlock, CorruptBlockError, isIdentity, unmark } from '@ipfsz/core'
import { keyOf, linksOf } from './dag-walk.ts'
import type { IpfszComponents } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** How many blocks are read or fetched at one time. */
const CONCURRENCY = 16

/** How a block was found. */
export type BlockState = 'good' | 'missing' | 'damaged'

export interface RepairedBlock {
  cid: CID
  found: BlockState
  /** Whether it is good now. */
  good: boolean
  /** Of the block, 0 where there is none. */
  size: number
}

export interface RepairOptions {
  signal: AbortSignal
  /** Gets a block from others and keeps it. Nothing where nobody has it, or may be asked. */
  fetch: (cid: CID) => Promise<Uint8Array | undefined>
}

type Store = Pick<IpfszComponents['blockstore'], 'get'>

/**
 * Read every block below a root, each once, and fetch those that are missing or
 * damaged. Below one that stays lost nothing is known.
 *
 * @throws {UnknownBlockError} a block has a codec that is not known here
 * @throws {UnknownHashError} a block cannot be compared with its CID
 * @throws {DigestLengthError} nor with so short a digest
 */
export async function * repairDag (root: CID, blockstore: Store, { signal, fetch }: RepairOptions): AsyncGenerator<RepairedBlock> {
  const seen = new Set<string>()
  const waiting: CID[] = []

  const enter = (cid: CID): void => {
    // one multihash may be a leaf here and a node there
    const key = `${cid.code} ${keyOf(cid)}`

    if (!seen.has(key)) {
      seen.add(key)
      waiting.push(cid)
    }
  }

  const visit = async (cid: CID): Promise<RepairedBlock & { links: CID[] }> => {
    if (isIdentity(cid)) {
      return { cid, found: 'good', good: true, size: 0, links: linksOf(cid, cid.multihash.digest) }
    }

    const { found, bytes } = await read(cid, blockstore, signal)
    const good = bytes ?? await fetch(cid)

    return { cid, found, good: good != null, size: good?.byteLength ?? 0, links: good == null ? [] : linksOf(cid, good) }
  }

  enter(unmark(root))

  while (waiting.length > 0) {
    signal.throwIfAborted()

    // from the end, so that what waits stays short
    for (const { links, ...block } of await Promise.all(waiting.splice(-CONCURRENCY).map(visit))) {
      links.toReversed().forEach(enter)
      yield block
    }
  }
}

async function read (cid: CID, blockstore: Store, signal: AbortSignal): Promise<{ found: BlockState, bytes?: Uint8Array }> {
  const pieces: Uint8Array[] = []

  try {
    for await (const piece of blockstore.get(cid, { signal })) {
      pieces.push(piece)
    }
  } catch (err) {
    signal.throwIfAborted()
    const name = err instanceof Error ? err.name : ''

    if (name === 'NotFoundError') {
      return { found: 'missing' }
    }

    if (name === 'CorruptBlockError') {
      return { found: 'damaged' }
    }

    throw err
  }

  const bytes = Buffer.concat(pieces)

  try {
    await checkBlock(cid, bytes)

    return { found: 'good', bytes }
  } catch (err) {
    if (err instanceof CorruptBlockError) {
      return { found: 'damaged' }
    }

    throw err
  }
}
