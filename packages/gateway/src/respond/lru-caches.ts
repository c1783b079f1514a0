import { LruMap } from '@ipfsz/utils/lru-map'
import { ParsedRedirects } from '../resolve/parsed-redirects.ts'
import { ToldOnce } from './told-once.ts'
import type { GatewayCaches } from './context.ts'

/** Bytes of the types and the hashes of files that are remembered: of some 20,000 each. CIDs may be long. */
const REMEMBERED_TEXTS_SIZE = 4 * 1024 * 1024

/** About what an entry takes besides its texts. */
const ENTRY_SIZE = 100

/** Bytes of the pages that are remembered. A page of 10,000 entries has 6 MiB. */
const REMEMBERED_SIZE = 32 * 1024 * 1024

export function lruCaches (): GatewayCaches {
  return {
    types: rememberTexts(),
    digests: rememberTexts(),
    redirects: new ParsedRedirects(),
    pages: new LruMap<string, Uint8Array>({
      maxSize: REMEMBERED_SIZE,
      sizeOf: ({ byteLength }, key) => byteLength + key.length
    })
  }
}

function rememberTexts (): ToldOnce {
  return new ToldOnce(new LruMap<string, string>({
    maxSize: REMEMBERED_TEXTS_SIZE,
    sizeOf: (text, key) => text.length + key.length + ENTRY_SIZE
  }))
}
