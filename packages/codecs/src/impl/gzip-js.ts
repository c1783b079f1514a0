import { deflateSync, inflateSync } from 'fflate'
import { checkGzipChecksum, decodeGzipMember, encodeGzipMember } from '../format/gzip-member.ts'

type Level = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9

export function compress (bytes: Uint8Array, level: number): Uint8Array {
  return encodeGzipMember(deflateSync(bytes, { level: level as Level }), bytes)
}

export function decompress (frame: Uint8Array, size: number): Uint8Array {
  const deflated = decodeGzipMember(frame, size)
  // one byte more than there may be, or what is too long would pass for exact
  const bytes = inflateSync(deflated, { out: new Uint8Array(size + 1) })

  checkGzipChecksum(frame, bytes)

  return bytes
}
