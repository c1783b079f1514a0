import type { Codec } from '@ipfsz/codecs'

/** What of its base a piece may refer back to. */
export interface Aid {
  /** The content of the region. */
  dictionary: Uint8Array
  /** About how many bytes of the piece are not in the base. Undefined if that is not known. */
  newBytes?: (() => number) | undefined
  /** The highest level that pays. Undefined: any. */
  maxLevel?: number | undefined
}

/** A frame of up to a sixteenth of its original bytes is fine: to look at what is new in it would take longer. */
const FINE_SHARE = 1 / 16

/** What a frame may take beside what is new in it: a sixty-fourth of its original bytes, for references to the base. */
const REFERENCES_SHARE = 1 / 64

/** Larger pieces, of more than 1 MiB, are compressed at one level: a search in so much takes seconds. */
const MAX_SEARCHED_SIZE = 1024 * 1024

/**
 * Compress a piece with the region of its base. Where each sequence of bytes is in many places, as in tables of few
 * words, most levels of zstd miss the one that continues: if the frame takes more than what is new in it, the other
 * levels are tried.
 *
 * @param options - `levels`: the first one, and those to try after it
 */
export async function compressAided (
  bytes: Uint8Array,
  { dictionary, newBytes, maxLevel = Infinity }: Aid,
  codec: Pick<Codec, 'compress'>,
  { levels: [level, ...others], signal }: { levels: readonly number[], signal?: AbortSignal | null | undefined }
): Promise<Uint8Array> {
  const { byteLength: size } = bytes
  let shortest = await codec.compress(bytes, { level: Math.min(level, maxLevel), dictionary, signal })
  const isFine = shortest.byteLength <= size * FINE_SHARE

  if (isFine || newBytes == null || others.length === 0 || size > MAX_SEARCHED_SIZE) {
    return shortest
  }

  const most = newBytes() + size * REFERENCES_SHARE

  for (let i = 0; i < others.length && shortest.byteLength > most; i++) {
    const frame = await codec.compress(bytes, { level: others[i], dictionary, signal })
    shortest = frame.byteLength < shortest.byteLength ? frame : shortest
  }

  return shortest
}
