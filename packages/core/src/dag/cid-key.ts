import type { CID } from 'multiformats/cid'

const decoder = new TextDecoder('latin1')

/**
 * A key for a Map that remembers many CIDs. Not `cid.toString()`: multiformats builds that character by character, and
 * V8 keeps such a string as a tree of its parts, which takes 1.6 KB.
 */
export function cidKey ({ bytes }: CID): string {
  return decoder.decode(bytes)
}
