import { deflateSync } from 'fflate'
import { Inflate } from 'pako'
import { CorruptFrameError } from '../errors.ts'
import { checkGzipChecksum, decodeGzipMember, encodeGzipMember } from '../format/gzip/gzip-member.ts'
import type { Implementation } from '../implementation.ts'

type Level = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9

/** Compresses with fflate, which is faster. Decompresses with pako, which reports where a stream ends. */
export function create (): Implementation {
  return {
    compress: (bytes, level) => encodeGzipMember(deflateSync(bytes, { level: level as Level }), bytes),

    decompress (frame, size) {
      const bytes = inflate(decodeGzipMember(frame, size), size)

      checkGzipChecksum(frame, bytes)

      return bytes
    }
  }
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
