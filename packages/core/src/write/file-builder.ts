import { concat } from '@ipfsz/utils/bytes'
import { SMALL_FILE_SIZE } from '../constants.ts'
import { BoundedReader } from './bounded-reader.ts'
import { ByteReader } from '../util/byte-reader.ts'
import { compressFile } from './compress-file.ts'
import { emit } from '../events.ts'
import { joinChunks } from './join-chunks.ts'
import { writePlainFile } from './plain-file.ts'
import { MAX_SIZE_AT_ONCE, putFile, writeSmallFile } from './write-small-file.ts'
import type { FrameBase } from '../base/frame-base.ts'
import type { FilesBudget } from './bounded-reader.ts'
import type { CompressFileInit } from './compress-file.ts'
import type { Compression } from '../policy/compression.ts'
import type { PutStore } from '../dag/block.ts'
import type { Metadata } from '../dag/file-block.ts'
import type { EncodedWithFrame } from '../small/encode-file.ts'
import type { BuiltFile, FileEntry } from './plain-file.ts'
import type { ImporterOptions } from 'ipfs-unixfs-importer'
import type { CID } from 'multiformats/cid'

/** A file with its source, or with all of its bytes. */
export interface File extends FileEntry {
  content: AsyncIterable<Uint8Array> | Uint8Array
}

interface OfferedDictionary {
  base: FrameBase
  /** Encode a file with it at once. Undefined if it is not compressed, or takes more steps. */
  encode (bytes: Uint8Array, metadata: Metadata): Promise<EncodedWithFrame | undefined>
}

interface CompressingFileBuilderInit extends CompressFileInit {
  /** How to compress. Undefined: store every file uncompressed. */
  compression?: Compression
  /** How to store files that are not compressed. */
  importer: ImporterOptions
  /** Called with the plain CID and the marker code of each compressed file, and whether only IPFSz can read it. */
  onCompressed (cid: CID, code: number, onlyIpfsz: boolean): void
  /** The dictionary that a file is offered. It can be taken once. */
  takeDictionary (path: string): OfferedDictionary | undefined
  /** Memory shared by all files, if there are several. */
  budget?: FilesBudget | undefined
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
    const { content, originalPath } = file
    // at once, whatever becomes of the file
    const offered = originalPath == null ? undefined : init.takeDictionary(originalPath)
    const small = offered == null && content instanceof Uint8Array && content.byteLength < MAX_SIZE_AT_ONCE
      ? writeSmallFile(content, file, blockstore, init)
      : undefined

    if (small != null) {
      return small
    }

    const encoded = offered != null && content instanceof Uint8Array && init.links == null
      ? await offered.encode(content, file)
      : undefined

    if (encoded != null) {
      return putFile({ ...encoded, dictionary: offered?.base.link }, file, blockstore, init)
    }

    const source = content instanceof Uint8Array ? content : joinChunks(content)
    // a small file takes nothing of the budget
    const isUnbounded = budget == null || (source instanceof Uint8Array && source.byteLength < SMALL_FILE_SIZE)
    const reader = isUnbounded ? new ByteReader(source, signal) : new BoundedReader(source, budget, signal)

    try {
      return await buildFile({ ...file, dictionary: offered?.base }, reader, blockstore, init)
    } finally {
      reader.close()
    }
  }
}

async function buildFile (
  file: File & { dictionary: FrameBase | undefined },
  reader: ByteReader,
  blockstore: PutStore,
  init: CompressingFileBuilderInit
): Promise<BuiltFile> {
  const { compression } = init
  const { path, originalPath, dictionary } = file

  if (compression == null) {
    emit(init, 'ipfsz:add:decided', { path, codec: 'none', reason: 'options' })
    const content = file.content instanceof Uint8Array ? file.content : reader.rest()

    return writePlainFile(file, content, blockstore, init)
  }

  const isStream = dictionary == null && !(file.content instanceof Uint8Array)

  // which may have come to its end
  if (isStream && await reader.peek(MAX_SIZE_AT_ONCE) < MAX_SIZE_AT_ONCE) {
    const small = writeSmallFile(concat([...reader.buffered()]), file, blockstore, init)

    if (small != null) {
      return small
    }
  }

  const written = await compressFile(file, reader, blockstore, { ...init, compression })

  if (written instanceof Uint8Array) {
    const content = reader.isDone ? written : withFirst(written, reader)

    return writePlainFile(file, content, blockstore, init)
  }

  const { cid, unixfs, dagSize, code, onlyIpfsz } = written
  init.onCompressed(cid, code, onlyIpfsz)

  return { cid, unixfs, size: BigInt(dagSize), path, originalPath }
}

async function * withFirst (piece: Uint8Array, reader: ByteReader): AsyncGenerator<Uint8Array> {
  if (piece.byteLength > 0) {
    yield piece
  }

  yield * reader.rest()
}
