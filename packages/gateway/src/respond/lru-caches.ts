import { LRUCache } from 'lru-cache'
import type { GatewayCaches } from './context.ts'

/** How many types of files are remembered. */
const REMEMBERED_TYPES = 10_000

/** Bytes of the pages that are remembered. A page of 10,000 entries has 6 MiB. */
const REMEMBERED_SIZE = 32 * 1024 * 1024

/** The caches of one gateway. */
export function lruCaches (): GatewayCaches {
  return {
    types: new LRUCache<string, string>({ max: REMEMBERED_TYPES }),
    pages: new LRUCache<string, Uint8Array>({
      maxSize: REMEMBERED_SIZE,
      sizeCalculation: ({ byteLength }, key) => byteLength + key.length
    })
  }
}
