// Room: what of an earlier version a frame refers back to: where the frame before ends there (`piece-comparer.ts`),
// else by content (`region-finder.ts`). What tells that a renamed file is like another: `sketch.ts`.
import { collectBytes } from '@ipfsz/utils/bytes'
import { SPARE } from '@ipfsz/utils/free-bytes'
import * as raw from 'multiformats/codecs/raw'
import { isIdentity } from '../dag/hashes.ts'
import { readRange } from '../dag/read.ts'
import { MAX_CACHED_CONTENT_SIZE, MAX_FOREIGN_LEAF_SIZE, MAX_LEAF_SIZE, MIN_REGION_SIZE } from '../constants.ts'
import { InvalidBaseError } from '../errors.ts'
import { hasBase } from '../format/header.ts'
import { longestFrame } from '../format/longest-frame.ts'
import { codecOf } from '../frames/compressed-file.ts'
import { readFrames } from '../frames/read-frames.ts'
import { originalSize } from '../read/describe.ts'
import { openRoot } from '../read/entry.ts'
import type { GetStore } from '../dag/block.ts'
import type { ReadFramesOptions } from '../frames/read-frames.ts'
import type { Entry } from '../read/entry.ts'
import type { EntrySource } from '../read/path.ts'
import type { ReadSettings } from '../read/read-settings.ts'
import type { RootCache } from '../read/root-cache.ts'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

/** Maximum leaves of a base that are looked for, instead of reading them again. */
const MAX_LOOKED_UP = 8

export interface BaseContent {
  /** Original bytes. */
  size: number
  /** Maximum bytes that are best read at a time: those of a frame, or of a leaf. */
  pieceSize: number
  /** Maximum memory for reading one, without the piece itself, in bytes. */
  pieceMemory: number
  /** Whether nothing else refers to the memory of what `read` returns. */
  isOwned: boolean
  /** The original bytes from `start` to `end` (exclusive). */
  read (start: number, end: number): AsyncIterable<Uint8Array>
}

export interface BaseSettings extends EntrySource, Pick<ReadSettings, 'codecs' | 'inFlightBytes'> {
  roots?: RootCache
}

type HasStore = GetStore & Pick<Blockstore, 'has'>

/** What reading a base works with that a new file is to link to. */
export type StoredBaseSettings = BaseSettings & { blockstore: HasStore }

type Options = Omit<ReadFramesOptions, 'inFlightBytes' | 'onProgress'>

/**
 * Open a base, as docs/format.md, section 6, has it: a plain file, or a compressed one without a base of its own.
 *
 * @param cid - the plain CID of its root
 * @throws {InvalidBaseError}
 * @throws {NotFoundError} its root is missing
 */
export async function openBase (cid: CID, settings: BaseSettings, options: Options): Promise<BaseContent> {
  const contents = settings.roots?.contents
  const known = contents?.get(cid.toString())

  if (known != null) {
    return contentIn(known)
  }

  return cachedContentOf(await openRoot(cid, 'in-tree', settings, options), settings, options)
}

/**
 * Like `contentOf`, and keeps the content of a small base for whoever opens it next.
 *
 * @throws {InvalidBaseError}
 */
async function cachedContentOf (entry: Entry, settings: BaseSettings, options: Options): Promise<BaseContent> {
  const content = contentOf(entry, settings, options)
  const contents = settings.roots?.contents

  if (contents == null || content.size > MAX_CACHED_CONTENT_SIZE) {
    return content
  }

  const bytes = await collectBytes(content.read(0, content.size))
  // not with larger memory that it is a part of: its own size is what counts
  contents.set(entry.cid.toString(), bytes.buffer.byteLength - bytes.byteLength <= SPARE ? bytes : bytes.slice())

  return contentIn(bytes)
}

/** Which blocks of a base were in a cache, and so were not read from the store. */
export interface CachedBlocks {
  root: boolean
  leaves: boolean
}

/**
 * The content of a root that a new file is to link to, and whether its leaves were cached: see `ensureStored`.
 *
 * @throws {InvalidBaseError}
 */
export async function contentToLink (
  entry: Entry,
  settings: StoredBaseSettings,
  options: Options
): Promise<{ content: BaseContent, leaves: boolean }> {
  // a raw block has just been read, and may be a part of larger memory
  if (entry.node == null) {
    return { content: contentOf(entry, settings, options), leaves: false }
  }

  const known = settings.roots?.contents.get(entry.cid.toString())

  return known == null
    ? { content: await cachedContentOf(entry, settings, options), leaves: false }
    : { content: contentIn(known), leaves: true }
}

/**
 * See to it that the blocks of a base are stored which a cache had: without them, a file that links to it could not be
 * read. If one was deleted, it is fetched.
 *
 * @throws {NotFoundError} a block was deleted, and nobody has it
 */
export async function ensureStored (
  entry: Entry,
  cached: CachedBlocks,
  settings: StoredBaseSettings,
  options: Options
): Promise<void> {
  const { blockstore } = settings

  const here = await Promise.all([
    !cached.root || isStored(entry.cid, blockstore, options),
    !cached.leaves || hasLeaves(entry, blockstore, options)
  ])

  if (here.every(Boolean)) {
    return
  }

  const stored = await openRoot(entry.cid, 'in-tree', { blockstore }, options)
  const { size, read } = contentOf(stored, settings, options)

  for await (const _ of cached.leaves ? read(0, size) : []) {
    options.signal?.throwIfAborted()
  }
}

/** Whether all leaves of a file are stored. False if that is not known from a few links of its root. */
async function hasLeaves ({ node }: Entry, blockstore: HasStore, options: Options): Promise<boolean> {
  const { links } = node ?? {}

  if (links == null || links.length > MAX_LOOKED_UP) {
    return links == null
  }

  const leaves = Array.from({ length: links.length }, (_, i) => links.at(i).Hash)

  return leaves.every(({ code }) => code === raw.code) &&
    (await Promise.all(leaves.map(async leaf => isStored(leaf, blockstore, options)))).every(Boolean)
}

/** Whether a block is stored, without fetching it. */
async function isStored (cid: CID, blockstore: HasStore, { signal }: Pick<Options, 'signal'>): Promise<boolean> {
  return isIdentity(cid) || blockstore.has(cid, { signal } as Parameters<HasStore['has']>[1])
}

function contentIn (bytes: Uint8Array): BaseContent {
  const { byteLength: size } = bytes

  return {
    size,
    pieceSize: size,
    pieceMemory: 0,
    isOwned: false,
    read: (start, end) => once(bytes.subarray(start, end))
  }
}

/**
 * The content of a root that has been opened.
 *
 * @throws {InvalidBaseError}
 */
export function contentOf (entry: Entry, settings: BaseSettings, options: Options): BaseContent {
  const { cid, block, node, header } = entry
  const { blockstore, codecs, inFlightBytes } = settings

  if (header != null && hasBase(header)) {
    throw new InvalidBaseError(cid, 'it has a base itself')
  }

  throwIfNotFile(entry)

  const size = originalSize(entry)

  if (size < MIN_REGION_SIZE) {
    throw new InvalidBaseError(cid, `it has only ${size} bytes`)
  }

  if (node == null) {
    return contentIn(block)
  }

  if (header == null) {
    const read = (start: number, end: number): AsyncIterable<Uint8Array> =>
      readRange(node, { start, end }, blockstore, options)

    return { size, pieceSize: MAX_LEAF_SIZE, pieceMemory: MAX_FOREIGN_LEAF_SIZE, isOwned: false, read }
  }

  const file = { node, header, codec: codecOf(header, codecs) }

  return {
    size,
    pieceSize: header.frameSize,
    pieceMemory: longestFrame(header),
    isOwned: true,
    read: (start, end) =>
      readFrames(file, { start, end }, blockstore, { ...options, inFlightBytes, owned: true })
  }
}

/** @throws {InvalidBaseError} */
export function throwIfNotFile ({ cid, node }: Entry): void {
  if (node != null && node.unixfs.type !== 'file' && node.unixfs.type !== 'raw') {
    throw new InvalidBaseError(cid, 'it is not a file')
  }
}

async function * once (bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
