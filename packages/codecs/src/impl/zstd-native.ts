import {
  runZlib, zlibConstants, zstdBound, zstdCompressKept, zstdCompressKeptDictionary, zstdDecompressKept, zstdHere,
  zstdInTask, zstdKeptInTask
} from '#platform'
import { markResult } from '@ipfsz/utils/free-bytes'
import { checkZstdFrame, zstdFrameEnd } from '../format/zstd/zstd-frame.ts'
import { mark } from '../format/zstd/zstd-mark.ts'
import { zlibDecompress } from './zlib.ts'
import { dictionaryParams, FIRST_ROW_LEVEL, FIRST_TREE_LEVEL, isRowLevel } from './zstd-dictionary-params.ts'
import type { Allocate } from '@ipfsz/utils/bytes'
import type { Implementation } from '../implementation.ts'
import type { ZlibOutput } from '../platform/zlib-output.ts'

/** Up to this level and size, compressing takes less than half a millisecond, so it runs on the calling thread. */
const FAST_LEVEL = 3
const MAX_SYNC_SIZE = 64 * 1024
/**
 * The same if the calling thread has other work: reaching the thread pool and back takes it 50 µs, and compressing
 * 16 KiB twice that.
 */
const MAX_BUSY_SYNC_SIZE = 16 * 1024
/**
 * The window of files of up to 16 KiB with a dictionary, as a logarithm: within it, libzstd keeps positions in chains,
 * which find 5 % more in small files than the rows of larger windows at the levels 5 to 12.
 */
const SMALL_WINDOW_LOG = 14
/** The window of all larger files that have a dictionary in a context that is kept, as a logarithm: 1 MiB. */
const KEPT_WINDOW_LOG = 20
/** The shortest match that is searched there at levels with rows: with 5 bytes, it takes an eighth more time. */
const KEPT_MIN_MATCH = 6
/**
 * Up to this level, the table has a place for each two positions of the dictionary: with one for each, it takes a fifth
 * more time, and makes 0.5 % fewer bytes.
 */
const LAST_HALF_TABLE_LEVEL = 6
/**
 * How many positions are compared there, as a logarithm, where libzstd has another number. At level 5, with half of
 * them, files take 1 % more bytes and a tenth less time. At level 7, with twice as many, small ones take 0.3 % fewer
 * bytes and a tenth more time.
 */
const KEPT_SEARCH_LOG = 4
const SMALL_SEARCH_LOG = 3
const SMALL_SEARCH_LEVEL = 7
/** Maximum number of bytes of a dictionary in a context that is kept, 512 KiB: those of trees. */
const MAX_KEPT_DICTIONARY = 512 * 1024

/** What libzstd is told. */
interface Options {
  /** Without it, there is no content size in the header. */
  pledgedSrcSize: number
  params: Record<number, number>
  dictionary?: Uint8Array
}

export function create (): Implementation {
  return {
    compress (bytes, level, { dictionary, background = false } = {}) {
      const { byteLength: size } = bytes

      if (dictionary != null) {
        return isKept(dictionary, size, level)
          ? compressKept(bytes, level, dictionary)
          : compressInTask(bytes, level, dictionary).then(mark)
      }

      return level <= FAST_LEVEL && size <= (background ? MAX_BUSY_SYNC_SIZE : MAX_SYNC_SIZE)
        ? compressHere(bytes, level)
        : compressInTask(bytes, level)
    },

    compressSync: compressHere,

    async decompress (frame, size, options = {}) {
      checkZstdFrame(frame, size, options.dictionary)
      const { dictionary } = options
      const content = dictionary == null
        ? decompressSmall(frame, size)
        : await readBased(frame, size, dictionary)

      return content ?? zlibDecompress('zstd', frame, size, options)
    },

    decompressSync (frame, size, memory) {
      checkZstdFrame(frame, size)

      return zstdDecompressKept(frame, size, memory)
    }
  }
}

/** Compress on the calling thread, without a dictionary. */
function compressHere (bytes: Uint8Array, level: number, allocate?: Allocate): Uint8Array {
  const { byteLength: size } = bytes
  const options = { pledgedSrcSize: size, params: { [zlibConstants.ZSTD_c_compressionLevel]: level } }
  const frame = level <= FAST_LEVEL ? zstdCompressKept(bytes, level, { allocate }) : zstdHere(bytes, options)

  return checked(frame ?? compressInZlib(bytes, options), size)
}

/** Compress on the thread pool, if the streams of this runtime are those of Node. */
async function compressInTask (bytes: Uint8Array, level: number, dictionary?: Uint8Array): Promise<Uint8Array> {
  const { byteLength: size } = bytes
  const params = {
    [zlibConstants.ZSTD_c_compressionLevel]: level,
    ...dictionary == null ? {} : dictionaryParams(level, size, dictionary)
  }
  const options = { pledgedSrcSize: size, params, ...dictionary == null ? {} : { dictionary } }
  const frame = dictionary == null && level <= FAST_LEVEL
    ? zstdKeptInTask(bytes, undefined, params)
    : zstdInTask(bytes, options)

  return checked(await (frame ?? compressInZlib(bytes, options)), size)
}

/** The same frame by zlib's own function, on the calling thread: its other one tells libzstd of the end too late. */
function compressInZlib (bytes: Uint8Array, options: Options): Uint8Array {
  const result = runZlib('zstdCompress', bytes, { ...options, chunkSize: zstdBound(bytes.byteLength) }, true)

  return (result as ZlibOutput).bytes.slice()
}

/** Whether a context with the dictionary is kept. For larger content, its tables are too small. */
function isKept ({ byteLength }: Uint8Array, size: number, level: number): boolean {
  return size <= Math.min(1 << KEPT_WINDOW_LOG, Math.max(MAX_SYNC_SIZE, 2 * byteLength)) &&
    byteLength <= MAX_KEPT_DICTIONARY && level < FIRST_TREE_LEVEL
}

/** Compress in a context that has the dictionary: to fill its tables anew takes 5 to 30 times as long. */
function compressKept (bytes: Uint8Array, level: number, dictionary: Uint8Array): Uint8Array | Promise<Uint8Array> {
  const { byteLength: size } = bytes
  const isSmall = size <= 1 << SMALL_WINDOW_LOG
  const log = Math.ceil(Math.log2(Math.max(dictionary.byteLength, isSmall ? 1 << SMALL_WINDOW_LOG : MAX_SYNC_SIZE)))
  const hasHalfTable = isRowLevel(level) && level <= LAST_HALF_TABLE_LEVEL
  // the same for files of many sizes, so that they share a context
  const params = {
    [zlibConstants.ZSTD_c_compressionLevel]: level,
    [zlibConstants.ZSTD_c_checksumFlag]: 1,
    [zlibConstants.ZSTD_c_windowLog]: isSmall ? SMALL_WINDOW_LOG : KEPT_WINDOW_LOG,
    [zlibConstants.ZSTD_c_hashLog]: log - (isSmall ? 2 : hasHalfTable ? 1 : 0),
    [zlibConstants.ZSTD_c_chainLog]: log,
    ...isSmall || !isRowLevel(level) ? {} : { [zlibConstants.ZSTD_c_minMatch]: KEPT_MIN_MATCH },
    ...!isSmall && level === FIRST_ROW_LEVEL ? { [zlibConstants.ZSTD_c_searchLog]: KEPT_SEARCH_LOG } : {},
    ...isSmall && level === SMALL_SEARCH_LEVEL ? { [zlibConstants.ZSTD_c_searchLog]: SMALL_SEARCH_LOG } : {}
  }
  const kept = size > MAX_SYNC_SIZE ? zstdKeptInTask(bytes, dictionary, params) : undefined

  if (kept != null) {
    return kept.then(frame => mark(checked(frame, size)))
  }

  const frame = zstdCompressKeptDictionary(bytes, dictionary, params) ??
    compressInZlib(bytes, { pledgedSrcSize: size, params, dictionary })

  return mark(checked(frame, size))
}

/** @throws {CorruptFrameError} it is not one whole frame */
function checked (frame: Uint8Array, size: number): Uint8Array {
  const whole = frame.subarray(0, zstdFrameEnd(frame, size))

  // the memory of small ones is not worth a note, and that of an allocator is not to be freed
  if (size > MAX_SYNC_SIZE && whole.buffer.byteLength === whole.byteLength) {
    markResult(whole)
  }

  return whole
}

function decompressSmall (frame: Uint8Array, size: number): Uint8Array | undefined {
  return Math.max(frame.byteLength, size) <= MAX_SYNC_SIZE ? zstdDecompressKept(frame, size) : undefined
}

/** Read a frame with a dictionary without libzstd, if that takes less. What does so is loaded when it is needed. */
async function readBased (frame: Uint8Array, size: number, dictionary: Uint8Array): Promise<Uint8Array | undefined> {
  const { readDelta } = await import('../delta/read-delta.ts')

  return readDelta(frame, size, dictionary)
}
