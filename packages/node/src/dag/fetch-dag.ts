import { isIdentity, unmark } from '@ipfsz/core'
import { decodeBlock } from '@ipfsz/core/nodes'
import { collectBytes } from '@ipfsz/utils/bytes'
import * as dagPb from '@ipld/dag-pb'
import { CidStack } from './cid-stack.ts'
import { Reached } from './reached.ts'
import type { BlocksBelow } from '@ipfsz/core'
import type { NodeLinks } from '@ipfsz/core/nodes'
import type { CID } from 'multiformats/cid'

/** Maximum number of blocks that are asked for at a time, from one end of the DAG. */
const CONCURRENCY = 128
/**
 * How far ahead of the first block that is not here blocks are asked for, in bytes of the DAG: 4 MiB. A gateway sends
 * the blocks in the order of the DAG, and a source that waits for one asks for it alone when this much has passed.
 */
const AHEAD = 4 * 1024 * 1024
/** The fewest bytes of a DAG that is worth to be fetched from both ends, 8 MiB: less is asked for nearly at once. */
export const LEAST_FROM_BOTH_ENDS = 2 * AHEAD
/** Maximum number of blocks to fetch: each is remembered, with 50 bytes. What is left is fetched when it is read. */
const MAX_BLOCKS = 2 ** 20
/** What a leaf and a node have at most, as a rule, in bytes. Links claim the size of all that is below. */
const LEAF_SIZE = 1024 * 1024
const NODE_SIZE = 32 * 1024

export interface FetchDagOptions {
  /** Reads blocks, and fetches those that are missing. */
  blocks: BlocksBelow
  /** Called once if blocks below the root are here already. */
  onFound: () => void
  /** Called with the bytes of each block. */
  onBytes: (bytes: number) => void
  /** Stop after this many bytes. */
  maxBytes: number
  /**
   * Whether there are gateways besides the one that sends the DAG in its order. Then blocks are asked for from the end
   * of the DAG, too, until both meet.
   *
   * @default false
   */
  fromBothEnds?: boolean | undefined
  signal: AbortSignal
}

/** How many bytes a DAG has, as its root claims. */
export async function claimedSize (
  root: CID,
  { blocks, signal }: Pick<FetchDagOptions, 'blocks' | 'signal'>
): Promise<number> {
  return claimOf(root, await collectBytes(blocks.get(unmark(root), { signal })))
}

/** The same, of a root whose block is there. */
export function claimOf (root: CID, bytes: Uint8Array): number {
  const links = Array.from(linksIn(unmark(root), bytes) ?? [])

  return links.reduce((sum, { Tsize }) => sum + (Tsize ?? 0), bytes.byteLength)
}

/**
 * Fetch what is missing of a DAG, before it is read: a reader asks for one block of a file, learns where the next ones
 * are, and on a long link waits each time. Here all files are asked for at once, in the order of the DAG, depth first,
 * or from both its ends.
 *
 * Blocks that are not dag-pb are fetched, and what is below them is left to the reader, which refuses them by name.
 */
export async function fetchDag (root: CID, options: FetchDagOptions): Promise<void> {
  const walk = new FetchWalk(options)

  try {
    await walk.run(unmark(root))
  } finally {
    walk.stop()
  }
}

/** One end of a DAG, and what is still to be asked for from there. */
class End {
  /** What comes next from this end is on top. */
  readonly waiting = new CidStack()
  readonly isLast: boolean
  /** How many blocks are being fetched, and their bytes, with all that is below. */
  running = 0
  ahead = 0

  constructor (isLast: boolean) {
    this.isLast = isLast
  }
}

class FetchWalk {
  readonly #options: FetchDagOptions
  readonly #reached = new Reached()
  readonly #begin = new End(false)
  readonly #end = new End(true)
  readonly #stopped = new AbortController()
  readonly #signal: AbortSignal
  #failure: { reason: unknown } | undefined
  #wake = (): void => {}
  #blocks = 0
  #bytes = 0
  #hasFound = false

  constructor (options: FetchDagOptions) {
    this.#options = options
    this.#signal = AbortSignal.any([options.signal, this.#stopped.signal])
  }

  async run (root: CID): Promise<void> {
    this.#enter(root, 0, this.#begin)

    for (;;) {
      this.#start(this.#begin, this.#end)

      if (this.#options.fromBothEnds === true) {
        this.#start(this.#end, this.#begin)
      }

      if (this.#begin.running + this.#end.running === 0) {
        return
      }

      await new Promise<void>(resolve => { this.#wake = resolve })

      if (this.#failure != null) {
        throw this.#failure.reason
      }
    }
  }

  /** End what is being fetched. */
  stop (): void {
    this.#stopped.abort()
  }

  get #isFull (): boolean {
    return this.#blocks >= MAX_BLOCKS || this.#bytes > this.#options.maxBytes
  }

  /** Ask for what comes next at one end. When nothing is left there, it takes what the other end would ask for last. */
  #start (end: End, other: End): void {
    while (!this.#isFull && end.running < CONCURRENCY) {
      const isMet = end.waiting.isEmpty
      const size = isMet ? other.waiting.peekFirstNumber() : end.waiting.peekNumber()

      if (size == null || (end.running > 0 && end.ahead + size > AHEAD)) {
        return
      }

      const { cid } = isMet ? other.waiting.shift() : end.waiting.pop()
      this.#blocks++
      end.running++
      end.ahead += size
      this.#visit(cid, size, end)
        .catch((err: unknown) => { this.#failure ??= { reason: err } })
        .finally(() => {
          end.running--
          end.ahead -= size
          this.#wake()
        })
    }
  }

  /** @param size - bytes of the block and all below it, as its parent claims */
  async #visit (cid: CID, size: number, end: End): Promise<void> {
    const { blocks, onBytes } = this.#options
    const signal = this.#signal
    const isLeaf = cid.code !== dagPb.code

    // a leaf that is here need not be read: the reader checks it
    if (isLeaf && this.#hasFound && await blocks.has(cid, { signal })) {
      onBytes(size)
      return
    }

    const most = isLeaf ? LEAF_SIZE : NODE_SIZE
    const bytes = await collectBytes(blocks.get(cid, { signal, size: Math.min(size, most), isFarAhead: end.isLast }))

    this.#bytes += bytes.byteLength
    onBytes(bytes.byteLength)

    const links = linksIn(cid, bytes)

    if (links == null) {
      return
    }

    await this.#lookFor(links)

    for (let i = 0; i < links.length; i++) {
      const { Hash, Tsize } = links.at(end.isLast ? i : links.length - 1 - i)
      this.#enter(unmark(Hash), Tsize ?? 0, end)
    }
  }

  #enter (cid: CID, size: number, { waiting }: End): void {
    if (!isIdentity(cid) && this.#reached.add(cid, Number.POSITIVE_INFINITY) != null) {
      waiting.push({ cid, number: size, flag: false })
    }
  }

  /** Find out whether any of these blocks is here, unless one was found before. */
  async #lookFor (links: NodeLinks): Promise<void> {
    for (const { Hash } of links) {
      if (this.#hasFound || this.#signal.aborted) {
        return
      }

      if (!isIdentity(Hash) && !this.#reached.has(Hash.multihash.bytes) &&
        await this.#options.blocks.has(Hash, { signal: this.#signal })) {
        this.#hasFound = true
        this.#options.onFound()
      }
    }
  }
}

function linksIn (cid: CID, bytes: Uint8Array): NodeLinks | undefined {
  if (cid.code !== dagPb.code) {
    return undefined
  }

  try {
    return decodeBlock(bytes).links
  } catch {
    return undefined
  }
}
