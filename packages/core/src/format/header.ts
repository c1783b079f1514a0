import { MAX_FRAME_SIZE } from '@ipfsz/codecs'
import { messageOf } from '@ipfsz/codecs/internal'
import { CID } from 'multiformats/cid'
import { concat } from '../util/bytes.ts'
import { MAX_FRAME_TABLE_SIZE, MIN_FRAME_SIZE } from '../constants.ts'
import { InvalidHeaderError } from '../errors.ts'
import { codecName } from '../marker.ts'
import { BYTES, bytesField, readFields, readPackedVarints, VARINT, varint, varintField } from './protobuf.ts'
import type { HeaderRule } from '../errors.ts'
import type { Field } from './protobuf.ts'

/** The field of the root's UnixFS message that holds the header (docs/format.md, section 3). */
export const HEADER_FIELD = 1445

const VERSION = 1

/** Field numbers of the header. */
const FIELD = {
  version: 1,
  codec: 2,
  size: 3,
  frameSize: 4,
  frameLengths: 5,
  contentCid: 6,
  dictionary: 7
} as const

/** The header of a compressed file. */
export interface Header {
  /** The marker code. */
  codec: number
  /** Original bytes of the whole file. */
  size: number
  /** Original bytes in every frame but the last. */
  frameSize: number
  /** Compressed bytes of each frame, in order. */
  frameLengths: number[]
  /** The CID that the same bytes have when added uncompressed in the same profile. */
  contentCid?: CID
}

/** What is known about a file before its header is read. */
export interface HeaderContext {
  /** For error messages. */
  cid: CID
  /** The marker code of the requested CID, if it is marked. */
  marker?: number
  /** Bytes of the UnixFS file. */
  streamSize: number
}

/** Append the header to a UnixFS message, as its last field. */
export function appendHeader (unixfs: Uint8Array, header: Header): Uint8Array {
  return concat([unixfs, bytesField(HEADER_FIELD, encodeHeader(header))])
}

function encodeHeader (header: Header): Uint8Array {
  const lengths = Uint8Array.from(header.frameLengths.flatMap(varint))

  return concat([
    Uint8Array.from([
      ...varintField(FIELD.version, VERSION),
      ...varintField(FIELD.codec, header.codec),
      ...varintField(FIELD.size, header.size),
      ...varintField(FIELD.frameSize, header.frameSize)
    ]),
    bytesField(FIELD.frameLengths, lengths),
    ...header.contentCid == null ? [] : [bytesField(FIELD.contentCid, header.contentCid.bytes)]
  ])
}

/**
 * Read the header of a UnixFS message, if it has one, and check every rule of
 * docs/format.md, section 3.
 *
 * @throws {InvalidHeaderError} the header breaks a rule: `rule` says which
 */
export function readHeader (unixfs: Uint8Array, context: HeaderContext): Header | undefined {
  const fail: Fail = (rule, reason, options) => new InvalidHeaderError(context.cid, rule, reason, options)

  let header: Header | undefined

  try {
    const message = expectType(findMessage(unixfs), BYTES, fail)

    header = message == null ? undefined : decodeHeader(message, fail)
  } catch (err) {
    if (err instanceof InvalidHeaderError) {
      throw err
    }

    throw fail('encoding', messageOf(err), { cause: err })
  }

  if (header != null) {
    checkHeader(header, context, fail)
  }

  return header
}

type Fail = (rule: HeaderRule, reason: string, options?: ErrorOptions) => InvalidHeaderError

function decodeHeader (message: Field, fail: Fail): Header {
  const fields = readOnce(message.bytes)
  const number = (field: number): number => expectType(fields.get(field), VARINT, fail)?.value ?? 0
  const bytes = (field: number): Uint8Array | undefined => expectType(fields.get(field), BYTES, fail)?.bytes

  if (number(FIELD.version) !== VERSION) {
    throw fail('version', `its version is ${number(FIELD.version)}, and only version ${VERSION} is supported`)
  }

  if (fields.has(FIELD.dictionary)) {
    throw fail('dictionary', 'it needs a dictionary, which is not supported')
  }

  const contentCid = bytes(FIELD.contentCid)
  const lengths = bytes(FIELD.frameLengths) ?? new Uint8Array(0)

  if (lengths.byteLength > MAX_FRAME_TABLE_SIZE) {
    throw fail('frame-count', `its frame lengths take ${lengths.byteLength} bytes`)
  }

  return {
    codec: number(FIELD.codec),
    size: number(FIELD.size),
    frameSize: number(FIELD.frameSize),
    frameLengths: readPackedVarints(lengths),
    ...contentCid == null ? {} : { contentCid: CID.decode(contentCid) }
  }
}

/**
 * The fields of a header by number. Refuses a known field that occurs twice, because
 * readers could disagree about which one counts.
 */
function readOnce (message: Uint8Array): Map<number, Field> {
  const found = new Map<number, Field>()

  for (const field of readFields(message)) {
    if (found.has(field.number) && field.number <= FIELD.dictionary) {
      throw new Error(`field ${field.number} occurs twice`)
    }

    found.set(field.number, field)
  }

  return found
}

function findMessage (unixfs: Uint8Array): Field | undefined {
  const found = [...readFields(unixfs)].filter(field => field.number === HEADER_FIELD)

  if (found.length > 1) {
    throw new Error('there are two headers')
  }

  return found[0]
}

function expectType (field: Field | undefined, type: number, fail: Fail): Field | undefined {
  if (field != null && field.type !== type) {
    throw fail('encoding', `field ${field.number} has the wrong wire type`)
  }

  return field
}

function checkHeader (header: Header, { marker, streamSize }: HeaderContext, fail: Fail): void {
  const { codec, size, frameSize, frameLengths } = header

  if (codecName(codec) == null) {
    throw fail('codec', `its codec 0x${codec.toString(16)} is not part of the format`)
  }

  if (marker != null && codec !== marker) {
    throw fail('codec', `its codec is 0x${codec.toString(16)}, but the CID says 0x${marker.toString(16)}`)
  }

  if (frameSize < MIN_FRAME_SIZE || frameSize > MAX_FRAME_SIZE) {
    throw fail('frame-size', `its frame size of ${frameSize} bytes is not in ${MIN_FRAME_SIZE} to ${MAX_FRAME_SIZE}`)
  }

  const frames = Math.ceil(size / frameSize)

  if (frameLengths.length !== frames) {
    throw fail('frame-count', `it has ${frameLengths.length} frames instead of ${frames}`)
  }

  let total = 0

  for (const [frame, length] of frameLengths.entries()) {
    if (length === 0 || length > maxFrameLength(frameSize)) {
      throw fail('frame-length', `the length of frame ${frame}, ${length} bytes, is out of range`)
    }

    total += length
  }

  if (total > streamSize) {
    throw fail('total-length', `its frames take ${total} bytes, but the file has only ${streamSize}`)
  }
}

/**
 * The most bytes of a compressed frame: no codec exceeds it. A reader holds whole frames, so
 * lengths are checked before anything is read.
 */
export function maxFrameLength (frameSize: number): number {
  return frameSize + frameSize / 4 + 1024
}
