import { freeBytes } from '@ipfsz/utils/free-bytes'
import { equals } from 'multiformats/bytes'
import { MAX_INLINE_SIZE, MAX_LEAF_SIZE, MIN_GAIN } from '../constants.ts'
import { compressAided } from '../frames/compress-aided.ts'
import { applyFilters } from '../filters/filters.ts'
import { isCompressedType } from './detector.ts'
import type { Filter } from '../filters/filter.ts'
import type { Choice, Compression } from './compression.ts'
import type { DecidedProgress } from '../events.ts'
import type { Frame, Piece } from '../frames/compress-frames.ts'

/** Approximate bytes of a root block without its content: header and UnixFS fields. */
const ROOT_LENGTH = 64
/** Bytes that a link takes in a root block: CID, sizes and tags. */
const LINK_LENGTH = 52

/** Bytes that a base takes in addition: a link, a link to the frames that would otherwise be inline, and its region. */
export const BASE_LENGTH = 2 * LINK_LENGTH + 16

/**
 * Bytes of a piece that are compressed beside it to learn whether its base saves much, 64 KiB: what zstd compresses on
 * the calling thread. With half as many, data that shrink to a tenth would be compressed a second time as a whole.
 */
const PART_SIZE = 64 * 1024
/** The same, where the frame with the base has been made: so many times as many bytes as it has. */
const PART_RATIO = 12

/** How to compress a file, if at all, and why. */
export interface Decision {
  choice?: Choice
  reason: DecidedProgress['reason']
  /** The piece as one frame, if the trial compressed it and it pays off. */
  trial?: Frame
  /** What is done to the bytes of frames before they are compressed. */
  filters?: readonly Filter[]
  /** Whether frames are to refer back to the base. */
  based?: boolean
}

/**
 * Decide whether compressing a file pays off, with what, and whether its base helps.
 *
 * @param aided - the first bytes of the file, as many as its layout says, or all of a shorter file
 * @param onTrial - called when they are about to be compressed without filters, with what will be chosen if they shrink
 */
export async function decide (
  aided: Piece,
  { choose, chooseFilters, detect, named }: Pick<Compression, 'choose' | 'chooseFilters' | 'detect' | 'named'>,
  signal?: AbortSignal | null,
  onTrial?: (choice: Choice) => void
): Promise<Decision> {
  const piece = aided.bytes
  const early = decideEarly(piece, detect)

  if (early != null) {
    return early
  }

  // a frame that refers back to a base has to resemble it
  const withFilters = async (): Promise<Filtered> => aided.region == null
    ? filterFirst(piece, chooseFilters, signal)
    : { filters: [], filtered: piece }

  if (!detect) {
    const { filters, filtered } = await withFilters()
    const choice = await choose(filtered, signal)

    return { choice, reason: 'options', filters, based: aided.region != null && choice?.codec.dictionaries === true }
  }

  if (await isCompressedType(piece)) {
    return { reason: 'type' }
  }

  // first, so that all is compressed once, with filters or without
  const { filters, filtered } = await withFilters()
  const choice = named ?? await choose(filtered, signal)

  if (choice == null) {
    return { reason: 'trial' }
  }

  if (named != null && filters.length === 0) {
    onTrial?.(named)
  }

  const { trial, based } = await compressFirst({ ...aided, bytes: filtered }, choice, signal)

  if (filtered.buffer !== piece.buffer && filtered.buffer !== trial.bytes.buffer) {
    freeBytes(filtered)
  }

  if (isGain(trial.size, trial.bytes.byteLength)) {
    return { choice, reason: 'trial', trial, filters, based }
  }

  // about as long as the piece: with it as garbage, V8 would mark the whole heap for every few files that do not shrink
  if (trial.bytes.buffer !== piece.buffer) {
    freeBytes(trial.bytes)
  }

  return { reason: 'trial' }
}

/** What is decided without looking at the bytes. */
export function decideEarly ({ byteLength }: Uint8Array, detect: boolean): Decision | undefined {
  if (byteLength === 0) {
    return { reason: 'empty' }
  }

  // a file so small that the root block's overhead alone cancels the saving
  return detect && !isGain(byteLength, 0) ? { reason: 'trial' } : undefined
}

/** A piece, as it is compressed. */
interface Filtered {
  filters: readonly Filter[]
  filtered: Uint8Array
}

async function filterFirst (
  piece: Uint8Array,
  chooseFilters: Compression['chooseFilters'],
  signal?: AbortSignal | null
): Promise<Filtered> {
  const filters = await chooseFilters?.(piece, signal) ?? []

  return { filters, filtered: applyFilters(piece, filters) }
}

/** The first frame, and whether it refers back to the base. */
interface First {
  trial: Frame
  based: boolean
}

/**
 * Compress the first piece, with its base if that saves more than the links of a base take. A base that has
 * nothing like the first piece may still help with the others.
 */
function compressFirst (piece: Piece, choice: Choice, signal?: AbortSignal | null): First | Promise<First> {
  const { codec, level } = choice

  if (piece.region != null && codec.dictionaries === true) {
    return compressBoth(piece, choice, signal)
  }

  const size = piece.bytes.byteLength
  const frame = codec.compress(piece.bytes, { level, signal })
  const toFirst = (bytes: Uint8Array): First => ({ trial: { size, bytes }, based: false })

  // small ones are made at once: most files of a tree are that small
  return 'then' in frame ? frame.then(toFirst) : toFirst(frame)
}

/** With the base, and as much as needed without it. */
async function compressBoth (
  { bytes: piece, region, dictionary, newBytes, maxLevel, isAided = false, frame }: Piece,
  { codec, level, basedLevels }: Choice,
  signal?: AbortSignal | null
): Promise<First> {
  const size = piece.byteLength

  if (dictionary != null && equals(piece, dictionary)) {
    // most files of a next version did not change: one match, which every level finds
    const bytes = await codec.compress(piece, { level: 1, dictionary, signal })

    return { trial: { size, bytes, region }, based: true }
  }

  const unaided = async (bytes = piece): Promise<Uint8Array> => codec.compress(bytes, { level, signal })

  const aiding = frame?.bytes ?? (dictionary == null
    ? undefined
    : compressAided(piece, { dictionary, newBytes, maxLevel }, codec, { levels: basedLevels, signal }))

  if (aiding == null) {
    return { trial: { size, bytes: await unaided(), region }, based: true }
  }

  if (isAided) {
    return { trial: { size, bytes: await aiding, region }, based: true }
  }

  const partSize = frame == null ? PART_SIZE : PART_RATIO * (frame.bytes.byteLength + BASE_LENGTH)
  const [aided, part] = await Promise.all([aiding, unaided(piece.subarray(0, partSize))])
  const saves = (bytes: Uint8Array): boolean =>
    aided.byteLength + BASE_LENGTH <= bytes.byteLength * (1 - MIN_GAIN)
  // without its base, all of the piece takes at least what a part of it does
  const bytes = saves(part) || size <= partSize ? part : await unaided()

  return saves(bytes)
    ? { trial: { size, bytes: aided, region, ...frame == null ? {} : { checked: frame.checked } }, based: true }
    : { trial: { size, bytes }, based: false }
}

/**
 * Whether compression pays off. It does if the first frame, which is all of a small file,
 * shrinks by at least 5 % with the root block included.
 *
 * @param size - original bytes in the frame
 * @param length - compressed bytes of the frame
 */
export function isGain (size: number, length: number): boolean {
  const links = length <= MAX_INLINE_SIZE ? 0 : Math.ceil(length / MAX_LEAF_SIZE)

  return length + ROOT_LENGTH + links * LINK_LENGTH <= size * (1 - MIN_GAIN)
}
