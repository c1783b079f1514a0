/** What the floor of a read in a page consists of: each part alone, on the thread of the page. */
import { zstd } from '@ipfsz/codecs/zstd'
import { DEFAULT_FRAME_SIZE } from '@ipfsz/core'

/** Bytes of a leaf. */
const LEAF = 1024 * 1024

interface Frame {
  bytes: Uint8Array<ArrayBuffer>
  size: number
}

/** Does its part for all frames. */
type Part = (frames: readonly Frame[]) => Promise<void>

export interface PartTimes {
  part: string
  /** Milliseconds of each round. */
  times: number[]
}

const decoder = zstd({ workers: false })

const PARTS: Readonly<Record<string, Part>> = {
  'zstd decodes, in one thread': async frames => {
    for (const { bytes, size } of frames) {
      await decoder.decompress(bytes, { size })
    }
  },

  'the browser hashes what is compressed': async frames => {
    for (const { bytes } of frames) {
      for (let start = 0; start < bytes.byteLength; start += LEAF) {
        await crypto.subtle.digest('SHA-256', bytes.subarray(start, start + LEAF))
      }
    }
  },

  'memory for workers: compressed bytes are copied to it': async frames => {
    for (const { bytes } of frames) {
      bytes.slice()
    }
  },

  'memory for the result is made and filled': async frames => {
    for (const { size } of frames) {
      new Uint8Array(size).fill(1)
    }
  }
}

/** Measure each part a number of times. The first time, which is not counted, includes compiling the decoder. */
export async function measureParts (bytes: Uint8Array, rounds: number): Promise<PartTimes[]> {
  const codec = zstd()
  const frames: Frame[] = []

  for (let start = 0; start < bytes.byteLength; start += DEFAULT_FRAME_SIZE) {
    const piece = bytes.subarray(start, start + DEFAULT_FRAME_SIZE)
    frames.push({ bytes: new Uint8Array(await codec.compress(piece)), size: piece.byteLength })
  }

  const parts = Object.entries(PARTS).map(([part, run]) => ({ part, run, times: [] as number[] }))

  for (let round = 0; round <= rounds; round++) {
    for (const { run, times } of parts) {
      const start = performance.now()
      await run(frames)

      if (round > 0) {
        times.push(performance.now() - start)
      }
    }
  }

  return parts.map(({ part, times }) => ({ part, times }))
}
