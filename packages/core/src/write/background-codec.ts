// Room: from chunks to a root: `file-builder.ts` begins, `write-file.ts` writes one compressed file.
import { coreCount } from '../frames/frame-concurrency.ts'
import { Budget } from '../util/budget.ts'
import type { Codec } from '@ipfsz/codecs'

type Compressor = Pick<Codec, 'compress'>

/** Fewer bytes, below 16 KiB, are compressed on the calling thread at once. */
const MIN_SIZE = 16 * 1024

/**
 * A codec for files of which many are added at a time: compresses them on other threads, as many at a time as there
 * are cores. Node has four threads for codecs and for files together. If all of them compressed, each step of reading
 * the next file and of writing a block would wait for one.
 *
 * @param threads - shared by all files, a thread each
 */
export function backgroundCodec (codec: Codec, threads: Budget): Codec {
  return {
    name: codec.name,
    code: codec.code,
    levels: codec.levels,

    // looking for an addon loads it
    get implementation () {
      return codec.implementation
    },

    get dictionaries () {
      return codec.dictionaries === true
    },

    // workers are limited by their pool. Without a promise of its own: most files of a tree are small
    compress: (bytes, options) => bytes.byteLength < MIN_SIZE || codec.implementation !== 'native'
      ? codec.compress(bytes, options)
      : threads.during(1, async () => codec.compress(bytes, { ...options, background: true }), options?.signal),

    compressSync: (bytes, level, allocate) => codec.compressSync?.(bytes, level, allocate),
    decompress: (frame, options) => codec.decompress(frame, options)
  }
}

/**
 * A codec for the frames of one file, as many of which are compressed at a time as there are cores. More of them may be
 * in progress: what they refer back to is found meanwhile, and one that is done waits for those before it.
 */
export function codecInTurns (codec: Compressor): Compressor {
  const turns = new Budget(coreCount())

  return {
    compress: async (bytes, options) => turns.during(1, async () => codec.compress(bytes, options), options?.signal)
  }
}
