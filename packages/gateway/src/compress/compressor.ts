import { brotli } from '@ipfsz/codecs/brotli'
import { gzip } from '@ipfsz/codecs/gzip'
import { zstd } from '@ipfsz/codecs/zstd'
import { LruMap } from '@ipfsz/utils/lru-map'
import { SingleFlight } from '@ipfsz/utils/single-flight'
import { BlockCompressor } from './block-compressor.ts'
import { CpuBudget } from './cpu-budget.ts'
import { gzipStream } from './gzip-stream.ts'
import type { FastCodecs } from './block-compressor.ts'
import type { Compressor } from '../contract.ts'

/** Defaults of `CompressorInit`. */
export const DEFAULT_CPU_SHARE = 0.25
export const DEFAULT_COMPRESSIONS = 2
/** Bytes. */
export const DEFAULT_COMPRESSED_CACHE = 64 * 1024 * 1024

/** Maximum number of files that are sent with gzip at a time. Each holds a piece, and the compressed one: 1 MiB. */
const MAX_FILES = 64

/** The fastest level of each codec that shrinks text to less than half. */
const FAST_LEVEL = 1

/** A bundle of 1.5 MB takes 48 ms with it, of which level 3 would save 15, and level 19 makes 10 % less of 800 ms. */
const DELTA_LEVEL = 9

/** Bytes of memory for files that were compressed with another version, 16 MiB: hundreds of what changes usually. */
const DELTA_CACHE = 16 * 1024 * 1024

export interface CompressorInit {
  /**
   * How much of one processor core compression may take, on average: 0.5 is half of it. When it is used up,
   * responses go out uncompressed at once.
   *
   * Time is measured on the clock, so a busy machine compresses less. Where clocks stand still while code runs
   * (Cloudflare Workers), only `concurrency` is a bound.
   *
   * @default 0.25
   */
  cpuShare?: number | undefined

  /**
   * Maximum number of blocks and pieces of files that are compressed at a time.
   *
   * @default 2
   */
  concurrency?: number | undefined

  /**
   * Bytes of memory for compressed blocks. The least recently used go first.
   *
   * @default 67108864
   */
  cacheSize?: number | undefined

  /**
   * Whether compressed files that a client cannot take as they are stored are sent with gzip, if it takes that, and
   * with zstd to one that has another version of them (RFC 9842). Only the latter are cached, up to 16 MiB of them.
   *
   * @default false
   */
  files?: boolean | undefined
}

/**
 * Compresses responses for gateways (`GatewayInit.compressor`). Several gateways can share one, with its cache
 * and its bounds.
 */
export function createCompressor (init: CompressorInit = {}): Compressor {
  return compressorOf(init, { zstd: zstd(), br: brotli(), gzip: gzip() })
}

/** @param now - a clock, in milliseconds */
export function compressorOf (
  {
    cpuShare: share = DEFAULT_CPU_SHARE,
    concurrency = DEFAULT_COMPRESSIONS,
    cacheSize = DEFAULT_COMPRESSED_CACHE,
    files = false
  }: CompressorInit,
  codecs: FastCodecs,
  now = (): number => performance.now()
): Compressor {
  const budget = new CpuBudget({ share, concurrency, now })
  let running = 0
  const deltas = new LruMap<string, Uint8Array>({ maxSize: DELTA_CACHE, sizeOf: ({ byteLength }) => byteLength })
  const compressing = new SingleFlight<Uint8Array | undefined>()
  const blocks = new BlockCompressor(codecs, budget, { level: FAST_LEVEL, cacheSize })

  return {
    findBlock: (cid, codings) => blocks.find(cid, codings),
    compressBlock: async (cid, bytes, codings) => blocks.compress(cid, bytes, codings),
    takesFiles: () => files && running < MAX_FILES && budget.isLeft,
    gzipFile: async function * (source) {
      running++

      try {
        yield * gzipStream(source, async piece => budget.run(
          async () => codecs.gzip.compress(piece, { level: FAST_LEVEL })
        ))
      } finally {
        running--
      }
    },
    ...files
      ? {
        compressDelta: async (key, read) => deltas.get(key) ?? await compressing.run(key, async () =>
          budget.run(async () => {
            const { bytes, dictionary } = await read()
            const frame = await codecs.zstd.compress(bytes, { level: DELTA_LEVEL, dictionary })

            if (frame.byteLength > bytes.byteLength / 2) {
              return undefined
            }

            // a copy: it may be a part of larger memory
            const kept = frame.slice()
            deltas.set(key, kept)

            return kept
          }))
      }
      : {}
  }
}
