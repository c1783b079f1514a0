import { CorruptFrameError } from '../errors.ts'
import { checkGzipChecksum, decodeGzipMember, encodeGzipMember } from '../format/gzip-member.ts'
import { zlibCompress, zlibDecompress } from './zlib.ts'

// the deflate stream alone: zlib's gunzip would read on into a second member

export async function compress (bytes: Uint8Array, level: number): Promise<Uint8Array> {
  return encodeGzipMember(await zlibCompress('deflateRaw', bytes, { level }), bytes)
}

export async function decompress (frame: Uint8Array, size: number): Promise<Uint8Array> {
  const deflated = decodeGzipMember(frame, size)
  const bytes = await zlibDecompress('inflateRaw', deflated, size, reason => new CorruptFrameError('gzip', reason))

  checkGzipChecksum(frame, bytes)

  return bytes
}
