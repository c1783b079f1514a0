import { encodeFilters } from '../filters/filters.ts'
import { bytesField, pushFieldHead, pushVarint, pushVarintField } from './protobuf.ts'
import type { Filter } from '../filters/filter.ts'
import type { CID } from 'multiformats/cid'

/** The field of the root's UnixFS message that holds the header (docs/format.md, section 3). */
export const HEADER_FIELD = 1445

/** Field numbers of the header. Those from 8 on are of version 2. */
export const FIELD = {
  version: 1,
  codec: 2,
  size: 3,
  frameSize: 4,
  frameLengths: 5,
  contentCid: 6,
  dictionary: 7,
  frameSizes: 8,
  unsealedFilters: 9,
  regions: 10,
  filters: 11,
  groups: 12,
  groupRegions: 13
} as const

/** The versions of the header. */
export type Version = 1 | 2

/** A part of the original content of a base: the dictionary of a frame. Without a dictionary, both are 0. */
export interface Region {
  /** In bytes. */
  offset: number
  length: number
}

/** Frames that follow each other, of which the header says only how much they hold together. */
export interface FrameGroup {
  /** Compressed bytes. */
  length: number
  /** Original bytes. */
  size: number
}

/** The regions of a group of frames, of which the header says only how many bytes they have. */
export interface RegionGroup {
  /** All of them together. */
  size: number
  largest: number
}

/** What the header says of frames that a table after them lists: the seek table, or the region table before a base. */
export interface TableIndex {
  /** How many frames there are. */
  frames: number
  /** 4,096 frames each, the last one what remains. */
  groups: readonly FrameGroup[]
  /** The regions of each group, if the file has a base. */
  regions?: readonly RegionGroup[]
}

/** The header of a compressed file. */
export interface Header {
  /** The marker code. */
  codec: number
  /** Original bytes of the whole file. */
  size: number
  /** Original bytes in every frame but the last, or the most in any frame if there are `frameSizes`. */
  frameSize: number
  /** Compressed bytes of each frame, in order. Empty if a table lists the frames. */
  frameLengths: number[]
  /** Original bytes of each frame, if they differ. */
  frameSizes?: number[]
  /** If a table lists the frames: what the header says of them. */
  table?: TableIndex
  /** What was done to the bytes of each frame before it was compressed, in this order. */
  filters?: readonly Filter[]
  /** The part of the base that each frame refers back to, if the file has a base, and no table lists its frames. */
  regions?: Region[]
  /** The CID that the same bytes have when added uncompressed in the same profile. */
  contentCid?: CID
}

/** Whether frames of the file refer back to a base. */
export function hasBase ({ regions, table }: Pick<Header, 'regions' | 'table'>): boolean {
  return (regions ?? table?.regions) != null
}

/** The header, as the last field of a UnixFS message. */
export function headerField (header: Header): Uint8Array {
  return bytesField(HEADER_FIELD, encodeHeader(header))
}

/** The oldest version that can say what the header holds. */
function versionOf ({ frameSizes, filters, regions, table }: Header): Version {
  return frameSizes == null && filters == null && regions == null && table == null ? 1 : 2
}

function encodeHeader (header: Header): Uint8Array {
  const { contentCid, frameSizes, filters, regions, table } = header
  const message: number[] = []

  pushVarintField(message, FIELD.version, versionOf(header))
  pushVarintField(message, FIELD.codec, header.codec)
  pushVarintField(message, FIELD.size, header.size)
  pushVarintField(message, FIELD.frameSize, header.frameSize)

  if (table == null) {
    pushPacked(message, FIELD.frameLengths, header.frameLengths)
  }

  if (contentCid != null) {
    pushFieldHead(message, FIELD.contentCid, contentCid.bytes.byteLength)
    pushAll(message, contentCid.bytes)
  }

  if (frameSizes != null) {
    pushPacked(message, FIELD.frameSizes, frameSizes)
  }

  if (regions != null) {
    pushPacked(message, FIELD.regions, regions.flatMap(({ offset, length }) => [offset, length]))
  }

  if (filters != null) {
    pushPacked(message, FIELD.filters, encodeFilters(filters))
  }

  if (table != null) {
    pushPacked(message, FIELD.groups, table.groups.flatMap(({ length, size }) => [length, size]))
  }

  if (table?.regions != null) {
    pushPacked(message, FIELD.groupRegions, table.regions.flatMap(({ size, largest }) => [size, largest]))
  }

  return new Uint8Array(message)
}

function pushPacked (message: number[], number: number, values: readonly number[]): void {
  const packed: number[] = []

  for (const value of values) {
    pushVarint(packed, value)
  }

  pushFieldHead(message, number, packed.length)
  pushAll(message, packed)
}

/** Not by `push(...bytes)`: a header may have more bytes than a call may have arguments. */
function pushAll (message: number[], bytes: Iterable<number>): void {
  for (const byte of bytes) {
    message.push(byte)
  }
}
