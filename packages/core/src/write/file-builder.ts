import { importFile } from 'ipfs-unixfs-importer'
import { BoundedReader } from './bounded-reader.ts'
import { ByteReader } from '../util/byte-reader.ts'
import { UNIXFS_V1_2025 } from '../content-cid/content-layouts.ts'
import { emit } from '../events.ts'
import { joinChunks } from './join-chunks.ts'
import { mark } from '../marker.ts'
import { mendLayout } from '../dag/mend-layout.ts'
import { decide } from '../policy/policy.ts'
import { writeFile } from './write-file.ts'
import type { FilesBudget } from './bounded-reader.ts'
import type { Compression } from '../policy/compression.ts'
import type { PutStore } from '../dag/block.ts'
import type { DefaultLinks } from '../links/default-links.ts'
import type { WriteFileOptions } from './write-file.ts'
import type { ImporterOptions } from 'ipfs-unixfs-importer'
import type { CID } from 'multiformats/cid'

type FileBuilder = NonNullable<ImporterOptions['fileBuilder']>
type BuiltFile = Awaited<ReturnType<FileBuilder>>

/** A file with its source, as ipfs-unixfs-importer passes it. */
type File = Parameters<FileBuilder>[0]

interface CompressingFileBuilderInit extends Omit<WriteFileOptions, 'contentCid'> {
  /** How to compress. Undefined: store every file uncompressed. */
  compression?: Compression
  /** How to store files that are not compressed. */
  importer: ImporterOptions
  /** Called with the plain CID and the marker code of each compressed file. */
  onCompressed (cid: CID, code: number): void
  /** Memory shared by all files, if there are several. */
  budget?: FilesBudget | undefined
  /** Links each compressed file to the CID that its bytes have uncompressed. */
  links?: Pick<DefaultLinks, 'addChecked'> | undefined
}

/**
 * Replaces the file builder of ipfs-unixfs-importer: compresses files where it pays off, and
 * imports the others as usual.
 */
export function compressingFileBuilder (init: CompressingFileBuilderInit): FileBuilder {
  return async (file, blockstore) => {
    const { budget, signal } = init
    const reader = budget == null
      ? new ByteReader(joinChunks(file.content), signal)
      : new BoundedReader(joinChunks(file.content), budget, signal)

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

  if (compression == null) {
    emit(init, 'ipfsz:add:decided', { path, codec: 'none', reason: 'options' })
    return buildPlain(file, reader.rest(), blockstore, init)
  }

  const piece = await reader.read(compression.frameSize)
  const { choice, reason, trial } = await decide(piece, compression, init.signal)

  emit(init, 'ipfsz:add:decided', { path, codec: choice?.codec.name ?? 'none', reason })

  if (choice == null) {
    return buildPlain(file, withFirst(piece, reader), blockstore, init)
  }

  const { level } = choice
  const codec = reader instanceof BoundedReader ? reader.boundCodec(choice.codec) : choice.codec
  const frames = { codec, level, frameSize: compression.frameSize }
  const written = await writeFile({ piece, frame: trial }, reader, frames, file, blockstore, {
    ...init,
    contentCid: init.links != null
  })
  const { cid, unixfs, dagSize, contentCid } = written
  init.onCompressed(cid, codec.code)

  if (contentCid != null) {
    // after the root: a kill may leave a file without its link, but never a link without its file
    const link = { original: contentCid, compressed: mark(cid, codec.code), check: UNIXFS_V1_2025.name }
    await init.links?.addChecked(link, { signal: init.signal })
  }

  return { cid, unixfs, size: BigInt(dagSize), path, originalPath }
}

async function buildPlain (
  file: File,
  content: AsyncIterable<Uint8Array>,
  blockstore: PutStore,
  { importer }: CompressingFileBuilderInit
): Promise<BuiltFile> {
  const { path, originalPath, mode, mtime } = file
  const store = blockstore as Parameters<typeof importFile>[1]
  const { cid, unixfs, size } = await importFile({ path, content, mode, mtime }, store, {
    ...importer,
    ...importer.layout == null ? {} : { layout: mendLayout(importer.layout, blockstore) }
  })

  return { cid, unixfs, size, path, originalPath }
}

async function * withFirst (piece: Uint8Array, reader: ByteReader): AsyncGenerator<Uint8Array> {
  if (piece.byteLength > 0) {
    yield piece
  }

  yield * reader.rest()
}
