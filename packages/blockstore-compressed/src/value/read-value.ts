/**
 * From a stored value to the block. A value that begins with a marker code is an
 * envelope (docs/format.md, section 5), unless it is an old block that was stored as it
 * is and only begins so. Bytes cannot tell: such a block may be a whole envelope, of
 * other bytes. The hash can, because the key is that of the block.
 */
import { MAX_FRAME_SIZE } from '@ipfsz/codecs'
import { IDENTITY_CODE } from '../constants.ts'
import { beginsLike, parseEnvelope } from './envelope.ts'
import { BlockTooLargeError, CorruptBlockError, UnsupportedCodecError } from '../errors.ts'
import { codecNames } from '../settings.ts'
import type { Envelope } from './envelope.ts'
import type { Verify } from '../init.ts'
import type { OrdinaryBlocks } from './ordinary-blocks.ts'
import type { Readers } from '../settings.ts'
import type { Codec, CodecName } from '@ipfsz/codecs'
import type { CID } from 'multiformats/cid'

/** What a block is stored as: frames of a codec, or as it is. */
export type StoredAs = CodecName | 'none'

export interface Block {
  bytes: Uint8Array
  storedAs: StoredAs
}

export interface ReadValueOptions extends Readers {
  verify: Verify
  /** Blocks of which it is known. Those that are found to be so are added. */
  ordinary: OrdinaryBlocks
  signal?: AbortSignal | null | undefined
}

/**
 * The block of a stored value.
 *
 * @throws {CorruptBlockError}
 * @throws {BlockTooLargeError}
 * @throws {UnsupportedCodecError}
 * @throws {UnknownHashError} the block has to be verified, and cannot be
 * @throws {DigestLengthError} as above
 */
export async function readValue (cid: CID, value: Uint8Array, options: ReadValueOptions): Promise<Block> {
  const { verifier, verify, signal } = options

  if (beginsLike(value) !== 'block') {
    return verify === 'hash' ? readHashed(cid, value, options) : readUnhashed(cid, value, options)
  }

  if (verify === 'hash') {
    verifier.assertSupported(cid)

    if (!await verifier.matches(cid, value)) {
      throw new CorruptBlockError(cid)
    }

    signal?.throwIfAborted()
  }

  return asIs(value)
}

/**
 * The envelope of a value, unless the value is a block by itself. Nothing is
 * decompressed.
 *
 * @throws as `readValue`
 */
export async function findEnvelope (cid: CID, value: Uint8Array, options: Readers): Promise<Envelope | undefined> {
  if (await isBlock(cid, value, options)) {
    return undefined
  }

  const envelope = parse(cid, value)
  checkEnvelope(cid, envelope, options)

  return envelope
}

/** The hash is compared anyway, so it is compared with what is most likely the block first. */
async function readHashed (cid: CID, value: Uint8Array, options: ReadValueOptions): Promise<Block> {
  const { verifier, signal } = options
  let block: Block | undefined
  let failure: unknown

  verifier.assertSupported(cid)

  try {
    block = await openEnvelope(cid, parse(cid, value), options)
  } catch (err) {
    signal?.throwIfAborted()
    failure = err
  }

  if (block != null && await verifier.matches(cid, block.bytes)) {
    signal?.throwIfAborted()

    return block
  }

  if (await verifier.matches(cid, value)) {
    return asIs(value)
  }

  throw failure ?? new CorruptBlockError(cid)
}

/** Hashed is at most what is stored, which is less than the block, and while a codec works on another thread. */
async function readUnhashed (cid: CID, value: Uint8Array, options: ReadValueOptions): Promise<Block> {
  const { ordinary, signal } = options
  const isOrdinary = ordinary.has(cid)
  const opening = tryOpen(cid, value, options)
  const block = !isOrdinary && await isBlock(cid, value, options) ? asIs(value) : await opening

  signal?.throwIfAborted()

  if (!isOrdinary && beginsLike(block.bytes) === 'block') {
    ordinary.add(cid)
  }

  return block
}

/** Its failure may not matter. */
function tryOpen (cid: CID, value: Uint8Array, options: ReadValueOptions): Promise<Block> {
  const open = async (): Promise<Block> => openEnvelope(cid, parse(cid, value), options)
  const opening = open()

  opening.catch(() => {})

  return opening
}

/** Whether a value is the block of a CID as it is, whatever it begins like. */
async function isBlock (cid: CID, value: Uint8Array, options: Readers): Promise<boolean> {
  const begins = beginsLike(value)

  // without a whole marker code it is no envelope, and may be a block cut short
  if (begins === 'block' || (begins === 'cut-short' && !options.verifier.supports(cid))) {
    return true
  }

  options.verifier.assertSupported(cid)

  return options.verifier.matches(cid, value)
}

function parse (cid: CID, value: Uint8Array): Envelope {
  const envelope = beginsLike(value) === 'envelope' ? parseEnvelope(value) : undefined

  if (envelope == null) {
    throw new CorruptBlockError(cid, { reason: 'its envelope is cut short or damaged' })
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

/** What an envelope says is looked at before anything is allocated by it. Undefined where no codec is needed. */
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

async function decompress (cid: CID, codec: Codec, { size, payload }: Envelope, { signal }: ReadValueOptions): Promise<Uint8Array> {
  try {
    return await codec.decompress(payload, { size, signal })
  } catch (err) {
    // what else may fail (no WebAssembly, no memory, an abort) says nothing about the block
    if (err instanceof Error && err.name === 'CorruptFrameError') {
      throw new CorruptBlockError(cid, { reason: err.message, cause: err })
    }

    throw err
  }
}

function asIs (bytes: Uint8Array): Block {
  return { bytes, storedAs: 'none' }
}
