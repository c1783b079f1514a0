import { setMaxListeners } from 'node:events'
import { DEFAULT_STALL_TIMEOUT, FetchStalledError } from '@ipfsz/core'
import { raceAbort } from '@ipfsz/utils/race-abort'
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

/** A fetch that is under way. */
interface Running {
  /** The key of the root whose providers are asked. */
  root: string
  result: Promise<SourceBlock>
  /** How many requests wait for it. At 0, it is ended. */
  waiting: number
  ended: AbortController
}

export interface SharedBlock extends SourceBlock {
  /** Whether it had to be fetched. False: it was still in memory. */
  fetched: boolean
}

/**
 * Fetches each block once for all requests that want it at the same time, whatever their roots. A fetch goes on
 * as long as any of them waits for it. Blocks that arrived last are kept in memory.
 */
export class SharedFetches {
  /** By the keys of blocks. */
  readonly #running = new Map<string, Running[]>()
  readonly #recent: RecentBlocks

  constructor (recent: RecentBlocks) {
    this.#recent = recent
  }

  /**
   * @param source - fetches a block and stores it nowhere. Sources of one root are the same
   * @throws what the source throws
   */
  async fetch (
    cid: CID,
    source: Pick<BlockSource, 'fetch'>,
    options: Pick<SourceOptions, 'root' | 'size' | 'signal'>
  ): Promise<SharedBlock> {
    const { signal } = options
    let mayJoinOthers = true

    for (;;) {
      signal.throwIfAborted()
      const recent = this.#recent.get(cid)

      if (recent != null) {
        return { ...recent, fetched: false }
      }

      const all = this.#running.get(keyOf(cid)) ?? []
      const same = all.find(({ root }) => root === keyOf(options.root))
      const joined = same ?? (mayJoinOthers ? all.at(0) : undefined)

      if (joined == null) {
        return this.#wait(cid, this.#start(cid, source, options), signal)
      }

      try {
        return await (same == null ? this.#waitShortly(cid, joined, signal) : this.#wait(cid, joined, signal))
      } catch (err) {
        signal.throwIfAborted()

        // it did not search for peers: this one may try for itself
        if (same != null && !(err instanceof FetchStalledError)) {
          throw err
        }

        mayJoinOthers = false
      }
    }
  }

  #start (
    cid: CID,
    source: Pick<BlockSource, 'fetch'>,
    { root, size }: Pick<SourceOptions, 'root' | 'size'>
  ): Running {
    const ended = new AbortController()
    const result = this.#run(cid, source, { root, size, signal: ended.signal }, ended)
    const running = { root: keyOf(root), result, waiting: 0, ended }

    this.#running.set(keyOf(cid), [...this.#running.get(keyOf(cid)) ?? [], running])

    return running
  }

  async #run (
    cid: CID,
    source: Pick<BlockSource, 'fetch'>,
    options: SourceOptions,
    ended: AbortController
  ): Promise<SourceBlock> {
    setMaxListeners(0, ended.signal)

    try {
      const block = await source.fetch(cid, options)
      this.#recent.set(cid, block)

      return block
    } finally {
      this.#end(cid, ended)
    }
  }

  async #wait (cid: CID, running: Running, signal: AbortSignal): Promise<SharedBlock> {
    running.waiting++

    try {
      return { ...await raceAbort(running.result, signal), fetched: true }
    } finally {
      running.waiting--

      if (running.waiting === 0) {
        this.#end(cid, running.ended)
        running.ended.abort()
      }
    }
  }

  async #waitShortly (cid: CID, running: Running, signal: AbortSignal): Promise<SharedBlock> {
    const late = new AbortController()
    const timer = setTimeout(() => { late.abort() }, PATIENCE)

    try {
      return await this.#wait(cid, running, AbortSignal.any([signal, late.signal]))
    } finally {
      clearTimeout(timer)
    }
  }

  /** Nobody may join it any more. */
  #end (cid: CID, ended: AbortController): void {
    const rest = (this.#running.get(keyOf(cid)) ?? []).filter(running => running.ended !== ended)

    if (rest.length === 0) {
      this.#running.delete(keyOf(cid))
    } else {
      this.#running.set(keyOf(cid), rest)
    }
  }
}
