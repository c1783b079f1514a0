import { yieldToEventLoop } from '@ipfsz/codecs/internal'
import type { Codec } from '@ipfsz/codecs'
import type { DeltaCompressor } from '@ipfsz/codecs/zstd-delta'

/** What of its base a piece may refer back to. */
export interface Aid {
  /** The content of the region. */
  dictionary: Uint8Array
  /** About how many bytes of the piece are not in the base. Undefined if that is not known. */
  newBytes?: (() => number) | undefined
  /** Compresses pieces of which little changed. */
  delta?: DeltaCompressor | undefined
}

/** Smaller pieces, of less than 64 KiB, take zstd no longer than what changed of them, and it finds more. */
const MIN_DELTA_SIZE = 64 * 1024
/** With more than an eighth of a piece changed, zstd finds more. */
const MAX_CHANGED_SHARE = 1 / 8
/** What changed is compressed well enough if it takes up to a 32nd of the piece. Otherwise zstd may find more. */
const FINE_DELTA_SHARE = 1 / 32

/** A frame of up to a sixteenth of its original bytes is fine: to look at what is new in it would take longer. */
const FINE_SHARE = 1 / 16

/** What a frame may take beside what is new in it: a sixty-fourth of its original bytes, for references to the base. */
const REFERENCES_SHARE = 1 / 64

/**
 * Larger pieces, of more than 1 MiB, are compressed at one level: a search in so much takes seconds, and the calling
 * thread would look for changes too long.
 */
const MAX_SEARCHED_SIZE = 1024 * 1024

type Compressor = Pick<Codec, 'compress'>

/**
 * Compress a piece with the region of its base: what changed of it, if that is little, or else all of it.
 *
 * @param levels - the first one, and those to try after it. If there is only one, that was asked for
 */
export async function compressAided (
  bytes: Uint8Array,
  aid: Aid,
  codec: Compressor,
  levels: readonly number[],
  signal?: AbortSignal | null
): Promise<Uint8Array> {
  const { byteLength: size } = bytes

  if (levels.length === 1 || size > MAX_SEARCHED_SIZE) {
    return codec.compress(bytes, { level: levels[0], dictionary: aid.dictionary, signal })
  }

  const changed = await compressChanged(bytes, aid, signal)

  if (changed != null && changed.byteLength <= size * FINE_DELTA_SHARE) {
    return changed
  }

  const all = await compressAll(bytes, aid, codec, levels, signal)

  return changed != null && changed.byteLength < all.byteLength ? changed : all
}

/** Only what changed. Undefined if that is much. */
async function compressChanged (
  bytes: Uint8Array,
  { dictionary, delta }: Aid,
  signal?: AbortSignal | null
): Promise<Uint8Array | undefined> {
  if (delta == null || bytes.byteLength < MIN_DELTA_SIZE) {
    return undefined
  }

  // nothing in it waits for another thread
  await yieldToEventLoop()
  signal?.throwIfAborted()

  return delta.compress(bytes, { dictionary, maxChanged: Math.floor(bytes.byteLength * MAX_CHANGED_SHARE) })
}

/**
 * All of a piece. Where each sequence of bytes is in many places, as in tables of few words, most levels of zstd miss
 * the one that continues: if the frame takes more than what is new in it, the other levels are tried.
 */
async function compressAll (
  bytes: Uint8Array,
  { dictionary, newBytes }: Aid,
  codec: Compressor,
  [level, ...others]: readonly number[],
  signal?: AbortSignal | null
): Promise<Uint8Array> {
  const { byteLength: size } = bytes
  let shortest = await codec.compress(bytes, { level, dictionary, signal })

  if (shortest.byteLength <= size * FINE_SHARE || newBytes == null) {
    return shortest
  }

  const most = newBytes() + size * REFERENCES_SHARE

  for (let i = 0; i < others.length && shortest.byteLength > most; i++) {
    const frame = await codec.compress(bytes, { level: others[i], dictionary, signal })
    shortest = frame.byteLength < shortest.byteLength ? frame : shortest
  }

  return shortest
}
