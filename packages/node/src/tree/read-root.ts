import { decodeNode, findHeader } from '@ipfsz/core/nodes'
import { sha256Sync } from '@ipfsz/utils/sha256-sync'
import { metadataOf } from '../disk/restore-metadata.ts'
import type { Metadata } from '../disk/restore-metadata.ts'
import type { CID } from 'multiformats/cid'

/** What the root of an entry says that is no small file. */
export interface RootEntry {
  type: 'file' | 'directory' | 'symlink'
  metadata: Metadata
  /** Original bytes of a file. */
  size: number
}

/**
 * Read the root of an entry that is no small file.
 *
 * @param isMarked - whether files are read decompressed
 * @returns undefined if it is nothing that a tree has
 * @throws {Error} the block is not what it should be
 */
export function readRoot (cid: CID, block: Uint8Array, isMarked: boolean): RootEntry | undefined {
  if (Buffer.compare(sha256Sync(block) ?? block, cid.multihash.digest) !== 0) {
    return undefined
  }

  const node = decodeNode(cid, block)
  const { unixfs } = node
  const metadata = metadataOf({ unixfs, mtime: unixfs.mtime })

  if (unixfs.isDirectory()) {
    return { type: 'directory', metadata, size: 0 }
  }

  if (unixfs.type === 'symlink') {
    return { type: 'symlink', metadata, size: 0 }
  }

  const size = Number((isMarked ? findHeader(node)?.size : undefined) ?? unixfs.fileSize())

  return (unixfs.type === 'file' || unixfs.type === 'raw') && Number.isSafeInteger(size)
    ? { type: 'file', metadata, size }
    : undefined
}
