// Room: whether a file is compressed, and how: `policy.ts` decides, `detector.ts` by type; what `auto` tries is in
// `auto.ts`, sizes of frames and blocks in `layout.ts`.
import type { CodecName, ImplementationName } from '@ipfsz/codecs'

/** What `codec: 'auto'` minimizes: the stored bytes, or the time until a reader has the file. */
export type Goal = 'size' | 'balanced' | 'speed'

/** What compression is optimized for: a goal of `auto`, or reading small parts. */
export type Optimize = Goal | 'ranges'

/** The speed of the modelled link, in megabits per second. */
export const LINKS: Readonly<Record<Exclude<Goal, 'size'>, number>> = { balanced: 100, speed: 1000 }

/** How many spans of a file are tried. */
export const AUTO_SPANS = 4

/** Bytes in each span. Trials for `size` are slow, so its spans are short; longer ones measure the ratio better. */
export const AUTO_SPAN_SIZES: Readonly<Record<Goal, number>> = {
  size: 64 * 1024,
  balanced: 256 * 1024,
  speed: 256 * 1024
}

/** Millions of original bytes per second, on one core. */
interface Speeds {
  compress: number
  decompress: number
}

/** A codec and level that `auto` may choose, with its speed on each kind of implementation. */
export interface AutoCandidate {
  codec: CodecName
  level: number
  speeds: Readonly<Record<ImplementationName, Speeds>>
}

/** Compressed and decompressed, in millions of bytes per second. */
type Pair = [number, number]

function autoCandidate (
  codec: CodecName,
  level: number,
  { native, wasm, js = wasm }: { native: Pair, wasm: Pair, js?: Pair }
): AutoCandidate {
  const [n, w, j] = [native, wasm, js].map(([compress, decompress]) => ({ compress, decompress }))

  return { codec, level, speeds: { native: n, wasm: w, js: j } }
}

// rounded from the table of docs/codecs.md
const ZSTD_1 = autoCandidate('zstd', 1, { native: [350, 700], wasm: [220, 600] })
const ZSTD_3 = autoCandidate('zstd', 3, { native: [220, 700], wasm: [170, 600] })
const ZSTD_9 = autoCandidate('zstd', 9, { native: [60, 700], wasm: [30, 600] })
const ZSTD_19 = autoCandidate('zstd', 19, { native: [2.6, 700], wasm: [2.3, 600] })
const LZ4 = autoCandidate('lz4', 1, { native: [270, 1000], wasm: [220, 1000], js: [120, 220] })
const BROTLI_9 = autoCandidate('brotli', 9, { native: [14, 400], wasm: [5, 250] })
const BROTLI_11 = autoCandidate('brotli', 11, { native: [0.7, 350], wasm: [0.4, 250] })

export const AUTO_CANDIDATES: Readonly<Record<Goal, readonly AutoCandidate[]>> = {
  size: [ZSTD_19, BROTLI_9, BROTLI_11],
  balanced: [ZSTD_1, ZSTD_3, ZSTD_9, LZ4],
  speed: [ZSTD_1, ZSTD_3, LZ4]
}
