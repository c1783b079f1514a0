import { fileSize } from '../dag/read.ts'
import { prefixLength } from '../directory/shard-place.ts'
import { isSharded } from '../directory/shards.ts'
import type { FileNode } from '../dag/node.ts'
import type { Header } from '../format/header.ts'
import type { PBLink } from '@ipld/dag-pb'

/** The totals of a node and everything below it, in the terms of Helia's extended stat: repeated blocks count again. */
export interface DagTotals {
  blocks: bigint
  dagSize: bigint
  localSize: bigint
  /** Bytes of all files in a directory. */
  filesSize: bigint
}

export interface Totals extends DagTotals {
  /** Bytes of the file, if the node belongs to one. */
  fileSize: bigint
}

export function noTotals (): Totals {
  return { blocks: 0n, dagSize: 0n, localSize: 0n, filesSize: 0n, fileSize: 0n }
}

export function leafTotals (length: number): Totals {
  const size = BigInt(length)

  return { blocks: 1n, dagSize: size, localSize: size, filesSize: 0n, fileSize: size }
}

export function ownTotals (node: FileNode, header?: Header): Totals {
  return {
    blocks: 1n,
    dagSize: BigInt(node.length),
    localSize: BigInt(node.links.length > 0 ? 0 : node.unixfs.data?.byteLength ?? 0),
    filesSize: 0n,
    // a target is not content
    fileSize: node.unixfs.isDirectory() || node.unixfs.type === 'symlink' ? 0n : BigInt(header?.size ?? fileSize(node))
  }
}

export function addTotals (totals: DagTotals, child: Totals | undefined, isEntry: boolean): void {
  if (child != null) {
    totals.blocks += child.blocks
    totals.dagSize += child.dagSize
    totals.localSize += child.localSize
    totals.filesSize += child.filesSize + (isEntry ? child.fileSize : 0n)
  }
}

/** Whether a link leads to an entry of a directory, and not to a part of the node itself. */
export function isEntryLink (node: FileNode, { Name: label = '' }: PBLink): boolean {
  return isSharded(node) ? label.length > prefixLength(node) : node.unixfs.isDirectory()
}
