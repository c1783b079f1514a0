/* oxlint-disable no-underscore-dangle -- the names of Node */
import zlib from 'node:zlib'
import type { Transform } from 'node:stream'

/** What Node's decoders have besides, unlike their type. */
interface Decoder extends Transform {
  /** Where the output goes. */
  _outBuffer: Uint8Array
  /** How much of it there is. */
  _chunkSize: number
  /** Bytes of the input that were used. */
  readonly bytesWritten: number
  close (): void
}

/** The result of zlib's functions with the option `info`, which the types lack. */
export interface ZlibInfo {
  buffer: Buffer
  engine: { bytesWritten: number }
}

interface DecompressIntoOptions {
  chunkSize: number
  maxOutputLength?: number
  dictionary?: Uint8Array
}

const DECODERS = {
  zstdDecompress: 'createZstdDecompress',
  inflateRaw: 'createInflateRaw',
  brotliDecompress: 'createBrotliDecompress'
} as const

/** The least that Node accepts. */
const MIN_CHUNK_SIZE = 64

/**
 * Decompress on the thread pool, into memory of the caller. Node's functions make new memory for each call, which the
 * system fills with zeros page by page, and takes back soon: a sixth of the processor time of reading a large file.
 *
 * Nothing public tells a decoder where to write. So its buffer is replaced, where it is as in Node.
 *
 * @param target - at least `chunkSize` bytes
 * @returns undefined if the function does not decompress, or the decoders of this runtime are made in another way
 */
export function decompressInto (
  name: string,
  bytes: Uint8Array,
  target: Uint8Array,
  { chunkSize, maxOutputLength = chunkSize, ...options }: DecompressIntoOptions
): Promise<ZlibInfo> | undefined {
  if (!isDecoderName(name)) {
    return undefined
  }

  const decoder = zlib[DECODERS[name]]({ ...options, chunkSize: MIN_CHUNK_SIZE }) as unknown as Decoder

  if (!(decoder._outBuffer instanceof Uint8Array) || decoder._chunkSize !== MIN_CHUNK_SIZE) {
    decoder.close()
    return undefined
  }

  decoder._outBuffer = Buffer.from(target.buffer, target.byteOffset, chunkSize)
  decoder._chunkSize = chunkSize

  return collect(decoder, bytes, maxOutputLength)
}

function isDecoderName (name: string): name is keyof typeof DECODERS {
  return Object.hasOwn(DECODERS, name)
}

/** What Node's functions do with a decoder. */
async function collect (decoder: Decoder, bytes: Uint8Array, max: number): Promise<ZlibInfo> {
  const parts: Buffer[] = []
  let length = 0

  return new Promise((resolve, reject) => {
    decoder.on('data', (part: Buffer) => {
      parts.push(part)
      length += part.byteLength

      if (length > max) {
        decoder.destroy(new Error(`It decodes to more than ${max} bytes`))
      }
    })
    decoder.on('error', reject)
    decoder.on('end', () => {
      decoder.close()
      resolve({ buffer: parts.length === 1 ? parts[0] : Buffer.concat(parts), engine: decoder })
    })
    decoder.end(bytes)
  })
}
