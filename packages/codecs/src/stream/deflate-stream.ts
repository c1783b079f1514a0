/**
 * An endless raw deflate stream (RFC 1951) in JavaScript, for connections: each call compresses
 * or decompresses some bytes and returns all output so far. Node's zlib streams do the same,
 * faster.
 */
import {
  Z_BUF_ERROR,
  Z_DEFAULT_STRATEGY,
  Z_NO_FLUSH,
  Z_OK,
  Z_SYNC_FLUSH,
  ZStream,
  zlibDeflate,
  zlibDeflateInit2,
  zlibInflate,
  zlibInflateInit2
} from 'pako'
import { concat } from 'uint8arrays/concat'
import { CorruptFrameError } from '../errors.ts'

const METHOD_DEFLATED = 8
/** Window bits: the largest window. Negative means neither header nor checksum. */
const RAW = -15
/** The default of zlib. */
const MEMORY_LEVEL = 8
const CHUNK_SIZE = 64 * 1024

export interface DeflateStream {
  /** Compress and flush (Z_SYNC_FLUSH): the result ends on a byte boundary, and decodes to all bytes given so far. */
  compress (bytes: Uint8Array): Uint8Array
}

export interface InflateStream {
  /**
   * Decompress the result of one `compress` call.
   *
   * @param size - the bytes it has to decode to. If there are more, at most 64 KiB more are decoded
   * @throws {CorruptFrameError} it decodes to another size, is damaged, or ends the stream
   */
  decompress (bytes: Uint8Array, size: number): Uint8Array
}

/** @param level - 1 to 9 */
export function deflateStream (level: number): DeflateStream {
  const stream = new ZStream()
  zlibDeflateInit2(stream, level, METHOD_DEFLATED, RAW, MEMORY_LEVEL, Z_DEFAULT_STRATEGY)

  return {
    compress (bytes) {
      setInput(stream, bytes)

      return concat(run(stream, () => zlibDeflate(stream, Z_SYNC_FLUSH), Infinity))
    }
  }
}

export function inflateStream (): InflateStream {
  const stream = new ZStream()
  zlibInflateInit2(stream, RAW)

  return {
    decompress (bytes, size) {
      setInput(stream, bytes)
      let status: number = Z_OK
      const pieces = run(stream, () => (status = zlibInflate(stream, Z_NO_FLUSH)), size)

      // Z_BUF_ERROR: the input is used up and there is no more output
      if (status !== Z_OK && status !== Z_BUF_ERROR) {
        throw corrupt(stream.msg === '' ? `zlib reports the status ${status}` : stream.msg)
      }

      const result = concat(pieces)

      if (result.byteLength !== size) {
        throw corrupt(`it decodes to ${result.byteLength > size ? 'more' : 'less'} than ${size} bytes`)
      }

      return result
    }
  }
}

function setInput (stream: ZStream, bytes: Uint8Array): void {
  stream.input = bytes
  stream.next_in = 0
  stream.avail_in = bytes.byteLength
}

/** Call `step` until an output buffer is not full, or there are more than `max` bytes of output. */
function run (stream: ZStream, step: () => number, max: number): Uint8Array[] {
  const pieces: Uint8Array[] = []
  let total = 0
  let status: number

  do {
    stream.output = new Uint8Array(CHUNK_SIZE)
    stream.next_out = 0
    stream.avail_out = CHUNK_SIZE
    status = step()
    pieces.push(stream.output.subarray(0, stream.next_out))
    total += stream.next_out
  } while (status === Z_OK && stream.avail_out === 0 && total <= max)

  return pieces
}

function corrupt (reason: string): CorruptFrameError {
  return new CorruptFrameError('deflate', reason)
}
