import { importFile } from 'ipfs-unixfs-importer'
import { ByteReader } from './byte-reader.ts'
import { emit } from './events.ts'
import { gather } from './gather.ts'
import { decide } from './policy.ts'
import { writeFile } from './write-file.ts'
import type { Compression } from './compression.ts'
import type { PutStore } from './dag/block.ts'
import type { WriteFileOptions } from './write-file.ts'
import type { ImporterOptions } from 'ipfs-unixfs-importer'

type FileBuilder = NonNullable<ImporterOptions['fileBuilder']>
type BuiltFile = Awaited<ReturnType<FileBuilder>>

/** A file's source on its way through ipfs-unixfs-importer. */
type File = Parameters<FileBuilder>[0]

export interface CompressingFileBuilderInit extends WriteFileOptions {
  /** How to compress, where there is anything to compress. */
  compression?: Compression
  /** How files are stored that are not compressed. */
  importer: ImporterOptions
  /** Called with the marker code of each file that was compressed. */
  onCompressed (code: number): void
}

/**
 * What ipfs-unixfs-importer builds files with, in place of its own: files that are
 * worth it are written compressed, the others as the importer would.
 */
export function compressingFileBuilder (init: CompressingFileBuilderInit): FileBuilder {
  return async (file, blockstore) => {
    const reader = new ByteReader(gather(file.content), init.signal)

    try {
      return await buildFile(file, reader, blockstore, init)
    } finally {
      reader.close()
    }
  }
}

async function buildFile (file: File, reader: ByteReader, blockstore: PutStore, init: CompressingFileBuilderInit): Promise<BuiltFile> {
  const { compression } = init
  const { path, originalPath } = file

  if (compression == null) {
    emit(init, 'ipfsz:add:decided', { path, codec: 'none', reason: 'options' })
    return buildPlain(file, reader.rest(), blockstore, init)
  }

  const piece = await reader.read(compression.frameSize)
  const { compress, reason, trial } = await decide(piece, compression, init.signal)

  emit(init, 'ipfsz:add:decided', { path, codec: compress ? compression.codec.name : 'none', reason })

  if (!compress) {
    return buildPlain(file, withFirst(piece, reader), blockstore, init)
  }

  const beginning = trial == null ? { piece } : { frame: trial }
  const { cid, unixfs, dagSize } = await writeFile(beginning, reader, compression, file, blockstore, init)
  init.onCompressed(compression.codec.code)

  return { cid, unixfs, size: BigInt(dagSize), path, originalPath }
}

async function buildPlain (file: File, content: AsyncIterable<Uint8Array>, blockstore: PutStore, { importer }: CompressingFileBuilderInit): Promise<BuiltFile> {
  const { path, originalPath, mode, mtime } = file
  const { cid, unixfs, size } = await importFile({ path, content, mode, mtime }, blockstore as Parameters<typeof importFile>[1], importer)

  return { cid, unixfs, size, path, originalPath }
}

async function * withFirst (piece: Uint8Array, reader: ByteReader): AsyncGenerator<Uint8Array> {
  if (piece.byteLength > 0) {
    yield piece
  }

  yield * reader.rest()
}
