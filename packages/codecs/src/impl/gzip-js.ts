import { Deflate, Inflate } from 'pako'
import { concat } from 'uint8arrays/concat'
import { CorruptFrameError } from '../errors.ts'
import { checkGzipChecksum, decodeGzipMember, encodeGzipMember } from '../format/gzip/gzip-member.ts'
import type { Implementation } from '../implementation.ts'

/** Ends the stream at a byte boundary, without a final block (zlib.h). */
const Z_SYNC_FLUSH = 2

/** The smallest output buffer, in bytes: any compressed frame of a few bytes fits. */
const MIN_CHUNK_SIZE = 64

type Level = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9

/** pako can end a stream in a sync flush, and reports where a stream ends. */
export function create (): Implementation {
  return {
    compress: (bytes, level) => encodeGzipMember(deflate(bytes, level as Level), bytes),

    decompress (frame, size) {
      const bytes = inflate(decodeGzipMember(frame, size), size)

      checkGzipChecksum(frame, bytes)

      return bytes
    }
  }
}

function deflate (bytes: Uint8Array, level: Level): Uint8Array {
  const parts: Uint8Array[] = []
  const deflator = new Deflate({ raw: true, level, chunkSize: Math.max(MIN_CHUNK_SIZE, bytes.byteLength >> 1) })

  deflator.onData = part => { parts.push(part) }
  deflator.push(bytes, Z_SYNC_FLUSH)

  return concat(parts)
}

function inflate (deflated: Uint8Array, size: number): Uint8Array {
  // ask for one more byte than allowed, to detect frames that are too long
  const inflator = new Inflate({ raw: true, chunkSize: size + 1 })
  let bytes: Uint8Array = new Uint8Array(0)

  inflator.onData = chunk => {
    if (bytes.byteLength + chunk.byteLength > size) {
      throw corrupt(`it decodes to more than ${size} bytes`)
    }

    bytes = chunk
  }

  inflator.push(deflated.subarray(0, -1))

  if (inflator.ended) {
    throw corrupt('other bytes follow its deflate stream')
  }

  inflator.push(deflated.subarray(-1), true)

  if (inflator.err !== 0 || !inflator.ended) {
    throw corrupt(inflator.err === 0 ? 'it is cut short' : inflator.msg)
  }

  return bytes
}

function corrupt (reason: string): CorruptFrameError {
  return new CorruptFrameError('gzip', reason)
}
