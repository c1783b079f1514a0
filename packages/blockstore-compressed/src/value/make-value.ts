import { MAX_FRAME_SIZE } from '@ipfsz/codecs'
import { IDENTITY_CODE, MIN_GAIN } from '../constants.ts'
import { beginsLike, encodeEnvelope, headerLength } from './envelope.ts'
import type { StoredAs } from './read-value.ts'
import type { Settings } from '../settings.ts'
import type { CID } from 'multiformats/cid'

/** What is stored for a block. */
export interface Value {
  block: Uint8Array
  bytes: Uint8Array
  storedAs: StoredAs
  /** Bytes of the block. */
  size: number
}

/**
 * The value to store for a block: compressed where that saves enough, as it is
 * otherwise, and wrapped where it begins like an envelope (docs/format.md, section 5).
 *
 * A block whose hash function is not known is stored as it is: of an envelope nobody
 * could tell later whether it is the block itself.
 *
 * @throws {UnknownHashError} `get` could not verify the block
 * @throws {DigestLengthError} as above
 */
export async function makeValue (cid: CID, block: Uint8Array, settings: Settings, signal?: AbortSignal | null): Promise<Value> {
  const size = block.byteLength
  const mustWrap = beginsLike(block) === 'envelope'

  if (settings.verify === 'hash' || mustWrap) {
    settings.verifier.assertSupported(cid)
  } else if (!settings.verifier.supports(cid)) {
    return plainValue(block)
  }

  const compressed = await compress(block, settings, signal)

  if (compressed != null) {
    return compressed
  }

  return mustWrap ? { block, bytes: encodeEnvelope({ code: IDENTITY_CODE, size, payload: block }), storedAs: 'none', size } : plainValue(block)
}

/** A block as it is, whatever it begins like. */
export function plainValue (block: Uint8Array): Value {
  return { block, bytes: block, storedAs: 'none', size: block.byteLength }
}

/** Undefined where the block is not worth it. */
async function compress (block: Uint8Array, { writer, minSize }: Settings, signal?: AbortSignal | null): Promise<Value | undefined> {
  const size = block.byteLength

  if (writer == null || size < minSize || size > MAX_FRAME_SIZE) {
    return undefined
  }

  const { codec, level } = writer
  const payload = await codec.compress(block, { level, signal })

  if (headerLength(size) + payload.byteLength > size * (1 - MIN_GAIN)) {
    return undefined
  }

  return { block, bytes: encodeEnvelope({ code: codec.code, size, payload }), storedAs: codec.name, size }
}
