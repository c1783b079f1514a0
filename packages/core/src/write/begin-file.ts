import { readCut } from '../cut/cut-by-content.ts'
import { LAYOUT_HEAD_SIZE } from '../policy/layout.ts'
import { decide } from '../policy/policy.ts'
import { compressAhead } from './compress-ahead.ts'
import type { FrameBase } from '../base/frame-base.ts'
import type { Piece } from '../frames/compress-frames.ts'
import type { Compression } from '../policy/compression.ts'
import type { Layout } from '../policy/layout.ts'
import type { Decision } from '../policy/policy.ts'
import type { LateBase } from './pieces.ts'
import type { FrameAhead } from './compress-ahead.ts'
import type { ByteReader } from '../util/byte-reader.ts'
import type { CID } from 'multiformats/cid'

export interface BeginFileOptions {
  signal?: AbortSignal | null
  /** Whether frames are compressed on this thread: then no second one is compressed beside the first. */
  compressesAtOnce?: boolean | undefined
  openBase (cid: CID): Promise<FrameBase | undefined>
}

/** The start of a file, and how to go on. */
interface Beginning {
  /** Its first bytes, as many as its layout says. */
  bytes: Uint8Array
  /** The first piece, if the file has a base. */
  first?: Piece
  layout: Layout
  decision: Decision
  /** Undefined without one, and if it does not help. */
  base?: FrameBase
  /** If it does not help so far, but more may follow. */
  late?: LateBase
  /** The second frame. Until it resolves, nothing else is to be read. */
  ahead?: Promise<FrameAhead | undefined>
}

/** Read the first bytes of a file and decide how to compress it: with its base if that helps, and else without one. */
export async function beginFile (
  { path, dictionary }: { path: string | undefined, dictionary: FrameBase | undefined },
  reader: ByteReader,
  compression: Compression,
  { openBase, signal, compressesAtOnce = false }: BeginFileOptions
): Promise<Beginning> {
  const layout = compression.layoutOf(await reader.lookAhead(LAYOUT_HEAD_SIZE))
  const based = compression.basedLayoutOf(layout)
  const { sampleSize } = compression.baseOf == null ? layout : based
  const bytes = compression.cut === 'content' ? await readCut(reader) : await reader.read(sampleSize)
  const cid = await compression.baseOf?.(path, bytes)
  // after the first bytes are read: that waits for memory, and so bounds how many bases are opened at a time
  const base = cid == null ? dictionary : await openBase(cid)

  if (base != null) {
    const { frameSize } = based
    const first = await base.aid(bytes.subarray(0, frameSize), { start: 0, frameSize, ...compression })
    const decision = await decideBased(first, bytes, { base, frameSize, compression, signal })

    if (decision != null) {
      return { bytes, first, layout: based, decision, base }
    }
  }

  const sample = bytes.subarray(0, layout.sampleSize)
  let ahead: Beginning['ahead']
  const decision = await decide({ bytes: sample }, compression, signal, choice => {
    ahead = compression.cut === 'size' && !compressesAtOnce
      ? compressAhead({ bytes, reader, layout }, choice, signal)
      : undefined
  })
  const late = cid == null || base == null || bytes.byteLength < sampleSize
    ? undefined
    : lateBase(decision, { base, frameSize: based.frameSize, compression, signal })

  if (late == null) {
    // a base that is asked for and wrong is reported, although the file does without
    await base?.checked
  }

  return { bytes, layout, decision, ...late == null ? {} : { base, late }, ...ahead == null ? {} : { ahead } }
}

/** A base that may help, and with what it is tried. */
interface Trying {
  base: FrameBase
  frameSize: number
  compression: Compression
  signal: BeginFileOptions['signal']
}

/**
 * Decide by the first piece whether a base helps, or else by the next one that resembles the base, or by the first one
 * of which much is in it: something long may have been inserted before it.
 *
 * @param bytes - the first bytes of the file
 * @returns undefined if the base does not help
 */
async function decideBased (
  first: Piece,
  bytes: Uint8Array,
  trying: Trying
): Promise<Decision | undefined> {
  const { base, frameSize, compression, signal } = trying
  const decision = isAided(first) ? await decide(first, compression, signal) : undefined

  if (decision?.based === true) {
    return decision
  }

  const resembling = await base.findResembling(bytes, frameSize, frameSize)

  if (resembling == null) {
    return undefined
  }

  const decideAt = async (start: number): Promise<Decision | undefined> =>
    decideLater(bytes.subarray(start, start + frameSize), start, trying)
  const later = await decideAt(resembling)

  if (later != null) {
    return later
  }

  const next = resembling + frameSize
  const shared = await base.findShared(bytes.subarray(next), next, frameSize)

  return shared == null ? undefined : decideAt(next + shared)
}

/**
 * Decide by a piece after the first one.
 *
 * @returns undefined if the base does not help with it
 */
async function decideLater (
  bytes: Uint8Array,
  start: number,
  { base, frameSize, compression, signal }: Trying
): Promise<Decision | undefined> {
  const piece = await base.aid(bytes, { start, frameSize, ...compression })

  // a region that cannot be a dictionary
  if (!isAided(piece)) {
    return undefined
  }

  // its trial is not the first frame
  const { trial: _trial, ...later } = await decide(piece, compression, signal)

  return later.based === true ? later : undefined
}

/** A base for the rest of a file whose beginning is compressed without it, if both can be in one file. */
function lateBase ({ choice, filters = [] }: Decision, trying: Trying): LateBase | undefined {
  // filters are those of all frames, and a base resembles none that they were applied to
  if (choice?.codec.dictionaries !== true || filters.length > 0) {
    return undefined
  }

  const chosen: Compression = { ...trying.compression, named: choice, choose: async () => choice }

  return {
    basedSize: trying.frameSize,
    helps: async (bytes, start) => await decideLater(bytes, start, { ...trying, compression: chosen }) != null
  }
}

/** Whether anything in the base is like a piece. */
function isAided ({ dictionary, frame }: Piece): boolean {
  return dictionary != null || frame != null
}
