import { AUTO_CANDIDATES, AUTO_SPAN_SIZES, AUTO_SPANS, LINKS } from './auto-candidates.ts'
import type { AutoCandidate, Goal } from './auto-candidates.ts'
import type { Codec } from '@ipfsz/codecs'

/** A codec and level that was tried, and its cost in the model. */
interface Estimate {
  codec: Codec
  level: number
  /** stored / original, over the spans that were tried. */
  ratio: number
  /** Seconds per million original bytes. For `size`, the ratio itself. */
  cost: number
}

/**
 * Choose codec and level for a file by compressing a few spans of its first frame.
 *
 * The cost of a million bytes is the time to compress them, to send the result over a
 * link, and to decompress it, one after the other. Only the ratio is measured. The speeds
 * come from a table, so that the choice does not depend on the machine's load. For `size`
 * only the stored bytes count.
 *
 * @param piece - the file's first frame, or all of a shorter file
 * @returns undefined if storing the file uncompressed costs least
 */
export async function chooseCompression (
  piece: Uint8Array,
  optimize: Goal,
  codecs: readonly Codec[],
  signal?: AbortSignal | null
): Promise<Estimate | undefined> {
  const estimates = await estimate(takeSpans(piece, AUTO_SPAN_SIZES[optimize]), optimize, codecs, signal)
  let best: Estimate | undefined

  for (const next of estimates) {
    best = best == null || next.cost < best.cost ? next : best
  }

  return best == null || best.cost >= costOf(1, undefined, optimize) ? undefined : best
}

/** Try every candidate on some bytes. */
export async function estimate (
  bytes: Uint8Array,
  optimize: Goal,
  codecs: readonly Codec[],
  signal?: AbortSignal | null
): Promise<Estimate[]> {
  const estimates: Estimate[] = []

  for (const candidate of AUTO_CANDIDATES[optimize]) {
    const codec = codecs.find(({ name }) => name === candidate.codec)

    if (codec != null && bytes.byteLength > 0) {
      const frame = await codec.compress(bytes, { level: candidate.level, signal })
      const ratio = frame.byteLength / bytes.byteLength
      estimates.push({ codec, level: candidate.level, ratio, cost: costOf(ratio, candidate, optimize, codec) })
    }
  }

  return estimates
}

/** The cost in the model of {@link chooseCompression}. Without a candidate: the cost of storing bytes uncompressed. */
export function costOf (
  ratio: number,
  candidate: AutoCandidate | undefined,
  optimize: Goal,
  codec?: Codec
): number {
  if (optimize === 'size') {
    return ratio
  }

  const { compress, decompress } = candidate?.speeds[codec?.implementation ?? 'native'] ??
    { compress: Infinity, decompress: Infinity }
  // the link's megabits are converted to megabytes
  const sending = ratio / (LINKS[optimize] / 8)

  return 1 / compress + sending + 1 / decompress
}

/** Evenly spaced spans of the piece, concatenated. */
function takeSpans (piece: Uint8Array, length: number): Uint8Array {
  const size = AUTO_SPANS * length

  if (piece.byteLength <= size) {
    return piece
  }

  const spans = new Uint8Array(size)
  const step = (piece.byteLength - length) / (AUTO_SPANS - 1)

  for (let i = 0; i < AUTO_SPANS; i++) {
    const start = Math.floor(i * step)
    spans.set(piece.subarray(start, start + length), i * length)
  }

  return spans
}
