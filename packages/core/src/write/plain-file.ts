import { importFile } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { balanced } from 'ipfs-unixfs-importer/layout'
import { CustomProgressEvent } from 'progress-events'
import { MAX_LEAF_SIZE, MAX_LINKS } from '../constants.ts'
import { mendLayout } from '../dag/mend-layout.ts'
import { writeLeaf } from '../dag/write.ts'
import { SHAPING } from '../small/shaping.ts'
import type { PutStore } from '../dag/block.ts'
import type { WriteOptions } from '../dag/write.ts'
import type { ImporterOptions } from 'ipfs-unixfs-importer'
import type { CID } from 'multiformats/cid'

type FileBuilder = NonNullable<ImporterOptions['fileBuilder']>

/** What is known of a file before it is read. */
export type FileEntry = Omit<Parameters<FileBuilder>[0], 'content'>

/** A file that was written. */
export type BuiltFile = Awaited<ReturnType<FileBuilder>>

/** The importer settings of @helia/unixfs, so that uncompressed files get the same CIDs. */
export const IMPORTER_DEFAULTS: ImporterOptions = {
  cidVersion: 1,
  rawLeaves: true,
  layout: balanced({ maxChildrenPerNode: MAX_LINKS }),
  chunker: fixedSize({ chunkSize: MAX_LEAF_SIZE })
}

export interface PlainFileOptions extends WriteOptions {
  importer: ImporterOptions
}

/**
 * Write a file that is not compressed, as ipfs-unixfs-importer does.
 *
 * @param content - chunks, or all bytes of the file
 */
export async function writePlainFile (
  file: FileEntry,
  content: AsyncIterable<Uint8Array> | Uint8Array,
  blockstore: PutStore,
  options: PlainFileOptions
): Promise<BuiltFile> {
  const { path, originalPath, mode, mtime } = file
  const { importer } = options

  if (content instanceof Uint8Array && content.byteLength <= MAX_LEAF_SIZE && makesOneBlock(file, importer)) {
    return { ...await writeOneBlock(content, path, blockstore, options), path, originalPath }
  }

  const store = blockstore as Parameters<typeof importFile>[1]
  const chunks = content instanceof Uint8Array ? [content] : content
  const { cid, unixfs, size } = await importFile({ path, content: chunks, mode, mtime }, store, {
    ...importer,
    ...importer.layout == null ? {} : { layout: mendLayout(importer.layout, blockstore) }
  })

  return { cid, unixfs, size, path, originalPath }
}

/** Whether the importer makes one raw block of a file of up to 1 MiB. */
export function makesOneBlock ({ mode, mtime }: FileEntry, importer: ImporterOptions): boolean {
  return mode === undefined && mtime === undefined &&
    SHAPING.every(name => importer[name] === IMPORTER_DEFAULTS[name])
}

/**
 * One raw block, with the events of the importer. That one takes a dozen generators for it: when files of a few
 * kilobytes were added uncompressed, into memory, more than half of all processor time.
 */
async function writeOneBlock (
  bytes: Uint8Array,
  path: string | undefined,
  blockstore: PutStore,
  options: PlainFileOptions
): Promise<Pick<BuiltFile, 'cid' | 'size'>> {
  const { cid } = await writeLeaf(bytes, blockstore, options)
  const size = BigInt(bytes.byteLength)
  reportOneBlock(cid, size, path, options.importer)

  return { cid, size }
}

/** The events of the importer of a file that is one raw block. */
export function reportOneBlock (
  cid: CID,
  size: bigint,
  path: string | undefined,
  { onProgress }: ImporterOptions
): void {
  onProgress?.(new CustomProgressEvent('unixfs:importer:progress:file:write', { bytesWritten: size, cid, path }))
  onProgress?.(new CustomProgressEvent('unixfs:importer:progress:file:layout', { cid, path }))
}
