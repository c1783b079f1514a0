import type { FileNode } from './node.ts'
import type { CID } from 'multiformats/cid'

/** The plain CID of the base of a file that has one: the last link of its root (docs/format.md, section 6). */
export function baseOf ({ links }: FileNode): CID {
  return links.at(links.length - 1).Hash
}

/** Bytes of all blocks of the base, as the link to it states. */
export function baseSizeOf ({ links }: FileNode): bigint {
  return BigInt(links.at(links.length - 1).Tsize ?? 0)
}
