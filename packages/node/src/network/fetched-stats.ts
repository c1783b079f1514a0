import { setMaxListeners } from 'node:events'
import type { Fetched } from '../events.ts'
import type { BlockSource } from '@ipfsz/core'

/** Called when a block is asked for. Returns what is called when it has arrived. */
export type OnFetch = () => (sender: string, bytes: number) => void

/** What was fetched, and from where. */
export class FetchedStats implements Fetched {
  blocks = 0
  bytes = 0
  /** How many of the blocks replaced a damaged block of the repo. */
  replaced = 0
  /** By peer id, or the URL of a gateway. */
  readonly senders = new Map<string, { blocks: number, bytes: number }>()

  /** The same source, with its blocks counted. Its fetches end when `signal` aborts, too. */
  count (source: BlockSource, signal: AbortSignal, onFetch?: OnFetch): BlockSource {
    setMaxListeners(0, signal)

    return {
      fetch: async (cid, options) => {
        const onArrival = onFetch?.()
        const block = await source.fetch(cid, { ...options, signal: AbortSignal.any([signal, options.signal]) })
        const { byteLength } = block.bytes

        if (block.sender != null) {
          onArrival?.(block.sender, byteLength)
          const of = this.senders.get(block.sender) ?? { blocks: 0, bytes: 0 }
          this.senders.set(block.sender, { blocks: of.blocks + 1, bytes: of.bytes + byteLength })
        }

        this.blocks++
        this.bytes += byteLength
        this.replaced += options.damaged === true ? 1 : 0

        return block
      },
      found: (...args) => source.found?.(...args),
      failures: () => source.failures?.() ?? [],
      gaveUp: async (...args) => source.gaveUp?.(...args)
    }
  }
}
