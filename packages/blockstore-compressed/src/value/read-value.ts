/**
 * Decodes stored values. A value that begins with a marker code is an envelope
 * (docs/format.md, section 5), or an old plain block that happens to begin like one. The
 * bytes alone cannot tell, since such a block may be a complete envelope of other bytes. The
 * hash can: a plain block matches its CID, an envelope does not.
 */
import { MAX_FRAME_SIZE } from '@ipfsz/codecs'
import { settle, unwrap } from '@ipfsz/utils/map-ordered'
import { IDENTITY_CODE } from '../constants.ts'
import { beginsLike, parseEnvelope } from './envelope.ts'
import { BlockTooLargeError, CorruptBlockError, UnsupportedCodecError } from '../errors.ts'
import { codecNames } from './settings.ts'
import type { Settled } from '@ipfsz/utils/map-ordered'
import type { Envelope } from './envelope.ts'
import type { Verify } from '../init.ts'
import type { OrdinaryBlocks } from './ordinary-blocks.ts'
import type { Readers } from './settings.ts'
import type { Codec, CodecName } from '@ipfsz/codecs'
import type { CID } from 'multiformats/cid'

/** How a block is stored: as a frame of a codec, or uncompressed (`none`). */
export type StoredAs = CodecName | 'none'

export interface Block {
  bytes: Uint8Array
  storedAs: StoredAs
}

export interface StoredBlock {
  /** The codec that decompresses the payload, or `none`: then the payload is the block itself. */
  codec: StoredAs
  /** Bytes of the block. For a compressed block, as its envelope claims. */
  size: number
  /** One frame of the codec, or the block. */
  payload: Uint8Array
}

interface ReadValueOptions extends Readers {
  verify: Verify
  /** Blocks known not to begin like an envelope. Reading adds to it. */
  ordinary: OrdinaryBlocks
  /** Whether other blocks are read at the same time. */
  isBusy?: boolean | undefined
  signal?: AbortSignal | null | undefined
}

/**
 * Decode a stored value to its block.
 *
 * @throws {CorruptBlockError}
 * @throws {BlockTooLargeError}
 * @throws {UnsupportedCodecError}
 * @throws {UnknownHashError} the block has to be verified, and cannot be
 * @throws {DigestLengthError} as above
 */
export async function readValue (cid: CID, value: Uint8Array, options: ReadValueOptions): Promise<Block> {
  const { verifier, verify, isBusy, signal } = options

  if (beginsLike(value) !== 'block') {
    return verify === 'hash' ? readHashed(cid, value, options) : readUnhashed(cid, value, options)
  }

  if (verify === 'hash') {
    verifier.assertSupported(cid)

    if (!await verifier.matches(cid, value, isBusy)) {
      throw new CorruptBlockError(cid)
    }

    signal?.throwIfAborted()
  }

  return asIs(value)
}

/**
 * Decode a stored value as far as it can be done without decompressing.
 *
 * @throws the errors of `readValue`
 */
export async function readStored (cid: CID, value: Uint8Array, options: ReadValueOptions): Promise<StoredBlock> {
  const envelope = await findEnvelope(cid, value, options)
  const codec = envelope == null ? undefined : options.codecs.get(envelope.code)

  if (envelope == null || codec == null) {
    const { bytes } = await readValue(cid, value, options)

    return { codec: 'none', size: bytes.byteLength, payload: bytes }
  }

  return { codec: codec.name, size: envelope.size, payload: envelope.payload }
}

/**
 * Find the envelope of a stored value, without decompressing it.
 *
 * @returns undefined if the value is a plain block
 * @throws the errors of `readValue`
 */
export async function findEnvelope (cid: CID, value: Uint8Array, options: Readers): Promise<Envelope | undefined> {
  if (await isBlock(cid, value, options)) {
    return undefined
  }

  const envelope = parse(cid, value)
  checkEnvelope(cid, envelope, options)

  return envelope
}

/** Since the hash is checked anyway, tries the likelier case first: an envelope. */
async function readHashed (cid: CID, value: Uint8Array, options: ReadValueOptions): Promise<Block> {
  const { verifier, isBusy, signal } = options
  let block: Block | undefined
  let failure: unknown

  verifier.assertSupported(cid)

  try {
    block = await openEnvelope(cid, parse(cid, value), options)
  } catch (err) {
    signal?.throwIfAborted()
    failure = err
  }

  if (block != null && await verifier.matches(cid, block.bytes, isBusy)) {
    signal?.throwIfAborted()

    return block
  }

  if (await verifier.matches(cid, value, isBusy)) {
    return asIs(value)
  }

  throw failure ?? new CorruptBlockError(cid)
}

/** Hashes the stored value at most, which is smaller than the block, while a codec decompresses on another thread. */
async function readUnhashed (cid: CID, value: Uint8Array, options: ReadValueOptions): Promise<Block> {
  const { ordinary, signal } = options
  const isOrdinary = ordinary.has(cid)
  const opening = tryOpen(cid, value, options)
  const isPlain = !isOrdinary && await isBlock(cid, value, options)
  // of a plain block too: its reader may free it, and the codec still reads it
  const opened = await opening

  signal?.throwIfAborted()

  const block = isPlain ? asIs(value) : unwrap(opened)

  if (!isOrdinary && beginsLike(block.bytes) === 'block') {
    ordinary.add(cid)
  }

  return block
}

/** Starts to open an envelope. If the value turns out to be a plain block, a failure does not matter. */
async function tryOpen (cid: CID, value: Uint8Array, options: ReadValueOptions): Promise<Settled<Block>> {
  return settle(async () => openEnvelope(cid, parse(cid, value), options), undefined)
}

/** Whether a value is a plain block, even if it begins like an envelope. */
async function isBlock (cid: CID, value: Uint8Array, options: Readers): Promise<boolean> {
  const begins = beginsLike(value)

  // a part of a marker code is not an envelope, but may be a block that was cut short: only the hash can tell
  if (begins === 'block' || (begins === 'cut-short' && !options.verifier.supports(cid))) {
    return true
  }

  options.verifier.assertSupported(cid)

  return options.verifier.matches(cid, value)
}

function parse (cid: CID, value: Uint8Array): Envelope {
  const envelope = beginsLike(value) === 'envelope' ? parseEnvelope(value) : undefined

  if (envelope == null) {
    throw new CorruptBlockError(cid, { reason: 'its envelope is truncated or damaged' })
  }

  return envelope
}

async function openEnvelope (cid: CID, envelope: Envelope, options: ReadValueOptions): Promise<Block> {
  const { size, payload } = envelope
  const codec = checkEnvelope(cid, envelope, options)
  const bytes = codec == null ? payload : await decompress(cid, codec, envelope, options)

  if (options.verify !== 'none' && bytes.byteLength !== size) {
    throw new CorruptBlockError(cid, { reason: `it has ${bytes.byteLength} bytes instead of ${size}` })
  }

  return { bytes, storedAs: codec?.name ?? 'none' }
}

/**
 * Check the claims of an envelope before allocating memory for them.
 *
 * @returns undefined if the payload is not compressed
 */
function checkEnvelope (cid: CID, { code, size }: Envelope, options: Readers): Codec | undefined {
  const codec = options.codecs.get(code)
  const max = codec == null ? options.maxBlockSize : Math.min(options.maxBlockSize, MAX_FRAME_SIZE)

  if (codec == null && code !== IDENTITY_CODE) {
    throw new UnsupportedCodecError(cid, code, codecNames(options))
  }

  if (size > max) {
    throw new BlockTooLargeError(cid, size, max)
  }

  return codec
}

async function decompress (
  cid: CID,
  codec: Codec,
  { size, payload }: Envelope,
  { signal }: ReadValueOptions
): Promise<Uint8Array> {
  try {
    return await codec.decompress(payload, { size, signal })
  } catch (err) {
    // other failures (no WebAssembly, no memory, an abort) do not mean that the block is damaged
    if (err instanceof Error && err.name === 'CorruptFrameError') {
      throw new CorruptBlockError(cid, { reason: err.message, cause: err })
    }

    throw err
  }
}

function asIs (bytes: Uint8Array): Block {
  return { bytes, storedAs: 'none' }
}
