import { fileSize } from '../dag/read.ts'
import { InvalidHeaderError } from '../errors.ts'
import { hasBase } from '../format/header.ts'
import { readHeader } from '../format/read-header.ts'
import type { FileNode } from '../dag/node.ts'
import type { Header } from '../format/header.ts'

/** The header of a root, if it has one. */
export function findHeader (node: FileNode, marker?: number): Header | undefined {
  const lastLinkSize = Number(node.unixfs.blockSizes.at(-1) ?? 0)
  const header = readHeader(node.data, { cid: node.cid, marker, streamSize: fileSize(node), lastLinkSize })

  if (header != null && (node.unixfs.type !== 'file' || (node.unixfs.data != null && node.links.length > 0))) {
    throw new InvalidHeaderError(node.cid, 'root', 'its block is not a file, or has both data and links')
  }

  if (header != null && hasBase(header) && node.links.length !== node.unixfs.blockSizes.length) {
    throw new InvalidHeaderError(node.cid, 'base', 'its block sizes do not match its links')
  }

  return header
}
