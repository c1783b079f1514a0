import snappy from 'snappyjs'
import { decodeSnappyStream, encodeSnappyStream } from '../format/snappy-framing.ts'

export function compress (bytes: Uint8Array): Uint8Array {
  return encodeSnappyStream(bytes, snappy.compress)
}

export function decompress (frame: Uint8Array, size: number): Uint8Array {
  return decodeSnappyStream(frame, size, snappy.uncompress)
}
