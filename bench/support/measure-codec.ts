import { codecs } from '@ipfsz/codecs/all'
import { rotate, sum } from '../benchmark.ts'
import type { Codec, CodecName, ImplementationName } from '@ipfsz/codecs'

/** The compared levels: the lowest, the default, and those that people use. */
const LEVELS: Readonly<Partial<Record<CodecName, number[]>>> = {
  zstd: [1, 3, 9, 19],
  gzip: [1, 6, 9],
  brotli: [1, 4, 9]
}

const IMPLEMENTATIONS: ImplementationName[] = ['native', 'wasm', 'js']

/** The time for all rounds of a level, in milliseconds, for compressing and decompressing each. */
const TIME = 5000

/** Frames to decompress before measuring. */
const WARM_UP = 3
/** Bytes to compress before measuring. More would take slow levels too long. */
const WARM_UP_SIZE = 1_000_000

export interface CodecMeasurement {
  codec: CodecName
  implementation: ImplementationName
  /** Undefined if it does not compress. */
  level?: number
  ratio?: number
  /** Millions of original bytes a second in each round. Empty if it does not compress. */
  compress: number[]
  decompress: number[]
}

interface Candidate {
  codec: Codec
  decompresses: boolean
  level?: number
  frames: Uint8Array[]
  compressed: number[]
  decompressed: number[]
}

/**
 * Measure every implementation that runs here, one frame at a time. Works in Node and
 * in a page. A round measures all candidates, so that other load on the machine affects
 * all of them alike.
 *
 * @param pieces - the original bytes of each frame
 */
export async function measureCodecs (pieces: readonly Uint8Array[], rounds: number): Promise<CodecMeasurement[]> {
  const candidates: Candidate[] = []

  for (const codec of (Object.keys(codecs) as CodecName[]).flatMap(available)) {
    candidates.push(...await prepare(codec, pieces))
  }

  for (let round = 0; round < rounds; round++) {
    for (const candidate of rotate(candidates, round)) {
      await measure(candidate, pieces, round)
    }
  }

  const size = sum(pieces.map(({ byteLength }) => byteLength))

  return candidates.map(({ codec: { name, implementation }, level, frames, compressed, decompressed }) => ({
    codec: name,
    implementation,
    ...level == null ? {} : { level, ratio: sum(frames.map(({ byteLength }) => byteLength)) / size },
    compress: speeds(size, compressed),
    decompress: speeds(size, decompressed)
  }))
}

function available (name: CodecName): Codec[] {
  return IMPLEMENTATIONS.flatMap(implementation => {
    try {
      return [codecs[name]({ implementation })]
    } catch {
      return []
    }
  })
}

/** A candidate for each level, or one with frames of another implementation if it does not compress. */
async function prepare (codec: Codec, pieces: readonly Uint8Array[]): Promise<Candidate[]> {
  const { name, levels } = codec
  const frames = await compressAll(codecs[name](), pieces, levels.default)
  const decompresses = await isThere(async () => codec.decompress(frames[0], { size: pieces[0].byteLength }))

  if (!await isThere(async () => codec.compress(pieces[0].subarray(0, 1)))) {
    return [{ codec, decompresses, frames, compressed: [], decompressed: [] }]
  }

  return Promise.all((LEVELS[name] ?? [levels.default]).map(async level => (
    { codec, decompresses, level, frames: await compressAll(codec, pieces, level), compressed: [], decompressed: [] }
  )))
}

/** Whether an implementation supports a call. */
async function isThere (call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call()
    return true
  } catch (err) {
    if (err instanceof Error && err.name === 'MissingImplementationError') {
      return false
    }

    throw err
  }
}

async function compressAll (codec: Codec, pieces: readonly Uint8Array[], level: number): Promise<Uint8Array[]> {
  const frames: Uint8Array[] = []

  for (const piece of pieces) {
    frames.push(await codec.compress(piece, { level }))
  }

  return frames
}

async function measure (candidate: Candidate, pieces: readonly Uint8Array[], round: number): Promise<void> {
  const { codec, decompresses, level, frames, compressed, decompressed } = candidate
  const hasTime = (times: readonly number[]): boolean => round === 0 || sum(times) < TIME

  if (level != null && hasTime(compressed)) {
    await codec.compress(pieces[0].subarray(0, WARM_UP_SIZE), { level })
    const start = performance.now()
    await compressAll(codec, pieces, level)
    compressed.push(performance.now() - start)
  }

  if (decompresses && hasTime(decompressed)) {
    // warm up: with few workers, the worker of this codec replaces that of another and starts cold
    for (let i = 0; i < WARM_UP; i++) {
      await codec.decompress(frames[0], { size: pieces[0].byteLength })
    }

    const start = performance.now()

    for (const [i, frame] of frames.entries()) {
      await codec.decompress(frame, { size: pieces[i].byteLength })
    }

    decompressed.push(performance.now() - start)
  }
}

/** Millions of bytes a second, from milliseconds. */
function speeds (size: number, times: readonly number[]): number[] {
  return times.map(time => size / time / 1000)
}
