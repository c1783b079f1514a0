import { collectBytes } from '@ipfsz/utils/bytes'
import { MIN_FRAME_SIZE } from '../constants.ts'
import { readRange } from '../dag/read.ts'
import { InvalidTrailerError } from '../errors.ts'
import { isRegion, maxFrameLength } from '../format/check-header.ts'
import { decodeEntries, entriesOfGroup, framesInGroup, GROUP_FRAMES } from '../format/frame-groups.ts'
import { frameSizeAt, framesWithin } from '../format/frame-sizes.ts'
import { decodeRegionEntries } from '../format/region-table.ts'
import { tableLayout } from '../format/trailer.ts'
import { codecName } from '../codec-names.ts'
import type { GetStore } from '../dag/block.ts'
import type { ByteRange, ReadOptions } from '../dag/read.ts'
import type { CompressedFile } from './compressed-file.ts'
import type { FrameEntry } from '../format/frame-groups.ts'
import type { FrameGroup, Header, RegionGroup, TableIndex } from '../format/header.ts'
import type { CID } from 'multiformats/cid'

/** Frames that follow each other, and where they are. */
export interface FrameRun {
  first: number
  /** Where it begins in the original, in bytes. */
  start: number
  /** Where it begins in what is stored, in bytes. */
  position: number
  /** Compressed and original bytes of each. There is at least one. */
  frames: readonly FrameEntry[]
}

/** A file whose frames are looked up. */
type FramedFile = Pick<CompressedFile, 'node' | 'header' | 'held'>

/** Compressed bytes of the frames of a run. */
export function lengthOfRun ({ frames }: FrameRun): number {
  return frames.reduce((total, { length }) => total + length, 0)
}

/**
 * The frames that hold a range of the original bytes. There must be at least one byte. They come
 * one group at a time, so that no reader holds all of a list of hundreds of thousands. If the frames are listed in a
 * table, it is read so too (docs/format.md, section 6).
 *
 * @throws {InvalidTrailerError} the table contradicts the header
 */
export async function * frameRuns (
  file: FramedFile,
  { start, end }: ByteRange,
  blockstore: GetStore,
  options: ReadOptions
): AsyncGenerator<FrameRun> {
  const { header } = file

  if (header.table == null) {
    yield * listedRuns(header, start, end)
    return
  }

  const { groups } = header.table
  const table = sum(groups.map(({ length }) => length))
  const readTable = async ({ start, end }: ByteRange): Promise<Uint8Array> =>
    collectBytes(readRange(file.node, { start: table + start, end: table + end }, blockstore, options))
  let at = 0
  let position = 0

  for (const [group, { length, size }] of groups.entries()) {
    if (at < end && at + size > start) {
      const entries = file.held?.group?.number === group
        ? file.held.group.entries
        : await readGroup(file, header.table, group, readTable)

      if (file.held != null) {
        file.held.group = { number: group, entries }
      }

      yield trim({ first: group * GROUP_FRAMES, start: at, position, frames: entries }, start, end)
    }

    at += size
    position += length
  }
}

function * listedRuns (header: Header, start: number, end: number): Generator<FrameRun> {
  const { frameLengths, regions } = header
  const range = framesWithin(header, start, end)
  let { first, start: at } = range
  let position = 0

  for (let frame = 0; frame < first; frame++) {
    position += frameLengths[frame]
  }

  while (first <= range.last) {
    const until = Math.min(first + GROUP_FRAMES, range.last + 1)
    const frames = frameLengths.slice(first, until)
      .map((length, i) => ({ length, size: frameSizeAt(header, first + i), region: regions?.[first + i] }))

    yield { first, start: at, position, frames }

    for (const { length, size } of frames) {
      position += length
      at += size
    }

    first = until
  }
}

/** Leave out the frames of a run that hold none of the bytes from `start` to `end`. */
function trim (run: FrameRun, start: number, end: number): FrameRun {
  let { start: at, position } = run
  let skipped = 0

  while (at + run.frames[skipped].size <= start) {
    at += run.frames[skipped].size
    position += run.frames[skipped].length
    skipped++
  }

  let until = at
  let last = skipped

  while (last < run.frames.length && until < end) {
    until += run.frames[last++].size
  }

  return { first: run.first + skipped, start: at, position, frames: run.frames.slice(skipped, last) }
}

/**
 * The frames of a group, checked.
 *
 * @param read - reads a range of the table
 */
async function readGroup (
  { node, header: { codec, frameSize } }: FramedFile,
  { frames, groups, regions }: TableIndex,
  group: number,
  read: (range: ByteRange) => Promise<Uint8Array>
): Promise<FrameEntry[]> {
  const part = entriesOfGroup(frames, group, tableLayout(codecName(codec) ?? '', regions != null))
  const bytes = await read(part)
  const entries = regions == null ? decodeEntries(bytes) : decodeRegionEntries(bytes)

  if (entries.length !== framesInGroup(frames, group)) {
    throw new InvalidTrailerError(node.cid, `it ends in group ${group}`)
  }

  checkEntries(node.cid, entries, group * GROUP_FRAMES, { frames, frameSize })
  checkTotals(node.cid, entries, groups[group], group)
  checkRegions(node.cid, entries, regions?.[group] ?? { size: 0, largest: 0 }, group)

  return entries
}

/** Whether each frame is one that the format allows. Nothing is allocated for it before. */
function checkEntries (
  cid: CID,
  entries: readonly FrameEntry[],
  first: number,
  { frames, frameSize }: { frames: number, frameSize: number }
): void {
  const longest = maxFrameLength(frameSize)

  for (const [i, { length, size, region }] of entries.entries()) {
    const frame = first + i
    const smallest = frame === frames - 1 ? 1 : MIN_FRAME_SIZE

    if (length === 0 || length > longest || size < smallest || size > frameSize) {
      throw new InvalidTrailerError(cid, `frame ${frame}, ${size} bytes in ${length}, is out of range`)
    }

    if (region != null && !isRegion(region)) {
      throw new InvalidTrailerError(cid, `the region of frame ${frame}, ${region.length} bytes at ${region.offset}, ` +
        'is out of range')
    }
  }
}

function checkTotals (cid: CID, entries: readonly FrameEntry[], stated: FrameGroup, group: number): void {
  const length = sum(entries.map(entry => entry.length))
  const size = sum(entries.map(entry => entry.size))

  if (length !== stated.length || size !== stated.size) {
    throw new InvalidTrailerError(cid, `the frames of group ${group} hold ${size} bytes in ${length}, ` +
      `but the header says ${stated.size} in ${stated.length}`)
  }
}

function checkRegions (cid: CID, entries: readonly FrameEntry[], stated: RegionGroup, group: number): void {
  const lengths = entries.map(({ region }) => region?.length ?? 0)
  const size = sum(lengths)
  const largest = lengths.reduce((most, length) => Math.max(most, length), 0)

  if (size !== stated.size || largest !== stated.largest) {
    throw new InvalidTrailerError(cid, `the regions of group ${group} have ${size} bytes, the largest ${largest}, ` +
      `but the header says ${stated.size}, the largest ${stated.largest}`)
  }
}

function sum (numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
