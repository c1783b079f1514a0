// Room: compresses blocks and files while they are sent, and bounds the processor time for that.
import { LruMap } from '@ipfsz/utils/lru-map'
import { SingleFlight } from '@ipfsz/utils/single-flight'
import type { CpuBudget } from './cpu-budget.ts'
import type { CompressedBlock, ContentCoding } from '../contract.ts'
import type { Codec } from '@ipfsz/codecs'
import type { CID } from 'multiformats/cid'

export type FastCodecs = Readonly<Record<ContentCoding, Pick<Codec, 'compress'>>>

export interface BlockCompressorInit {
  /** The level of all codecs. */
  level: number
  cacheSize: number
}

/** Codings by what they gain and cost at their fastest level, the best first. */
const PREFERENCE: readonly ContentCoding[] = ['zstd', 'br', 'gzip']

/** Smaller blocks are not worth it: with their headers, they fit into one packet of a network. */
const MIN_SIZE = 1024
/** The part of a block that compression has to save. */
const MIN_GAIN = 0.05

/** Of larger blocks, a sample from the middle is tried first: gzip takes long for what does not shrink. */
const SAMPLED_SIZE = 64 * 1024
const SAMPLE_SIZE = 8 * 1024

/** What an entry of the cache takes besides its bytes: key, list and map. */
const ENTRY_SIZE = 512

/** Stands for the bytes of a block that compression does not make smaller. */
const NOT_WORTH_IT = new Uint8Array(0)

/** Compresses blocks, and remembers the result, or that it is not worth it. */
export class BlockCompressor {
  readonly #codecs: FastCodecs
  readonly #budget: CpuBudget
  readonly #level: number
  readonly #cache: LruMap<string, Uint8Array>
  /** Compressions that run, by the key of their result. */
  readonly #running = new SingleFlight<Uint8Array | undefined>()

  constructor (codecs: FastCodecs, budget: CpuBudget, { level, cacheSize }: BlockCompressorInit) {
    this.#codecs = codecs
    this.#budget = budget
    this.#level = level
    this.#cache = new LruMap({
      maxSize: cacheSize,
      sizeOf: ({ byteLength }) => byteLength + ENTRY_SIZE
    })
  }

  find (cid: CID, codings: readonly ContentCoding[]): CompressedBlock | undefined {
    for (const coding of PREFERENCE) {
      const bytes = codings.includes(coding) ? this.#cache.get(keyOf(cid, coding)) : undefined

      if (bytes != null) {
        return { bytes, coding }
      }
    }

    return undefined
  }

  /** Undefined: it is not worth it, there is no time for it, or the codec fails here. */
  async compress (
    cid: CID,
    bytes: Uint8Array,
    codings: readonly ContentCoding[]
  ): Promise<CompressedBlock | undefined> {
    const coding = PREFERENCE.find(coding => codings.includes(coding))

    if (coding == null || bytes.byteLength < MIN_SIZE || this.#cache.get(keyOf(cid)) != null) {
      return undefined
    }

    const compressed = await this.#running.run(
      keyOf(cid, coding),
      async () => this.#compressOnce(cid, bytes, coding)
    )

    return compressed == null ? undefined : { bytes: compressed, coding }
  }

  async #compressOnce (cid: CID, bytes: Uint8Array, coding: ContentCoding): Promise<Uint8Array | undefined> {
    let compressed: Uint8Array | undefined

    try {
      compressed = await this.#budget.run(async () => this.#tryCompress(bytes, coding))
    } catch {
      // a codec that does not run here: the block goes out as it is, and the next one costs no time either
      compressed = NOT_WORTH_IT
    }

    if (compressed === NOT_WORTH_IT) {
      this.#cache.set(keyOf(cid), compressed)

      return undefined
    }

    if (compressed != null) {
      this.#cache.set(keyOf(cid, coding), compressed)
    }

    return compressed
  }

  async #tryCompress (bytes: Uint8Array, coding: ContentCoding): Promise<Uint8Array> {
    const codec = this.#codecs[coding]
    const size = bytes.byteLength
    const middle = size >> 1

    if (size > SAMPLED_SIZE) {
      const sample = bytes.subarray(middle, middle + SAMPLE_SIZE)
      const { byteLength } = await codec.compress(sample, { level: this.#level })

      if (!isGain(SAMPLE_SIZE, byteLength)) {
        return NOT_WORTH_IT
      }
    }

    const compressed = await codec.compress(bytes, { level: this.#level })

    // a codec's output may be a part of a larger buffer, which the cache would keep
    return isGain(size, compressed.byteLength) ? compressed.slice() : NOT_WORTH_IT
  }
}

function isGain (size: number, length: number): boolean {
  return length <= size * (1 - MIN_GAIN)
}

/** @param coding - undefined: the key under which is remembered that a block is not worth it */
function keyOf (cid: CID, coding = ''): string {
  return `${coding} ${cid}`
}
