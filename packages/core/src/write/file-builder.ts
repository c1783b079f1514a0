import { seal } from '@ipfsz/codecs/sealed'
import { concat } from '@ipfsz/utils/bytes'
import { MAX_FRAME_TABLE_SIZE, SMALL_FILE_SIZE, SMALL_FRAME_TABLE_SIZE } from '../constants.ts'
import { beginFile } from './begin-file.ts'
import { BoundedReader } from './bounded-reader.ts'
import { ByteReader } from '../util/byte-reader.ts'
import { codecAhead, dropAhead } from './compress-ahead.ts'
import { UNIXFS_V1_2025 } from '../content-cid/content-layouts.ts'
import { filteringCodec } from './filtering-codec.ts'
import { emit } from '../events.ts'
import { joinChunks } from './join-chunks.ts'
import { mark } from '../marker.ts'
import { writePlainFile } from './plain-file.ts'
import { writeFile } from './write-file.ts'
import { MAX_SIZE_AT_ONCE, writeSmallFile } from './write-small-file.ts'
import type { FrameBase } from '../base/frame-base.ts'
import type { DecidedProgress } from '../events.ts'
import type { BeginFileOptions } from './begin-file.ts'
import type { FilesBudget } from './bounded-reader.ts'
import type { Compression } from '../policy/compression.ts'
import type { PutStore } from '../dag/block.ts'
import type { DefaultLinks } from '../links/default-links.ts'
import type { BuiltFile, FileEntry } from './plain-file.ts'
import type { WriteFileOptions } from './write-file.ts'
import type { ImporterOptions } from 'ipfs-unixfs-importer'
import type { CID } from 'multiformats/cid'

/** A file with its source, or with all of its bytes. */
export interface File extends FileEntry {
  content: AsyncIterable<Uint8Array> | Uint8Array
}

interface CompressingFileBuilderInit extends
  Omit<WriteFileOptions, 'contentCid' | 'onLateBase'>,
  Pick<BeginFileOptions, 'openBase'> {
  /** How to compress. Undefined: store every file uncompressed. */
  compression?: Compression
  /** How to store files that are not compressed. */
  importer: ImporterOptions
  /** Called with the plain CID and the marker code of each compressed file, and whether only IPFSz can read it. */
  onCompressed (cid: CID, code: number, onlyIpfsz: boolean): void
  /** Called with the root of each file that has a base, which may be the base of the next. */
  onBased? (cid: CID, block: Uint8Array): void
  /** Takes the dictionary of the file that is added at a path. */
  takeDictionary (path: string): FrameBase | undefined
  /** Memory shared by all files, if there are several. */
  budget?: FilesBudget | undefined
  /** Links each compressed file to the CID that its bytes have uncompressed. */
  links?: Pick<DefaultLinks, 'addChecked'> | undefined
}

/**
 * Replaces the file builder of ipfs-unixfs-importer: compresses files where it pays off, and
 * imports the others as usual.
 */
export function compressingFileBuilder (
  init: CompressingFileBuilderInit
): (file: File, blockstore: PutStore) => Promise<BuiltFile> {
  return async (file, blockstore) => {
    const { budget, signal } = init
    const small = file.content instanceof Uint8Array && file.content.byteLength < MAX_SIZE_AT_ONCE
      ? writeSmallFile(file.content, file, blockstore, init)
      : undefined

    if (small != null) {
      return small
    }

    const source = file.content instanceof Uint8Array ? file.content : joinChunks(file.content)
    // a small file takes nothing of the budget
    const isUnbounded = budget == null || (source instanceof Uint8Array && source.byteLength < SMALL_FILE_SIZE)
    const reader = isUnbounded ? new ByteReader(source, signal) : new BoundedReader(source, budget, signal)

    try {
      return await buildFile(file, reader, blockstore, init)
    } finally {
      reader.close()
    }
  }
}

async function buildFile (
  file: File,
  reader: ByteReader,
  blockstore: PutStore,
  init: CompressingFileBuilderInit
): Promise<BuiltFile> {
  const { compression } = init
  const { path, originalPath } = file
  // at once, whatever becomes of the file
  const dictionary = originalPath == null ? undefined : init.takeDictionary(originalPath)

  if (compression == null) {
    emit(init, 'ipfsz:add:decided', { path, codec: 'none', reason: 'options' })
    const content = file.content instanceof Uint8Array ? file.content : reader.rest()

    return writePlainFile(file, content, blockstore, init.importer, init)
  }

  // of a stream, which may have come to its end
  if (!(file.content instanceof Uint8Array) && await reader.peek(MAX_SIZE_AT_ONCE) < MAX_SIZE_AT_ONCE) {
    const small = writeSmallFile(concat([...reader.buffered()]), file, blockstore, init)

    if (small != null) {
      return small
    }
  }

  const beginning = await beginFile({ path, dictionary }, reader, compression, init)
  const { bytes, first, layout, base, late, decision } = beginning
  const { choice, reason, trial, filters = [] } = decision
  let referred: FrameBase | undefined

  const refer = (to?: FrameBase): void => {
    referred = to
    const codec = choice?.codec.name ?? 'none'
    emit(init, 'ipfsz:add:decided', { path, codec, reason, ...referTo(to, dictionary) })
  }

  refer(late == null ? base : undefined)

  const ahead = await beginning.ahead
  const isAhead = choice != null && filters.length === 0

  if (!isAhead) {
    await dropAhead(ahead)
  }

  if (choice == null) {
    return writePlainFile(file, reader.isDone ? bytes : withFirst(bytes, reader), blockstore, init.importer, init)
  }

  const filtering = filters.length === 0 ? choice.codec : filteringCodec(choice.codec, filters)
  const codec = isAhead && ahead != null ? codecAhead(filtering, ahead) : filtering
  // the trial is the first frame, unless it was made of several
  const tried = trial != null && trial.size <= layout.frameSize ? trial : undefined
  // it holds filtered bytes, as those that follow
  const frame = tried == null || filters.length === 0 ? tried : { ...tried, bytes: seal(codec.name, tried.bytes) }
  const { cut } = compression
  // version 1 as long as it can describe the file; one that has version 2 anyway keeps a small root
  const maxListed = cut === 'content' ? SMALL_FRAME_TABLE_SIZE : MAX_FRAME_TABLE_SIZE
  const settings = { ...choice, codec, ...layout, cut, filters, base, late, maxListed, path }
  const written = await writeFile({ bytes, first, frame }, reader, settings, file, blockstore, {
    ...init,
    contentCid: init.links != null,
    onLateBase () { refer(base) }
  })
  const { cid, block, unixfs, dagSize, code, onlyIpfsz, contentCid } = written
  init.onCompressed(cid, code, onlyIpfsz)

  if (referred != null && referred !== dictionary) {
    init.onBased?.(cid, block)
  }

  if (contentCid != null) {
    // after the root: a kill may leave a file without its link, but never a link without its file
    const link = { original: contentCid, compressed: mark(cid, code), check: UNIXFS_V1_2025.name }
    await init.links?.addChecked(link, { signal: init.signal })
  }

  return { cid, unixfs, size: BigInt(dagSize), path, originalPath }
}

/** What a file refers back to, to report it: the dictionary that it was offered, or an earlier version. */
function referTo (base?: FrameBase, dictionary?: FrameBase): Pick<DecidedProgress, 'dictionary' | 'base'> {
  if (base == null) {
    return {}
  }

  const referred = { cid: base.link.cid, size: base.link.dagSize }

  return base === dictionary ? { dictionary: referred } : { base: referred }
}

async function * withFirst (piece: Uint8Array, reader: ByteReader): AsyncGenerator<Uint8Array> {
  if (piece.byteLength > 0) {
    yield piece
  }

  yield * reader.rest()
}
