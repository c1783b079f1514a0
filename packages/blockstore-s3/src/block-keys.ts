import { base32 } from 'multiformats/bases/base32'
import * as Digest from 'multiformats/hashes/digest'
import type { CID, MultihashDigest } from 'multiformats'

/** What the keys of blocks begin with. */
export const BLOCKS = 'blocks/'

const BLOCK_KEY = /^blocks\/([\da-z]{2})\/(b[2-7a-z]+)$/

/**
 * The key of a block: `blocks/XX/MULTIHASH`. The multihash is in base32, and XX are its two last characters but one,
 * as in blockstore-fs: stores that split their keys by their beginnings get parts of the same size.
 */
export function blockKey (cid: CID): string {
  const name = base32.encode(cid.multihash.bytes)

  return `${BLOCKS}${name.slice(-3, -1)}/${name}`
}

/** @returns undefined if the object is none of ours */
export function multihashOf (key: string): MultihashDigest | undefined {
  const [, shard, name] = BLOCK_KEY.exec(key) ?? []

  if (name == null || name.slice(-3, -1) !== shard) {
    return undefined
  }

  try {
    return Digest.decode(base32.decode(name))
  } catch {
    return undefined
  }
}
