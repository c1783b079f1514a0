// Room: the bytes of the format (docs/format.md): header, leaves, tables. Every rule is checked before a number is
// used.
import { MAX_FRAME_SIZE } from '@ipfsz/codecs'
import { MAX_LEAF_SIZE, MAX_STORED_BASE_SIZE, MIN_FRAME_SIZE, MIN_REGION_SIZE, REGION_RATIO } from '../constants.ts'
import { codecName } from '../codec-names.ts'
import { framesInGroup, GROUP_FRAMES } from './frame-groups.ts'
import { BASE_HEAD_LENGTH } from './trailer.ts'
import type { HeaderRule, InvalidHeaderError } from '../errors.ts'
import type { Header, Region, RegionGroup, TableIndex } from './header.ts'
import type { CID } from 'multiformats/cid'

/** What is known about a file before its header is read. */
export interface HeaderContext {
  /** For error messages. */
  cid: CID
  /** The marker code of the requested CID, if it is marked. */
  marker?: number
  /** Bytes of the UnixFS file. */
  streamSize: number
  /**
   * Bytes of the UnixFS file below the last link of its root, which is where a base is.
   *
   * @default 0: there are no links
   */
  lastLinkSize?: number
}

export type Fail = (rule: HeaderRule, reason: string, options?: ErrorOptions) => InvalidHeaderError

/** Check the rules of docs/format.md, sections 3, 6 and 7. */
export function checkHeader (header: Header, context: HeaderContext, fail: Fail): void {
  const { codec, frameSize, regions } = header
  const { marker } = context

  if (codecName(codec) == null) {
    throw fail('codec', `its codec 0x${codec.toString(16)} is not part of the format`)
  }

  if (marker != null && codec !== marker) {
    throw fail('codec', `its codec is 0x${codec.toString(16)}, but the CID says 0x${marker.toString(16)}`)
  }

  if (frameSize < MIN_FRAME_SIZE || frameSize > MAX_FRAME_SIZE) {
    throw fail('frame-size', `its frame size of ${frameSize} bytes is not in ${MIN_FRAME_SIZE} to ${MAX_FRAME_SIZE}`)
  }

  if (header.table != null) {
    checkTable(header, header.table, fail)

    if (header.table.regions != null) {
      checkRegionGroups(header, header.table, header.table.regions, fail)
      checkBaseLink(header, context, fail)
    }

    return
  }

  checkFrameSizes(header, fail)

  const total = checkFrameLengths(header, fail)

  if (total > context.streamSize) {
    throw fail('total-length', `its frames take ${total} bytes, but the file has only ${context.streamSize}`)
  }

  if (regions != null) {
    checkRegions(header, regions, fail)
    checkBase(header, total, context, fail)
  }
}

function checkFrameSizes ({ size, frameSize, frameLengths, frameSizes }: Header, fail: Fail): void {
  const frames = frameSizes == null ? Math.ceil(size / frameSize) : frameSizes.length

  if (frameLengths.length !== frames) {
    throw fail('frame-count', `it has ${frameLengths.length} frames instead of ${frames}`)
  }

  if (frameSizes == null) {
    return
  }

  let total = 0

  for (const [frame, bytes] of frameSizes.entries()) {
    // small frames would let a small file refer to a base many times
    const min = frame === frameSizes.length - 1 ? 1 : MIN_FRAME_SIZE

    if (bytes < min || bytes > frameSize) {
      throw fail('frame-size', `frame ${frame} holds ${bytes} bytes, which is not in ${min} to ${frameSize}`)
    }

    total += bytes
  }

  if (total !== size) {
    throw fail('frame-size', `its frames hold ${total} bytes, but the file has ${size}`)
  }
}

/** The compressed bytes of all frames. */
function checkFrameLengths ({ frameSize, frameLengths }: Header, fail: Fail): number {
  let total = 0

  for (const [frame, length] of frameLengths.entries()) {
    if (length === 0 || length > maxFrameLength(frameSize)) {
      throw fail('frame-length', `the length of frame ${frame}, ${length} bytes, is out of range`)
    }

    total += length
  }

  return total
}

function checkRegions ({ size, frameLengths }: Header, regions: readonly Region[], fail: Fail): void {
  if (regions.length !== frameLengths.length) {
    throw fail('regions', `it has ${regions.length} regions for ${frameLengths.length} frames`)
  }

  let total = 0

  for (const [frame, { offset, length }] of regions.entries()) {
    total += length

    if (!isRegion({ offset, length })) {
      throw fail('regions', `the region of frame ${frame}, ${length} bytes at ${offset}, is out of range`)
    }
  }

  checkRegionsTotal(size, total, fail)
}

/** Whether a region is empty, or has as many bytes as the format allows. */
export function isRegion ({ offset, length }: Region): boolean {
  return length === 0
    ? offset === 0
    : length >= MIN_REGION_SIZE && length <= MAX_FRAME_SIZE && Number.isSafeInteger(offset + length)
}

/** Bounds the work of reading a file by its size. */
function checkRegionsTotal (size: number, total: number, fail: Fail): void {
  if (total > maxRegionsSize(size)) {
    throw fail('regions', `its regions have ${total} bytes together, more than ${maxRegionsSize(size)}`)
  }
}

/** The regions of each group have as many bytes as those of so many frames can have. */
function checkRegionGroups (
  { size }: Header,
  { frames, groups }: TableIndex,
  regions: readonly RegionGroup[],
  fail: Fail
): void {
  if (regions.length !== groups.length) {
    throw fail('regions', `it has regions for ${regions.length} groups instead of ${groups.length}`)
  }

  let total = 0

  for (const [group, { size, largest }] of regions.entries()) {
    if (!isRegion({ offset: 0, length: largest }) || size < largest || size > framesInGroup(frames, group) * largest) {
      throw fail('regions', `the regions of group ${group}, ${size} bytes with one of ${largest}, are out of range`)
    }

    total += size
  }

  checkRegionsTotal(size, total, fail)
}

/** The groups hold what so many frames can hold. That they end where the table begins is known already. */
function checkTable ({ size, frameSize }: Header, { frames, groups }: TableIndex, fail: Fail): void {
  if (groups.length !== Math.ceil(frames / GROUP_FRAMES)) {
    throw fail('groups', `it has ${groups.length} groups for ${frames} frames`)
  }

  let total = 0

  for (const [group, { length, size }] of groups.entries()) {
    const count = framesInGroup(frames, group)
    const isLast = group === groups.length - 1
    // the last frame of the file may be small
    const min = isLast ? (count - 1) * MIN_FRAME_SIZE + 1 : count * MIN_FRAME_SIZE

    if (length < count || length > count * maxFrameLength(frameSize)) {
      throw fail('groups', `the length of group ${group}, ${length} bytes, is out of range`)
    }

    if (size < min || size > count * frameSize) {
      throw fail('groups', `the size of group ${group}, ${size} bytes, is out of range`)
    }

    total += size
  }

  if (total !== size) {
    throw fail('groups', `its groups hold ${total} bytes, but the file has ${size}`)
  }
}

/** Maximum number of bytes of all regions of a file together. */
export function maxRegionsSize (size: number): number {
  return REGION_RATIO * size + MAX_LEAF_SIZE
}

/** The base has to be exactly what follows the frames. */
function checkBase (header: Header, total: number, context: HeaderContext, fail: Fail): void {
  checkBaseLink(header, context, fail)

  const { streamSize, lastLinkSize = 0 } = context

  if (total + BASE_HEAD_LENGTH + lastLinkSize !== streamSize) {
    throw fail('base', `${streamSize - total - lastLinkSize} bytes are between its frames and its base, ` +
      `not ${BASE_HEAD_LENGTH}`)
  }
}

/** The codec has bases, and the last link may be one. */
function checkBaseLink ({ codec }: Header, { lastLinkSize = 0 }: HeaderContext, fail: Fail): void {
  if (codecName(codec) !== 'zstd') {
    throw fail('base', `it has a base, which the codec ${codecName(codec)} cannot use`)
  }

  if (lastLinkSize === 0 || lastLinkSize > MAX_STORED_BASE_SIZE) {
    throw fail('base', `its last link holds ${lastLinkSize} bytes, which is not in 1 to ${MAX_STORED_BASE_SIZE}`)
  }
}

/**
 * Maximum number of bytes of a compressed frame: no codec exceeds it. A reader holds whole frames, so
 * lengths are checked before anything is read.
 */
export function maxFrameLength (frameSize: number): number {
  return frameSize + frameSize / 4 + 1024
}
