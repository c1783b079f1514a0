import { isJoinable, joinedLength, joinMembers } from '@ipfsz/codecs/gzip-members'
import { isZstdFrame, MAX_HEADER_LENGTH, readZstdHeader } from '@ipfsz/codecs/zstd-header'
import { contentCoding } from '../request/accept-encoding.ts'
import type { ContentCoding } from '../contract.ts'
import type { StoredFile } from '@ipfsz/core'

/** How the frames of a file go out without being decompressed. */
export interface Representation {
  /** `dcz` is zstd with a dictionary of the client. */
  coding: ContentCoding | 'dcz'
  /** Whether the frames are gzip members that are joined into one. */
  joined: boolean
  /** The SHA-256 of the dictionary, in base64. */
  dictionary?: string | undefined
  /** What goes out before them. */
  prefix?: Uint8Array | undefined
  /** For `Content-Length`. */
  length: number
}

/** A body that is decompressed by the client. */
export interface StoredBody extends Representation {
  bytes: AsyncIterable<Uint8Array>
}

/**
 * Node's fetch decodes zstd in steps of this many bytes, and silently stops after a frame whose end is
 * not the end of a step (nodejs/node#64741).
 */
const ZSTD_STEP = 16 * 1024

/** The largest window that clients accept of `Content-Encoding: zstd` (RFC 9659). */
const MAX_WINDOW_SIZE = 8 * 1024 * 1024

/** The header of a joinable gzip member is shorter, with 16 bytes. */
const START_LENGTH = MAX_HEADER_LENGTH

/**
 * Whether, and how, the frames of a file can be sent to a client that takes some content codings.
 * Undefined: the file must be decompressed for it. Every browser, curl and Node's fetch decode
 * - zstd of one frame, or of frames that Node decodes too,
 * - one gzip member; of several, all but Node silently decode the first only, so they are joined,
 * - one brotli stream.
 */
export function chooseRepresentation (
  file: Pick<StoredFile, 'codec' | 'frameLengths' | 'frameSize' | 'frameSizes' | 'length'>,
  accepts: (coding: ContentCoding) => boolean
): Representation | undefined {
  const { codec, frameLengths, length } = file
  const coding = contentCoding(codec)
  const isOne = frameLengths.length === 1

  if (coding == null || frameLengths.length === 0 || !accepts(coding)) {
    return undefined
  }

  switch (coding) {
    case 'zstd':
      return endInSteps(file) ? { coding, joined: false, length } : undefined
    case 'gzip':
      return { coding, joined: !isOne, length: isOne ? length : joinedLength(frameLengths) }
    default:
      return isOne ? { coding, joined: false, length } : undefined
  }
}

/** Whether Node's fetch decodes every frame: all but the last hold whole steps. */
function endInSteps (
  { frameSize, frameSizes, frameLengths }: Pick<StoredFile, 'frameLengths' | 'frameSize' | 'frameSizes'>
): boolean {
  const sizes = frameSizes?.slice(0, -1) ?? (frameLengths.length === 1 ? [] : [frameSize])

  return sizes.every(size => size % ZSTD_STEP === 0)
}

/**
 * Whether clients can decode a file as it was chosen, as far as its first bytes tell: gzip members that
 * others wrote cannot be joined, and a zstd frame that others wrote may need too large a window. Where a
 * checksum comes in another piece than what it ends, Node's fetch silently stops behind it.
 */
export function canSend ({ coding, joined }: Representation, start: Uint8Array): boolean {
  switch (coding) {
    case 'zstd':
      return zstdChecksum(start) === false
    case 'dcz':
      // with a checksum, a client notices a file that was made with another base
      return zstdChecksum(start) === true
    case 'gzip':
      return joined ? isJoinable(start) : start[0] === 0x1f && start[1] === 0x8b
    default:
      return true
  }
}

/** Whether a zstd frame has a checksum. Undefined: it is none, or needs too large a window. */
function zstdChecksum (start: Uint8Array): boolean | undefined {
  if (!isZstdFrame(start)) {
    return undefined
  }

  const { length, window, hasChecksum } = readZstdHeader(start)

  return length <= start.byteLength && window <= MAX_WINDOW_SIZE ? hasChecksum : undefined
}

/** Frames whose first bytes are known. */
export interface OpenedFrames {
  /** As many bytes as `canSend` needs, or all if there are fewer. */
  start: Uint8Array
  /** All bytes, those of the start included. To be read once. */
  frames: AsyncIterable<Uint8Array>
  /** Instead of reading them. */
  close: () => void
}

/** Read the start of a file, to be read on from there. */
export async function openFrames (source: AsyncIterable<Uint8Array>): Promise<OpenedFrames> {
  const iterator = source[Symbol.asyncIterator]()
  const chunks: Uint8Array[] = []
  const start = new Uint8Array(START_LENGTH)
  let length = 0

  while (length < START_LENGTH) {
    const { done, value } = await iterator.next()

    if (done === true) {
      break
    }

    chunks.push(value)
    start.set(value.subarray(0, START_LENGTH - length), length)
    length = Math.min(length + value.byteLength, START_LENGTH)
  }

  return {
    start: start.subarray(0, length),
    frames: resume(chunks, iterator),
    // not awaited, because a stalled source would block the caller
    close: () => { iterator.return?.().catch(() => {}) }
  }
}

async function * resume (chunks: Uint8Array[], iterator: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield * chunks.splice(0)
  yield * { [Symbol.asyncIterator]: () => iterator }
}

/** The bytes that are sent. Calls no codec. */
export function storedBytes (
  { frameLengths }: Pick<StoredFile, 'frameLengths'>,
  { joined, prefix }: Representation,
  frames: AsyncIterable<Uint8Array>
): AsyncIterable<Uint8Array> {
  const bytes = joined ? joinMembers(frames, frameLengths) : frames

  return prefix == null ? bytes : after(prefix, bytes)
}

async function * after (prefix: Uint8Array, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield prefix
  yield * bytes
}

/** What sends files as they are stored. */
export const storedFiles = { canSend, chooseRepresentation, openFrames, storedBytes }

export type StoredFiles = typeof storedFiles
