import { MAX_FRAME_SIZE } from '@ipfsz/codecs'
import {
  DEFAULT_FRAME_SIZE,
  MAX_LEAF_SIZE,
  MIN_FRAME_SIZE,
  RANGES_FRAME_SIZE,
  RANGES_LEAF_SIZE,
  RANGES_SAMPLE_SIZE
} from '../constants.ts'
import { InvalidFrameSizeError, InvalidParametersError } from '../errors.ts'

/** How a file is cut into frames and leaves. */
export interface Layout {
  /** Original bytes in every frame but the last. */
  frameSize: number
  /** Maximum number of bytes of a leaf that several frames share. */
  leafSize: number
  /** How many of the file's first bytes are compressed on trial, to see whether it shrinks. Whole frames. */
  sampleSize: number
}

/** The options of an add that concern the layout. */
interface LayoutOptions {
  codec?: string | undefined
  optimize?: string | undefined
  frameSize?: number | undefined
  leafSize?: number | undefined
}

/** How SQLite databases and Parquet files begin. */
const [SQLITE, PARQUET] = ['SQLite format 3\0', 'PAR1'].map(magic => new TextEncoder().encode(magic))

/** How many of a file's first bytes its layout depends on. */
export const LAYOUT_HEAD_SIZE = 16

/**
 * Find out how files are cut.
 *
 * @returns a function that takes the first {@link LAYOUT_HEAD_SIZE} bytes of a file
 * @throws {InvalidFrameSizeError}
 * @throws {InvalidParametersError} `leafSize` is out of range
 */
export function resolveLayout (
  { codec, optimize, frameSize, leafSize }: LayoutOptions
): (head: Uint8Array) => Layout {
  const layout = layoutOf(frameSize ?? DEFAULT_FRAME_SIZE, leafSize ?? MAX_LEAF_SIZE, 0)
  const ranges = layoutOf(frameSize ?? RANGES_FRAME_SIZE, leafSize ?? RANGES_LEAF_SIZE, RANGES_SAMPLE_SIZE)

  if (optimize === 'ranges') {
    return () => ranges
  }

  // small frames cost stored bytes, and sizes that somebody chose stay
  const isOpen = codec === 'auto' && optimize !== 'size' && frameSize == null && leafSize == null

  return isOpen ? head => isReadInParts(head) ? ranges : layout : () => layout
}

/** @throws {InvalidFrameSizeError} */
export function checkFrameSize (frameSize: number): void {
  if (!Number.isInteger(frameSize) || frameSize < MIN_FRAME_SIZE || frameSize > MAX_FRAME_SIZE) {
    throw new InvalidFrameSizeError(frameSize, MIN_FRAME_SIZE, MAX_FRAME_SIZE)
  }
}

function layoutOf (frameSize: number, leafSize: number, minSampleSize: number): Layout {
  checkFrameSize(frameSize)

  if (!Number.isInteger(leafSize) || leafSize < 1 || leafSize > MAX_LEAF_SIZE) {
    throw new InvalidParametersError(
      `The leaf size must be a whole number from 1 to ${MAX_LEAF_SIZE} bytes, not ${leafSize}`
    )
  }

  return { frameSize, leafSize, sampleSize: frameSize * Math.max(1, Math.ceil(minSampleSize / frameSize)) }
}

/** Whether readers take small parts of a file. */
function isReadInParts (head: Uint8Array): boolean {
  return beginsWith(head, PARQUET) || beginsWith(head, SQLITE)
}

function beginsWith (head: Uint8Array, magic: Uint8Array): boolean {
  return magic.every((byte, i) => head[i] === byte)
}
