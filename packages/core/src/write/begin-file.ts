import { readCut } from '../cut/cut-by-content.ts'
import { LAYOUT_HEAD_SIZE } from '../policy/layout.ts'
import { decide } from '../policy/policy.ts'
import { compressAhead } from './compress-ahead.ts'
import type { FrameBase } from '../base/frame-base.ts'
import type { Piece } from '../frames/compress-frames.ts'
import type { Compression } from '../policy/compression.ts'
import type { Layout } from '../policy/layout.ts'
import type { Decision } from '../policy/policy.ts'
import type { FrameAhead } from './compress-ahead.ts'
import type { ByteReader } from '../util/byte-reader.ts'
import type { CID } from 'multiformats/cid'

export interface BeginFileOptions {
  signal?: AbortSignal | null
  /** Opens the base of a file. */
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
  /** The second frame. Until it resolves, nothing else is to be read. */
  ahead?: Promise<FrameAhead | undefined>
}

/** Read the first bytes of a file and decide how to compress it: with its base if that helps, and else without one. */
export async function beginFile (
  path: string | undefined,
  dictionary: FrameBase | undefined,
  reader: ByteReader,
  compression: Compression,
  { openBase, signal }: BeginFileOptions
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
    const decision = await decideBased(first, bytes, base, frameSize, compression, signal)

    if (decision != null) {
      return { bytes, first, layout: based, decision, base }
    }
  }

  const sample = bytes.subarray(0, layout.sampleSize)
  let ahead: Beginning['ahead']
  const decision = await decide({ bytes: sample }, compression, signal, choice => {
    ahead = compression.cut === 'size' ? compressAhead(bytes, reader, layout, choice, signal) : undefined
  })

  return { bytes, layout, decision, ...ahead == null ? {} : { ahead } }
}

/**
 * Decide by the first piece whether a base helps, or else by the next one that resembles the base: something long may
 * have been inserted before it.
 *
 * @param bytes - the first bytes of the file
 * @returns undefined if the base does not help
 */
async function decideBased (
  first: Piece,
  bytes: Uint8Array,
  base: FrameBase,
  frameSize: number,
  compression: Compression,
  signal: BeginFileOptions['signal']
): Promise<Decision | undefined> {
  const decision = isAided(first) ? await decide(first, compression, signal) : undefined

  if (decision?.based === true) {
    return decision
  }

  const start = await base.findResembling(bytes, frameSize, frameSize)

  if (start == null) {
    return undefined
  }

  const piece = await base.aid(bytes.subarray(start, start + frameSize), { start, frameSize, ...compression })

  // a region that cannot be a dictionary
  if (!isAided(piece)) {
    return undefined
  }

  // its trial is not the first frame
  const { trial: _trial, ...later } = await decide(piece, compression, signal)

  return later.based === true ? later : undefined
}

/** Whether anything in the base is like a piece. */
function isAided ({ dictionary, frame }: Piece): boolean {
  return dictionary != null || frame != null
}
