import { randomUUID } from 'node:crypto'
import { base32 } from 'multiformats/bases/base32'
import type { CID } from 'multiformats/cid'

/** The longest text of a root CID that names a directory. Only identity CIDs are longer. */
const MAX_ROOT_LENGTH = 128

/** The name of a root: its plain CID of version 1. Undefined if that is too long for the name of a directory. */
export function rootName (root: CID): string | undefined {
  const name = root.toV1().toString(base32)

  return name.length > MAX_ROOT_LENGTH ? undefined : name
}

/**
 * A name for the directory of a root, different each time: a root may need a new directory while its old one is still
 * being deleted.
 */
export function newDirectoryName (root: string): string {
  return `${root}.${randomUUID()}`
}

/** The root that a directory belongs to. Undefined: the cache did not make it. */
export function rootOfDirectory (name: string): string | undefined {
  return /^([a-z2-7]{1,128})\.[\da-f-]{36}$/.exec(name)?.[1]
}

/** The name of the file of a block. Blocks of the same multihash have the same bytes. */
export function blockName ({ multihash }: CID): string {
  return base32.encode(multihash.bytes)
}
