import { AUTO_CANDIDATES, AUTO_SPAN_SIZES, AUTO_SPANS, LINKS } from './auto-candidates.ts'
import type { AutoCandidate, Optimize } from './auto-candidates.ts'
import type { Codec } from '@ipfsz/codecs'

/** A codec and level that was tried, and what it costs by the model. */
export interface Estimate {
  codec: Codec
  level: number
  /** stored / original, of the spans that were tried. */
  ratio: number
  /** Seconds for a million original bytes; for `size`, the ratio itself. */
  cost: number
}

/**
 * Choose codec and level for a file by a few spans of its beginning.
 *
 * The cost of a million bytes is the time to compress them, to send what is stored
 * over a link, and to decompress that, one after the other. Only the ratio is
 * measured: speeds are those of a table, so that the same bytes are compressed alike
 * whatever else the machine does. With `size` the stored bytes alone count.
 *
 * @param piece - the first bytes of the file, or all of it
 * @returns undefined where storing the file as it is costs least
 */
export async function chooseCompression (piece: Uint8Array, optimize: Optimize, codecs: readonly Codec[], signal?: AbortSignal | null): Promise<Estimate | undefined> {
  const estimates = await estimate(takeSpans(piece, AUTO_SPAN_SIZES[optimize]), optimize, codecs, signal)
  const best = estimates.reduce<Estimate | undefined>((best, next) => best == null || next.cost < best.cost ? next : best, undefined)

  return best == null || best.cost >= costOf(1, undefined, optimize) ? undefined : best
}

/** Every candidate tried on some bytes. */
export async function estimate (bytes: Uint8Array, optimize: Optimize, codecs: readonly Codec[], signal?: AbortSignal | null): Promise<Estimate[]> {
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

/** The cost by the model, see {@link chooseCompression}. Without a candidate, that of storing bytes as they are. */
export function costOf (ratio: number, candidate: AutoCandidate | undefined, optimize: Optimize, codec?: Codec): number {
  if (optimize === 'size') {
    return ratio
  }

  const { compress, decompress } = candidate?.speeds[codec?.implementation ?? 'native'] ?? { compress: Infinity, decompress: Infinity }
  // megabits a second to megabytes
  const sending = ratio / (LINKS[optimize] / 8)

  return 1 / compress + sending + 1 / decompress
}

/** Some spans from all over the piece, in one. */
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
