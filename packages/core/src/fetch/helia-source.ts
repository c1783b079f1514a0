import { collectBytes } from '@ipfsz/utils/bytes'
import type { BlockSource, SourceBlock } from './source.ts'
import type { Blockstore } from 'interface-blockstore'
import type { ProgressEvent } from 'progress-events'

/**
 * Fetches through a networked blockstore, such as Helia's, which stores what it fetches. It is the only source if no
 * others are given.
 */
export function heliaSource (blockstore: Pick<Blockstore, 'get'>): BlockSource {
  return {
    async fetch (cid, options) {
      let sender: Pick<SourceBlock, 'provider' | 'broker'> = {}

      const onProgress = (event: ProgressEvent): void => {
        if (event.type === 'helia:block-broker:receive-block') {
          const { provider, broker } = (event as ProgressEvent<string, typeof sender>).detail ?? {}
          sender = { provider, broker }
        }

        options.onProgress?.(event)
      }

      const bytes = await collectBytes(
        blockstore.get(cid, { ...options, onProgress } as Parameters<Blockstore['get']>[1])
      )

      return { bytes, stored: true, ...sender }
    }
  }
}
