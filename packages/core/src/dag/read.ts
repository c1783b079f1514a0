import { EventLoopBreaks } from '@ipfsz/utils/event-loop'
import { freeBlock } from '@ipfsz/utils/free-bytes'
import * as raw from 'multiformats/codecs/raw'
import { CustomProgressEvent } from 'progress-events'
import { MAX_DAG_DEPTH } from '../constants.ts'
import { InvalidDagError } from '../errors.ts'
import { ChildList } from './child-list.ts'
import { decodeNode } from './node.ts'
import { readAhead } from './read-ahead.ts'
import type { FilePart, GetBlockOptions, GetStore } from './block.ts'
import type { Child } from './child-list.ts'
import type { FileNode } from './node.ts'
import type { Opened } from './items.ts'
import type { ExporterProgressEvents } from 'ipfs-unixfs-exporter'
import type { ProgressOptions } from 'progress-events'

export interface ReadOptions extends GetBlockOptions, ProgressOptions<ExporterProgressEvents> {
  /**
   * How many blocks to read ahead. Unless it is set, blocks from peers are limited only by
   * `fetch` of `IpfszInit`.
   *
   * @default 8, or up to 128 small blocks of 8 MiB together
   */
  blockReadConcurrency?: number | undefined

  /**
   * Whether blocks and frames are read before they are asked for. Without that, a reader holds the least memory, and
   * what it has not been asked for yet costs nothing.
   *
   * @default true
   */
  readAhead?: boolean | undefined

  /**
   * Called when nodes are entered or left, with the change in bytes of the links that are held above the current block.
   * A file of strangers may have 32 MiB of them. At the end of reading, the changes add up to 0.
   */
  onOpenLinks?: ((change: number) => void) | undefined
}

/** A range of bytes, from `start` to `end` (exclusive). */
export interface ByteRange {
  start: number
  end: number
}

/** A range for {@link readTransient}. */
interface WalkRange extends ByteRange {
  /** Also fetch the children that hold no bytes, which no range includes. */
  empty?: boolean
}

/** All of a file, and the blocks that hold none of its bytes. */
export const WHOLE: Readonly<WalkRange> = { start: 0, end: Number.POSITIVE_INFINITY, empty: true }

interface Range extends WalkRange {
  /** Free each block before the next is yielded, if nothing else refers to it. */
  frees?: boolean
}

/**
 * The bytes of a range of a UnixFS file, block by block. Fetches only
 * the blocks that hold them, a bounded number ahead.
 *
 * ipfs-unixfs-exporter is not used: it fetches the whole range whether or not it is consumed,
 * so a large file fills the memory, and it fetches one block too many if a range ends with a
 * block.
 *
 * @throws {InvalidDagError} a block holds more or fewer bytes than its parent states
 */
export async function * readRange (
  node: FileNode,
  range: ByteRange,
  blockstore: GetStore,
  options: ReadOptions
): AsyncGenerator<Uint8Array> {
  yield * walk(node, range, blockstore, options)
}

/**
 * Like `readRange`, for a caller that is done with the bytes it got when it asks for the next ones: then they may have
 * been freed.
 */
export async function * readTransient (
  node: FileNode,
  range: WalkRange,
  blockstore: GetStore,
  options: ReadOptions
): AsyncGenerator<Uint8Array> {
  yield * walk(node, { ...range, frees: true }, blockstore, options)
}

/** All bytes of a file. Also fetches blocks that hold no bytes, but nothing below them. */
export async function * readWhole (
  node: FileNode,
  blockstore: GetStore,
  options: ReadOptions
): AsyncGenerator<Uint8Array> {
  yield * walk(node, WHOLE, blockstore, options)
}

/** The parts of a decoded node that are kept: not its links, which would take more memory than its block. */
interface Content {
  cid: FileNode['cid']
  data: Uint8Array | undefined
}

async function * walk (
  root: FileNode,
  range: Range,
  blockstore: GetStore,
  options: ReadOptions
): AsyncGenerator<Uint8Array> {
  const breaks = new EventLoopBreaks()
  const open = (child: Child, block: Uint8Array): Opened<Child, Content> => {
    if (child.depth > MAX_DAG_DEPTH) {
      throw new InvalidDagError(child.cid, `is more than ${MAX_DAG_DEPTH} levels below the root`)
    }

    const node = decodeNode(child.cid, block)
    checkSize(child, fileSize(node))

    // not below an empty node: empty nodes that link to each other could be endless
    const items = child.bytes > 0 ? childrenWithin(node, child, range) : new ChildList(child.depth + 1, 0)
    const { data } = node.unixfs

    // `data` is a part of the block, which stays in memory with it
    const byteLength = data == null || data.byteLength === 0 ? 0 : block.byteLength

    return { node: { cid: node.cid, data }, byteLength, items }
  }

  yield * enter({ cid: root.cid, data: root.unixfs.data }, 0, range, options)

  const end = Math.min(range.end, fileSize(root))
  const steps = {
    open,
    checkLeaf: (child: Child, block: Uint8Array) => { checkSize(child, block.byteLength) },
    part: ({ position, bytes }: Child): FilePart | undefined =>
      bytes === 0 ? undefined : { file: root.cid, start: Math.max(position, range.start), end }
  }
  const children = childrenWithin(root, { position: 0, depth: 0 }, range)

  for await (const { item: child, block, node } of readAhead(children, steps, blockstore, options)) {
    if (breaks.isDue()) {
      await breaks.take()
      options.signal?.throwIfAborted()
    }

    if (node != null) {
      if (child.bytes > 0) {
        yield * enter(node, child.position, range, options)
      }
    } else if (child.cid.code === raw.code && block != null) {
      options.onProgress?.(new CustomProgressEvent('unixfs:exporter:walk:file', { cid: child.cid }))
      yield * overlap(block, child.position, range)

      if (range.frees === true && blockstore.isUnshared?.(block) === true) {
        freeBlock(block)
      }
    } else {
      throw new InvalidDagError(child.cid, `has the codec 0x${child.cid.code.toString(16)}, which a file cannot have`)
    }
  }
}

function * enter ({ cid, data }: Content, position: number, range: Range, options: ReadOptions): Generator<Uint8Array> {
  options.onProgress?.(new CustomProgressEvent('unixfs:exporter:walk:file', { cid }))

  if (data != null) {
    yield * overlap(data, position, range)
  }
}

/**
 * The size that a node states for its part of the file.
 *
 * @throws {InvalidDagError} it exceeds 2^53 - 1 bytes
 */
export function fileSize (node: FileNode): number {
  const size = Number(node.unixfs.fileSize())

  if (size > Number.MAX_SAFE_INTEGER) {
    throw new InvalidDagError(node.cid, 'states a size of more than 2^53 bytes')
  }

  return size
}

function childrenWithin (
  node: FileNode,
  { position, depth }: Pick<Child, 'position' | 'depth'>,
  { start, end, empty = false }: Range
): ChildList {
  const { links, unixfs: { blockSizes, data } } = node

  if (links.length !== blockSizes.length) {
    throw new InvalidDagError(node.cid, `has ${links.length} links and ${blockSizes.length} block sizes`)
  }

  const children = new ChildList(depth + 1, links.length)
  let at = position + (data?.byteLength ?? 0)

  for (const [i, blockSize] of blockSizes.entries()) {
    const bytes = Number(blockSize)

    if (bytes > 0 ? at < end && at + bytes > start : empty) {
      children.push(links.at(i).Hash, bytes, at)
    }

    at += bytes
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
  if (size !== child.bytes) {
    throw new InvalidDagError(child.cid, `holds ${size} bytes, but its parent states ${child.bytes}`)
  }
}
