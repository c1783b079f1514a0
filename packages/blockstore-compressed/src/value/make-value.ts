import { MAX_FRAME_SIZE } from '@ipfsz/codecs'
import { IDENTITY_CODE, MIN_GAIN } from '../constants.ts'
import { beginsLike, encodeEnvelope, headerLength } from './envelope.ts'
import type { StoredAs } from './read-value.ts'
import type { Settings } from './settings.ts'
import type { CID } from 'multiformats/cid'

/** A block and the bytes to store for it. */
export interface Value {
  block: Uint8Array
  bytes: Uint8Array
  storedAs: StoredAs
  /** Bytes of the block. */
  size: number
}

/**
 * The value to store for a block: compressed if that saves at least 5 %, else plain, or
 * wrapped uncompressed if it begins like an envelope (docs/format.md, section 5).
 *
 * A block that cannot be verified is stored plain: later only the hash could tell an
 * envelope from a block that looks like one.
 *
 * @throws {UnknownHashError} `get` could not verify the block
 * @throws {DigestLengthError} as above
 */
export async function makeValue (
  cid: CID,
  block: Uint8Array,
  settings: Settings,
  signal?: AbortSignal | null
): Promise<Value> {
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

  if (mustWrap) {
    const bytes = encodeEnvelope({ code: IDENTITY_CODE, size, payload: block })

    return { block, bytes, storedAs: 'none', size }
  }

  return plainValue(block)
}

/** A block without an envelope, even if it begins like one. */
export function plainValue (block: Uint8Array): Value {
  return { block, bytes: block, storedAs: 'none', size: block.byteLength }
}

/** @returns undefined if compressing would not save enough */
async function compress (
  block: Uint8Array,
  { writer, minSize }: Settings,
  signal?: AbortSignal | null
): Promise<Value | undefined> {
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
