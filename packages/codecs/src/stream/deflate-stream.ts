/**
 * One raw deflate stream (RFC 1951) that goes on for as long as a connection does,
 * in JavaScript: bytes are handed over as they come, and each time all that was made
 * of them is there at once. Where there is zlib, its streams do the same faster.
 */
import { Z_BUF_ERROR, Z_DEFAULT_STRATEGY, Z_NO_FLUSH, Z_OK, Z_SYNC_FLUSH, ZStream, zlibDeflate, zlibDeflateInit2, zlibInflate, zlibInflateInit2 } from 'pako'
import { CorruptFrameError } from '../errors.ts'

const METHOD_DEFLATED = 8
/** The largest window; negative for neither header nor checksum. */
const RAW = -15
/** zlib's default. */
const MEMORY_LEVEL = 8
const CHUNK_SIZE = 64 * 1024

export interface DeflateStream {
  /** Compress, and flush (Z_SYNC_FLUSH): the result ends with a byte and decodes to all that was given so far. */
  compress (bytes: Uint8Array): Uint8Array
}

export interface InflateStream {
  /**
   * Decompress what one call of `compress` made.
   *
   * @param size - how many bytes it must decode to. Of more, no more than 64 KiB are made
   * @throws {CorruptFrameError} it decodes to more or to less, is damaged, or the stream ends in it
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

      // the second of the two: there was no more to make of what it had
      if (status !== Z_OK && status !== Z_BUF_ERROR) {
        throw corrupt(stream.msg === '' ? `zlib gives ${status}` : stream.msg)
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

/** Until the output is not filled any more, or there is more of it than `max`. */
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

function concat (pieces: Uint8Array[]): Uint8Array {
  // small results do not keep the whole of their buffer
  const result = new Uint8Array(pieces.reduce((length, { byteLength }) => length + byteLength, 0))
  let position = 0

  for (const piece of pieces) {
    result.set(piece, position)
    position += piece.byteLength
  }

  return result
}

function corrupt (reason: string): CorruptFrameError {
  return new CorruptFrameError('deflate', reason)
}
