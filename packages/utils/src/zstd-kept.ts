/* oxlint-disable no-underscore-dangle -- the names of Node */
import zlib from 'node:zlib'
import type { Allocate } from './bytes.ts'
import type { ZstdCompress, ZstdDecompress } from 'node:zlib'

/** What Node's streams have besides, unlike their type. */
export interface Kept {
  readonly _handle?: {
    /** One call of libzstd, on this thread. */
    writeSync (
      flush: number,
      input: Uint8Array,
      inputStart: number,
      inputLength: number,
      output: Uint8Array,
      outputStart: number,
      outputLength: number
    ): void
  } | null
  /** What the last call left: bytes of the output that are free, and bytes of the input. */
  readonly _writeState?: Uint32Array
}

/** A frame takes so much more than its bytes, at most: a 256th of them, and 512 bytes (`ZSTD_COMPRESSBOUND`). */
const BOUND_SHIFT = 8
const BOUND_EXTRA = 512

/** Memory for frames that is kept: for one of 4 MiB. It takes none until it is written to. */
const SCRATCH_SIZE = 4 * 1024 * 1024 + 32 * 1024

/** In the place of what a call left, until it is over. An error leaves it there. */
const FAILED = 0xffffffff

/** Bytes that shrink. */
const SAMPLE = Uint8Array.from({ length: 1024 }, (_, i) => i % 61)

const compressors = new Map<number, Kept | undefined>()
let decompressor: Kept | undefined | null = null
let scratch: Uint8Array | undefined

/**
 * The most bytes of a frame. Where there is room for so many, libzstd takes the bytes from where they are; else it
 * copies them into its window, takes a tenth more time, and makes other frames of more than a block.
 *
 * @param size - of the content
 */
export function zstdBound (size: number): number {
  return size + (size >> BOUND_SHIFT) + BOUND_EXTRA
}

/**
 * Compress on the calling thread, in a context of libzstd that is kept for the next call: for 1 kB, zlib's own function
 * takes 40 µs, most of it for a stream and a context of its own, and this one 14 µs. The frame is the same.
 *
 * @param level - of those without tables of rows, in which a context that was used before might find other matches
 * @param hasChecksum - whether the frame ends with a checksum of its content
 * @param allocate - gives the memory of the frame
 * @returns undefined if the streams of this runtime are made in another way
 */
export function zstdCompressKept (
  bytes: Uint8Array,
  level: number,
  { hasChecksum = false, allocate }: { hasChecksum?: boolean, allocate?: Allocate | undefined } = {}
): Uint8Array | undefined {
  const key = hasChecksum ? -level : level

  if (!compressors.has(key)) {
    compressors.set(key, keepCompressor({
      [zlib.constants.ZSTD_c_compressionLevel]: level,
      [zlib.constants.ZSTD_c_checksumFlag]: hasChecksum ? 1 : 0
    }))
  }

  const frame = compressIn(compressors.get(key), bytes, allocate)

  if (frame == null) {
    compressors.delete(key)
  }

  return frame
}

/** A context, if what it makes is what zlib's own function makes. In Deno, frames have no content size. */
function keepCompressor (params: Record<number, number>): Kept | undefined {
  const kept = keep(zlib.createZstdCompress({ params }))
  const expected = zlib.zstdCompressSync(SAMPLE, { pledgedSrcSize: SAMPLE.byteLength, params })

  // the second frame shows that nothing of the first is left
  return [1, 2].every(() => isSame(expected, compressIn(kept, SAMPLE))) ? kept : undefined
}

/** Make one frame in a context. Undefined if it cannot be used so, or fails. */
export function compressIn (
  kept: Kept | undefined,
  bytes: Uint8Array,
  allocate: Allocate = size => new Uint8Array(size)
): Uint8Array | undefined {
  const { _handle: handle, _writeState: state } = kept ?? {}

  if (handle == null || state == null) {
    return undefined
  }

  const room = zstdBound(bytes.byteLength)
  const output = scratchOf(room)
  state[0] = FAILED
  handle.writeSync(zlib.constants.ZSTD_e_end, bytes, 0, bytes.byteLength, output, 0, room)

  if (state[0] > room || state[1] !== 0) {
    return undefined
  }

  const length = room - state[0]
  const frame = allocate(length)
  frame.set(output.subarray(0, length))

  return frame
}

/**
 * Decompress on the calling thread, in a context that is kept: 1 kB takes 7 µs instead of 31.
 *
 * @param frame - exactly one frame, that claims to hold `size` bytes
 * @param memory - for the content, and one byte more: with less, a frame with more would look like one that is complete
 * @returns undefined if it is corrupt, or the streams of this runtime are made in another way
 */
export function zstdDecompressKept (
  frame: Uint8Array,
  size: number,
  memory: Uint8Array = new Uint8Array(size + 1)
): Uint8Array | undefined {
  decompressor = decompressor === null ? keepDecompressor() : decompressor
  const content = decompressor && decompressIn(decompressor, frame, memory.subarray(0, size + 1))

  if (content == null && decompressor != null) {
    // it may be amid a frame
    decompressor = null
  }

  return content
}

/** A context, if it finds in frames what zlib's own function has put into them. */
function keepDecompressor (): Kept | undefined {
  const kept = keep(zlib.createZstdDecompress())
  const frame = zlib.zstdCompressSync(SAMPLE, { pledgedSrcSize: SAMPLE.byteLength })
  const works = kept != null && [1, 2].every(() =>
    isSame(SAMPLE, decompressIn(kept, frame, new Uint8Array(SAMPLE.byteLength + 1))))

  return works ? kept : undefined
}

/** @param output - one byte more than the frame should have */
function decompressIn (
  { _handle: handle, _writeState: state }: Kept,
  frame: Uint8Array,
  output: Uint8Array
): Uint8Array | undefined {
  if (handle == null || state == null) {
    return undefined
  }

  state[0] = FAILED
  handle.writeSync(zlib.constants.ZSTD_e_end, frame, 0, frame.byteLength, output, 0, output.byteLength)

  return state[0] === 1 && state[1] === 0 ? output.subarray(0, -1) : undefined
}

/** A stream, if it can be used as above. */
export function keep (stream: ZstdCompress | ZstdDecompress): Kept | undefined {
  const kept = stream as Kept
  // an error destroys it, and would end the process without a listener. It is told by what the call left
  stream.on('error', () => {})

  return typeof kept._handle?.writeSync === 'function' && kept._writeState instanceof Uint32Array ? kept : undefined
}

export function isSame (one: Uint8Array, other: Uint8Array | undefined): boolean {
  return other != null && Buffer.compare(one, other) === 0
}

function scratchOf (length: number): Uint8Array {
  if (length > SCRATCH_SIZE) {
    return new Uint8Array(length)
  }

  return scratch ??= new Uint8Array(SCRATCH_SIZE)
}
