import type { Codec } from '@ipfsz/codecs'

/** What of its base a piece may refer back to. */
export interface Aid {
  /** The content of the region. */
  dictionary: Uint8Array
  /** About how many bytes of the piece are not in the base. Undefined if that is not known. */
  newBytes?: (() => number) | undefined
}

/** What a frame may take beside what is new in it: a sixty-fourth of its original bytes, for references to the base. */
const REFERENCES_SHARE = 1 / 64

/** Larger pieces, of more than 1 MiB, are compressed at one level: a search in so much takes seconds. */
const MAX_SEARCHED_SIZE = 1024 * 1024

/**
 * Compress a piece with the region of its base. Where each sequence of bytes is in many places, as in tables of few
 * words, zstd may miss the one that continues, at any level but the highest: if the frame takes more than what is new,
 * the other levels are tried.
 *
 * @param levels - the first one, and those to try after it
 */
export async function compressAided (
  bytes: Uint8Array,
  { dictionary, newBytes }: Aid,
  codec: Pick<Codec, 'compress'>,
  [level, ...others]: readonly number[],
  signal?: AbortSignal | null
): Promise<Uint8Array> {
  const { byteLength: size } = bytes
  const references = size * REFERENCES_SHARE
  let shortest = await codec.compress(bytes, { level, dictionary, signal })

  if (newBytes == null || size > MAX_SEARCHED_SIZE || others.length === 0 || shortest.byteLength <= references) {
    return shortest
  }

  const most = newBytes() + references

  for (let i = 0; i < others.length && shortest.byteLength > most; i++) {
    const frame = await codec.compress(bytes, { level: others[i], dictionary, signal })
    shortest = frame.byteLength < shortest.byteLength ? frame : shortest
  }

  return shortest
}
