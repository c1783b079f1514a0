import { importFile } from 'ipfs-unixfs-importer'
import { BoundedReader } from './bounded-reader.ts'
import { ByteReader } from '../util/byte-reader.ts'
import { UNIXFS_V1_2025 } from '../content-cid/content-layouts.ts'
import { emit } from '../events.ts'
import { gather } from './join-chunks.ts'
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

/** A file's source on its way through ipfs-unixfs-importer. */
type File = Parameters<FileBuilder>[0]

export interface CompressingFileBuilderInit extends WriteFileOptions {
  /** How to compress, where there is anything to compress. */
  compression?: Compression
  /** How files are stored that are not compressed. */
  importer: ImporterOptions
  /** Called with the plain CID and the marker code of each file that was compressed. */
  onCompressed (cid: CID, code: number): void
  /** Room for the original bytes of all files, where there are several. */
  budget?: FilesBudget | undefined
  /** Where each compressed file is linked to the CID that its bytes have uncompressed. */
  links?: Pick<DefaultLinks, 'addChecked'> | undefined
}

/**
 * What ipfs-unixfs-importer builds files with, in place of its own: files that are
 * worth it are written compressed, the others as the importer would.
 */
export function compressingFileBuilder (init: CompressingFileBuilderInit): FileBuilder {
  return async (file, blockstore) => {
    const { budget, signal } = init
    const reader = budget == null
      ? new ByteReader(gather(file.content), signal)
      : new BoundedReader(gather(file.content), budget, signal)

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
  const { choice, reason, trial } = await decide(piece, compression, init.signal)

  emit(init, 'ipfsz:add:decided', { path, codec: choice?.codec.name ?? 'none', reason })

  if (choice == null) {
    return buildPlain(file, withFirst(piece, reader), blockstore, init)
  }

  const { level } = choice
  const codec = reader instanceof BoundedReader ? reader.bounded(choice.codec) : choice.codec
  const written = await writeFile({ piece, frame: trial }, reader, { codec, level, frameSize: compression.frameSize }, file, blockstore, {
    ...init,
    contentCid: init.contentCid ?? init.links != null
  })
  const { cid, unixfs, dagSize, contentCid } = written
  init.onCompressed(cid, codec.code)

  if (contentCid != null) {
    // behind the root: a kill leaves a file without a link, never a link without its file
    await init.links?.addChecked({ original: contentCid, compressed: mark(cid, codec.code), check: UNIXFS_V1_2025.name }, { signal: init.signal })
  }

  return { cid, unixfs, size: BigInt(dagSize), path, originalPath }
}

async function buildPlain (file: File, content: AsyncIterable<Uint8Array>, blockstore: PutStore, { importer }: CompressingFileBuilderInit): Promise<BuiltFile> {
  const { path, originalPath, mode, mtime } = file
  const { cid, unixfs, size } = await importFile({ path, content, mode, mtime }, blockstore as Parameters<typeof importFile>[1], {
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
