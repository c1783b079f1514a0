import { setMaxListeners } from 'node:events'
import { DEFAULT_STALL_TIMEOUT, FetchStalledError } from '@ipfsz/core'
import { SingleFlight } from '@ipfsz/utils/single-flight'
import { keyOf } from '../dag/dag-walk.ts'
import type { RecentBlocks } from './recent-blocks.ts'
import type { BlockSource, SourceBlock, SourceOptions } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/**
 * How long a request waits for a fetch that another request began below another root, in milliseconds. Then it asks
 * the providers of its own root: those of the other root may be slow, or hold the block back on purpose. Half of the
 * time after which a block is asked for again, which would begin this wait anew.
 */
const PATIENCE = DEFAULT_STALL_TIMEOUT / 2

export interface SharedBlock extends SourceBlock {
  /** Whether it had to be fetched. False: it was still in memory. */
  fetched: boolean
}

/**
 * Fetches each block once for all requests that want it at the same time, whatever their roots. A fetch goes on
 * as long as any of them waits for it. Blocks that arrived last are kept in memory.
 */
export class SharedFetches {
  /** Those that are under way: by the keys of blocks, each by the key of the root whose providers are asked. */
  readonly #running = new Map<string, SingleFlight<SourceBlock>>()
  readonly #recent: RecentBlocks

  constructor (recent: RecentBlocks) {
    this.#recent = recent
  }

  /** @param source - fetches a block and stores it nowhere. Sources of one root are the same */
  async fetch (
    cid: CID,
    source: Pick<BlockSource, 'fetch'>,
    { root, size, signal }: Pick<SourceOptions, 'root' | 'size' | 'signal'>
  ): Promise<SharedBlock> {
    const own = keyOf(root)
    let mayJoinOthers = true

    for (;;) {
      signal.throwIfAborted()
      const recent = this.#recent.get(cid)

      if (recent != null) {
        return { ...recent, fetched: false }
      }

      const running = this.#running.get(keyOf(cid)) ?? new SingleFlight()
      const joins = running.has(own)
      const [other] = joins || !mayJoinOthers ? [] : running.keys()
      const work = async (unneeded: AbortSignal): Promise<SourceBlock> => {
        setMaxListeners(0, unneeded)
        const block = await source.fetch(cid, { root, size, signal: unneeded })
        this.#recent.set(cid, block)

        return block
      }

      this.#running.set(keyOf(cid), running)

      try {
        const block = other == null
          ? await running.run(own, work, signal)
          : await withPatience(signal, async patience => running.run(other, work, patience))

        return { ...block, fetched: true }
      } catch (err) {
        signal.throwIfAborted()

        // one that was joined may not have searched for peers: this one may try for itself
        if (other == null && !(joins && err instanceof FetchStalledError)) {
          throw err
        }

        mayJoinOthers = false
      } finally {
        if (running.isIdle && this.#running.get(keyOf(cid)) === running) {
          this.#running.delete(keyOf(cid))
        }
      }
    }
  }
}

async function withPatience<T> (signal: AbortSignal, wait: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController()
  const timer = setTimeout(() => { late.abort() }, PATIENCE)

  try {
    return await wait(AbortSignal.any([signal, late.signal]))
  } finally {
    clearTimeout(timer)
  }
}
