import { EventLoopBreaks } from '@ipfsz/utils/event-loop'
import { settle, unwrap } from '@ipfsz/utils/map-ordered'
import { importer, InvalidContentError } from 'ipfs-unixfs-importer'
import { CustomProgressEvent } from 'progress-events'
import { mendNode } from '../dag/mend-layout.ts'
import { withoutDots } from '../directory/entry-name.ts'
import { checkConcurrency } from '../util/map-ordered.ts'
import type { Settled } from '@ipfsz/utils/map-ordered'
import type { PutStore } from '../dag/block.ts'
import type { File } from './file-builder.ts'
import type { AddCandidate as Candidate, WrittenCandidate } from '../unixfs.ts'
import type { ImporterOptions } from 'ipfs-unixfs-importer'
import type { CID } from 'multiformats/cid'

type TreeBuilder = NonNullable<ImporterOptions['treeBuilder']>
type Store = Parameters<typeof importer>[1]

/** A file, directory or symlink that was written. */
type Entry = Parameters<TreeBuilder>[0] extends AsyncIterable<infer T> ? T : never

/** The same, or files that were written before. */
export type Placed = Entry | WrittenCandidate

/** How many candidates are imported at a time unless the caller says, as in ipfs-unixfs-importer. */
const DEFAULT_CONCURRENCY = 50

/** How many files that were written before wait for candidates before them, at most. */
const MAX_WRITTEN = 1024

/** Takes the block of a directory before it is known whether the directory stays empty. */
const NOWHERE = { put: async (cid: CID) => cid } as unknown as Store

interface ImportEntriesInit {
  buildFile (file: File): Promise<Entry>
  onSymlink (entry: Entry): void
  /** Called with files that were stored before. */
  onWritten (files: WrittenCandidate): void
  /** For directories and symlinks. */
  options: ImporterOptions
}

/**
 * Import files, directories and symlinks, several at a time, and yield them in the order of the candidates.
 *
 * ipfs-unixfs-importer reads 50 candidates, imports these, and reads no more until all of them are written. Here the
 * next candidate is read as soon as one is done, so reading, compressing and writing overlap.
 *
 * @param blockstore - wrapped by `coalescingBlockstore`, as files may be equal
 * @throws {InvalidParametersError} `fileImportConcurrency` is not a whole number from 1
 */
export async function * importEntries (
  candidates: AsyncIterable<Candidate>,
  blockstore: PutStore,
  init: ImportEntriesInit
): AsyncGenerator<Placed> {
  const { fileImportConcurrency: concurrency = DEFAULT_CONCURRENCY } = init.options
  checkConcurrency(concurrency)

  const running: Array<{ placed: Promise<Settled<Placed>>, written: number }> = []
  let written = 0
  const breaks = new EventLoopBreaks()
  const shared = { ...init, importEmpty: onceImported(blockstore as Store, init) }
  // not async: most entries are small files, for which each promise counts
  const start = (candidate: Candidate): Promise<Entry> | Placed => importEntry(candidate, blockstore as Store, shared)

  for await (const candidate of candidates) {
    const files = 'written' in candidate ? candidate.written.length : 0
    running.push({ placed: settle(start, candidate), written: files })
    written += files

    // without files and a disk, nothing here waits for the event loop
    if (breaks.isDue()) {
      await breaks.take()
    }

    while (running.length >= concurrency || written > MAX_WRITTEN) {
      const [first] = running.splice(0, 1)
      written -= first.written
      yield unwrap(await first.placed)
    }
  }

  for (const { placed } of running) {
    yield unwrap(await placed)
  }
}

function importEntry (
  candidate: Candidate,
  blockstore: Store,
  { buildFile, onSymlink, onWritten, importEmpty, options }: ImportEntriesInit & { importEmpty: () => Promise<Entry> }
): Promise<Entry> | Placed {
  if ('written' in candidate) {
    const files = { ...candidate, path: withoutDots(candidate.path) }
    onWritten(files)

    return files
  }

  const { path: originalPath, mode, mtime } = candidate

  if ('content' in candidate && candidate.content != null) {
    const path = originalPath == null ? undefined : withoutDots(originalPath)

    return buildFile({ path, originalPath, mode, mtime, content: readContent(candidate.content, path, options) })
  }

  if (mode == null && mtime == null && originalPath != null && !('link' in candidate && candidate.link != null)) {
    return importEmpty().then(entry => ({ ...entry, path: withoutDots(originalPath), originalPath }))
  }

  return importOther(candidate, blockstore, options, onSymlink)
}

/** Imports an empty directory, once: all directories without metadata are one until something is in them. */
function onceImported (blockstore: Store, { options, onSymlink }: ImportEntriesInit): () => Promise<Entry> {
  let empty: Promise<Entry> | undefined

  return async () => empty ??= importOther({ path: 'empty' }, blockstore, options, onSymlink)
}

/** Import a symlink, or a directory. `treeBuilder` stores the block of one that stays empty. */
async function importOther (
  candidate: Exclude<Candidate, { written: unknown }>,
  blockstore: Store,
  options: ImporterOptions,
  onSymlink: ImportEntriesInit['onSymlink']
): Promise<Entry> {
  let entry: Entry | undefined
  const store = 'link' in candidate && candidate.link != null ? blockstore : NOWHERE

  const keepEntry: TreeBuilder = async function * (source) {
    for await (const imported of source) {
      entry = imported
      yield imported
    }
  }

  for await (const _ of importer([candidate], store, { ...options, treeBuilder: keepEntry })) {
    // what it yields lacks the original path
  }

  if (entry == null) {
    throw new Error('The importer added nothing')
  }

  // it encodes some times wrongly
  const mended = await mendNode(entry, store)

  if (mended.unixfs?.isDirectory() !== true) {
    onSymlink(mended)
  }

  return mended
}

/** The bytes of a file, or its chunks, each reported, as ipfs-unixfs-importer has them. */
function readContent (content: unknown, path: string | undefined, options: ImporterOptions): File['content'] {
  if (!(content instanceof Uint8Array)) {
    return readChunks(content, path, options)
  }

  reportRead(content, 0n, path, options)

  return content
}

async function * readChunks (
  content: unknown,
  path: string | undefined,
  options: ImporterOptions
): AsyncGenerator<Uint8Array> {
  let bytesRead = 0n

  for await (const chunk of toIterable(content)) {
    const bytes = toBytes(chunk)

    bytesRead = reportRead(bytes, bytesRead, path, options)
    yield bytes
  }
}

/** Returns how many bytes of the file were read. */
function reportRead (
  { byteLength }: Uint8Array,
  before: bigint,
  path: string | undefined,
  { onProgress }: ImporterOptions
): bigint {
  const chunkSize = BigInt(byteLength)
  const bytesRead = before + chunkSize

  onProgress?.(new CustomProgressEvent('unixfs:importer:progress:file:read', { bytesRead, chunkSize, path }))

  return bytesRead
}

/** @throws {InvalidContentError} */
function toIterable (content: unknown): Iterable<unknown> | AsyncIterable<unknown> {
  if (typeof content === 'object' && content != null) {
    if (Symbol.asyncIterator in content || Symbol.iterator in content) {
      return content as Iterable<unknown>
    }
  }

  throw new InvalidContentError('Content was invalid')
}

/** @throws {InvalidContentError} */
function toBytes (chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) {
    return chunk
  }

  if (typeof chunk === 'string') {
    return new TextEncoder().encode(chunk)
  }

  if (Array.isArray(chunk)) {
    return Uint8Array.from(chunk)
  }

  throw new InvalidContentError('Content was invalid')
}
