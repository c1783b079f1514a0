import { seal } from '@ipfsz/codecs/sealed'
import { MAX_FRAME_TABLE_SIZE, SMALL_FRAME_TABLE_SIZE } from '../constants.ts'
import { UNIXFS_V1_2025 } from '../content-cid/content-layouts.ts'
import { emit } from '../events.ts'
import { mark } from '../marker.ts'
import { beginFile } from './begin-file.ts'
import { codecAhead, dropAhead } from './compress-ahead.ts'
import { filteringCodec } from './filtering-codec.ts'
import { writeFile } from './write-file.ts'
import type { FrameBase } from '../base/frame-base.ts'
import type { Metadata } from '../dag/file-block.ts'
import type { PutStore } from '../dag/block.ts'
import type { DecidedProgress } from '../events.ts'
import type { DefaultLinks } from '../links/default-links.ts'
import type { Compression } from '../policy/compression.ts'
import type { ByteReader } from '../util/byte-reader.ts'
import type { BeginFileOptions } from './begin-file.ts'
import type { WrittenCompressedFile, WriteFileOptions } from './write-file.ts'

export interface CompressFileInit extends
  Omit<WriteFileOptions, 'contentCid' | 'onLateBase'>,
  Pick<BeginFileOptions, 'openBase'> {
  /** Called with the root of each file that has a base, which may be the base of the next. */
  onBased? (written: WrittenCompressedFile): void
  /** Links each compressed file to the CID that its bytes have uncompressed. */
  links?: Pick<DefaultLinks, 'addChecked'> | undefined
}

interface FileToCompress extends Metadata {
  path?: string | undefined
  /** What it is offered to refer back to. */
  dictionary?: FrameBase | undefined
}

/**
 * Decide whether a file is compressed, and then write it.
 *
 * @returns what was read of it if it is not compressed: the reader has the rest
 */
export async function compressFile (
  file: FileToCompress,
  reader: ByteReader,
  blockstore: PutStore,
  init: CompressFileInit & { compression: Compression }
): Promise<WrittenCompressedFile | Uint8Array> {
  const { path, dictionary } = file
  const { compression } = init
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
    return bytes
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
  const target = { beginning: { bytes, first, frame }, settings, metadata: file }
  const written = await writeFile(target, reader, blockstore, {
    ...init,
    contentCid: init.links != null,
    onLateBase () { refer(base) }
  })
  const { cid, code, contentCid } = written

  if (referred != null && referred !== dictionary) {
    init.onBased?.(written)
  }

  if (contentCid != null) {
    // after the root: a kill may leave a file without its link, but never a link without its file
    const link = { original: contentCid, compressed: mark(cid, code), check: UNIXFS_V1_2025.name }
    await init.links?.addChecked(link, { signal: init.signal })
  }

  return written
}

/** What a file refers back to, to report it: the dictionary that it was offered, or an earlier version. */
function referTo (base?: FrameBase, dictionary?: FrameBase): Pick<DecidedProgress, 'dictionary' | 'base'> {
  if (base == null) {
    return {}
  }

  const referred = { cid: base.link.cid, size: base.link.dagSize }

  return base === dictionary ? { dictionary: referred } : { base: referred }
}
