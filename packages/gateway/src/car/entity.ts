import { InvalidDagError, NotUnixFSError, shardLinks, unmark } from '@ipfsz/core'
import { decodeNode } from '@ipfsz/core/nodes'
import * as dagPb from '@ipld/dag-pb'
import * as raw from 'multiformats/codecs/raw'
import { linksOf } from '../dag/links.ts'
import type { Wanted, WantedBelow } from './wanted.ts'
import type { EntityBytes } from '../request/car-params.ts'
import type { FileNode } from '@ipfsz/core/nodes'
import type { CID } from 'multiformats/cid'

/** Bytes of a file, both ends included. */
interface Range {
  from: number
  to: number
}

/** What `dag-scope=entity` and `entity-bytes` mean for a root. */
export type Entity =
  { type: 'file', size: number } | { type: 'sharded-directory' } | { type: 'block' }

/**
 * What kind of entity a block is the root of: only files and sharded directories have more blocks
 * than the root.
 *
 * @throws {InvalidDagError} the size that a file states is too large
 */
export function entityOf (cid: CID, block: Uint8Array): Entity {
  if (cid.code === raw.code) {
    return { type: 'file', size: block.byteLength }
  }

  const node = unmark(cid).code === dagPb.code ? tryDecode(cid, block) : undefined

  switch (node?.unixfs.type) {
    case 'hamt-sharded-directory': return { type: 'sharded-directory' }
    case 'file':
    case 'raw': return { type: 'file', size: sizeOf(node) }
    default: return { type: 'block' }
  }
}

/**
 * The bytes that a range leads to in a file of a given size. What is outside of the file is cut
 * off. Undefined: there are none.
 */
export function rangeWithin ({ from, to }: EntityBytes, size: number): Range | undefined {
  // negative ones count from the end
  const [first, last] = [from, to ?? -1].map(at => at < 0 ? size + at : at)
  const start = Math.max(first, 0)
  const end = Math.min(last, size - 1)

  return start <= end ? { from: start, to: end } : undefined
}

export function * everythingBelow ({ cid }: Wanted, block: Uint8Array): Generator<Wanted> {
  for (const link of linksOf(cid, block)) {
    yield { cid: link }
  }
}

/** The other blocks of a file: parts that are not dag-pb have no links that belong to it. */
export function * fileBelow (wanted: Wanted, block: Uint8Array): Generator<Wanted> {
  if (unmark(wanted.cid).code === dagPb.code) {
    yield * everythingBelow(wanted, block)
  }
}

/** The other shards of a directory, but not its entries. */
export function * shardsBelow ({ cid }: Wanted, block: Uint8Array): Generator<Wanted> {
  const node = unmark(cid).code === dagPb.code ? decodeNode(cid, block) : undefined

  if (node?.unixfs.type !== 'hamt-sharded-directory') {
    throw new InvalidDagError(cid, 'is linked as a shard, but is not one')
  }

  for (const { Hash } of shardLinks(node)) {
    yield { cid: Hash }
  }
}

/** The blocks of a file that hold a range of it. */
export function rangeBelow (range: Range): WantedBelow {
  return function * below (wanted, block) {
    if (wanted.part == null) {
      yield * fileBelow(wanted, block)
    } else if (unmark(wanted.cid).code === dagPb.code) {
      yield * partsWithin(decodeNode(wanted.cid, block), wanted.part, range)
    }
  }
}

function * partsWithin (
  node: FileNode,
  { start, size }: NonNullable<Wanted['part']>,
  { from, to }: Range
): Generator<Wanted> {
  const { cid, links, unixfs: { blockSizes, data } } = node

  if (links.length !== blockSizes.length) {
    throw new InvalidDagError(cid, `has ${links.length} links and ${blockSizes.length} block sizes`)
  }

  // else parts could overlap, and each walk of them be twice as long as that above it
  if (sizeOf(node) !== size) {
    throw new InvalidDagError(cid, `holds ${sizeOf(node)} bytes, but its parent states ${size}`)
  }

  let at = start + (data?.byteLength ?? 0)

  for (const [i, blockSize] of blockSizes.entries()) {
    const partSize = Number(blockSize)
    const end = at + partSize

    if (partSize > 0 && at <= to && end > from) {
      const whole = at >= from && end - 1 <= to
      yield { cid: links.at(i).Hash, ...whole ? {} : { part: { start: at, size: partSize } } }
    }

    at = end
  }
}

function sizeOf ({ cid, unixfs }: FileNode): number {
  const size = Number(unixfs.fileSize())

  if (size > Number.MAX_SAFE_INTEGER) {
    throw new InvalidDagError(cid, 'states a size of more than 2^53 bytes')
  }

  return size
}

function tryDecode (cid: CID, block: Uint8Array): FileNode | undefined {
  try {
    return decodeNode(cid, block)
  } catch (err) {
    if (err instanceof NotUnixFSError) {
      return undefined
    }

    throw err
  }
}
