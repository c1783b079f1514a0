import * as dagPb from '@ipld/dag-pb'
import * as raw from 'multiformats/codecs/raw'
import { CustomProgressEvent } from 'progress-events'
import { DEFAULT_BLOCK_READ_CONCURRENCY, MAX_DAG_DEPTH } from '../constants.ts'
import { InvalidDagError } from '../errors.ts'
import { mapOrdered } from '../map-ordered.ts'
import { getBlock } from './block.ts'
import { decodeNode } from './node.ts'
import type { GetBlockOptions, GetStore } from './block.ts'
import type { FileNode } from './node.ts'
import type { ExporterProgressEvents } from 'ipfs-unixfs-exporter'
import type { CID } from 'multiformats/cid'
import type { ProgressOptions } from 'progress-events'

export interface ReadOptions extends GetBlockOptions, ProgressOptions<ExporterProgressEvents> {
  /**
   * How many blocks are read at one time, ahead of what was asked for.
   *
   * @default 8
   */
  blockReadConcurrency?: number | undefined
}

/** Bytes of a file, from `start` up to and without `end`. */
interface Range {
  start: number
  end: number
  /** Fetch children of no bytes too, which no range holds. */
  empty?: boolean
}

interface Child {
  cid: CID
  size: number
  /** Where in the file it begins. */
  position: number
}

/**
 * The bytes of a UnixFS file from `start` up to and without `end`, block by block.
 * The blocks that hold them are fetched and no others, a bounded number ahead.
 *
 * Not done by ipfs-unixfs-exporter: it fetches everything that was asked for
 * whether or not it is taken, so a large file fills the memory, and where a range
 * ends with a block it fetches the next one too.
 *
 * @throws {InvalidDagError} a block holds more or fewer bytes than its parent says
 */
export async function * readRange (node: FileNode, start: number, end: number, blockstore: GetStore, options: ReadOptions): AsyncGenerator<Uint8Array> {
  yield * walk(node, 0, { start, end }, 0, blockstore, options)
}

/** All bytes of a file. Its blocks that hold no bytes are fetched too, and what is below them is not. */
export async function * readWhole (node: FileNode, blockstore: GetStore, options: ReadOptions): AsyncGenerator<Uint8Array> {
  yield * walk(node, 0, { start: 0, end: Number.POSITIVE_INFINITY, empty: true }, 0, blockstore, options)
}

async function * walk (node: FileNode, position: number, range: Range, depth: number, blockstore: GetStore, options: ReadOptions): AsyncGenerator<Uint8Array> {
  if (depth > MAX_DAG_DEPTH) {
    throw new InvalidDagError(node.cid, `is more than ${MAX_DAG_DEPTH} levels below the root`)
  }

  options.onProgress?.(new CustomProgressEvent('unixfs:exporter:walk:file', { cid: node.cid }))

  if (node.unixfs.data != null) {
    yield * overlap(node.unixfs.data, position, range)
  }

  const blocks = mapOrdered(childrenWithin(node, position, range), async child => ({
    child,
    block: await getBlock(child.cid, blockstore, options)
  }), { concurrency: options.blockReadConcurrency ?? DEFAULT_BLOCK_READ_CONCURRENCY, signal: options.signal })

  for await (const { child, block } of blocks) {
    if (child.cid.code === raw.code) {
      options.onProgress?.(new CustomProgressEvent('unixfs:exporter:walk:file', { cid: child.cid }))
      checkSize(child, block.byteLength)
      yield * overlap(block, child.position, range)
    } else if (child.cid.code === dagPb.code) {
      const inner = decodeNode(child.cid, block)
      checkSize(child, fileSize(inner))

      // nodes of nothing that link each other again and again would never end
      if (child.size > 0) {
        yield * walk(inner, child.position, range, depth + 1, blockstore, options)
      }
    } else {
      throw new InvalidDagError(child.cid, `has the codec 0x${child.cid.code.toString(16)}, which no file is made of`)
    }
  }
}

/**
 * How many bytes a node says to be above.
 *
 * @throws {InvalidDagError} more than can be counted
 */
export function fileSize (node: FileNode): number {
  const size = Number(node.unixfs.fileSize())

  if (size > Number.MAX_SAFE_INTEGER) {
    throw new InvalidDagError(node.cid, 'says to hold more than 2^53 bytes')
  }

  return size
}

function childrenWithin (node: FileNode, position: number, { start, end, empty = false }: Range): Child[] {
  const { blockSizes, data } = node.unixfs
  const children: Child[] = []

  if (node.links.length !== blockSizes.length) {
    throw new InvalidDagError(node.cid, `has ${node.links.length} links and ${blockSizes.length} block sizes`)
  }

  let at = position + (data?.byteLength ?? 0)

  for (const [i, { Hash: cid }] of node.links.entries()) {
    const size = Number(blockSizes[i])

    if (size > 0 ? at < end && at + size > start : empty) {
      children.push({ cid, size, position: at })
    }

    at += size
  }

  return children
}

function * overlap (bytes: Uint8Array, position: number, { start, end }: Range): Generator<Uint8Array> {
  const from = Math.max(start - position, 0)
  const to = Math.min(end - position, bytes.byteLength)

  if (from < to) {
    yield bytes.subarray(from, to)
  }
}

function checkSize (child: Child, size: number): void {
  if (size !== child.size) {
    throw new InvalidDagError(child.cid, `holds ${size} bytes instead of the ${child.size} that its parent says`)
  }
}
