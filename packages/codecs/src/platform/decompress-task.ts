/* oxlint-disable no-underscore-dangle -- the names of Node */
import zlib from 'node:zlib'
import type { Transform } from 'node:stream'

/** What Node's decoders have besides, unlike their type. */
interface Decoder extends Transform {
  /** Where the output goes. */
  _outBuffer: Uint8Array
  /** How much of it there is. */
  _chunkSize: number
  /** One step of the decoder, which Node keeps for programs that are older than its streams. */
  _processChunk?: (bytes: Uint8Array, flush: number, done: () => void) => void
  /** Bytes of the input that were used. */
  readonly bytesWritten: number
  close (): void
}

/** The result of zlib's functions with the option `info`, which the types lack. */
export interface ZlibInfo {
  buffer: Buffer
  engine: {
    bytesWritten: number
    /** The parts of the output. Node keeps them for itself. */
    buffers?: readonly Buffer[] | null
  }
}

interface DecompressOptions {
  /** Bytes of the output buffer: one more than there should be. */
  chunkSize: number
  maxOutputLength?: number
  dictionary?: Uint8Array
  /** Memory for the output, at least `chunkSize` bytes. */
  into?: Uint8Array
}

const { ZSTD_e_end, Z_FINISH, BROTLI_OPERATION_FINISH } = zlib.constants

/** How each is made, and told that no more input follows. */
const DECODERS = {
  zstdDecompress: { create: 'createZstdDecompress', finish: ZSTD_e_end },
  inflateRaw: { create: 'createInflateRaw', finish: Z_FINISH },
  brotliDecompress: { create: 'createBrotliDecompress', finish: BROTLI_OPERATION_FINISH }
} as const

export type Decompressor = keyof typeof DECODERS

/** The least that Node accepts. */
const MIN_CHUNK_SIZE = 64

export function isDecompressor (name: string): name is Decompressor {
  return Object.hasOwn(DECODERS, name)
}

/**
 * Decompress in one task of the thread pool. Node's functions take a second one, only to learn that no more input
 * follows: that waits for the calling thread in between, and behind all that others gave to the pool.
 */
export async function decompressInTask (
  name: Decompressor,
  bytes: Uint8Array,
  { into, chunkSize, maxOutputLength = chunkSize, ...options }: DecompressOptions
): Promise<ZlibInfo> {
  const { create, finish } = DECODERS[name]
  const make = (chunkSize: number): Decoder => zlib[create]({ ...options, chunkSize }) as unknown as Decoder
  const decoder = (into == null ? undefined : writeInto(make(MIN_CHUNK_SIZE), into, chunkSize)) ?? make(chunkSize)

  return run(decoder, bytes, finish, maxOutputLength)
}

/**
 * Let a decoder write into memory of the caller. Else it makes new memory, which the system fills with zeros page by
 * page, and takes back soon: a sixth of the processor time of reading a large file.
 *
 * Nothing public tells a decoder where to write. So its buffer is replaced, where it is as in Node.
 *
 * @returns undefined if the decoders of this runtime are made in another way
 */
function writeInto (decoder: Decoder, memory: Uint8Array, size: number): Decoder | undefined {
  if (!(decoder._outBuffer instanceof Uint8Array) || decoder._chunkSize !== MIN_CHUNK_SIZE) {
    decoder.close()
    return undefined
  }

  decoder._outBuffer = Buffer.from(memory.buffer, memory.byteOffset, size)
  decoder._chunkSize = size

  return decoder
}

async function run (decoder: Decoder, bytes: Uint8Array, finish: number, max: number): Promise<ZlibInfo> {
  const parts: Buffer[] = []
  let length = 0

  return new Promise((resolve, reject) => {
    const done = (): void => {
      // it has an error then
      if (!decoder.destroyed) {
        decoder.close()
        resolve({ buffer: parts.length === 1 ? parts[0] : Buffer.concat(parts), engine: decoder })
      }
    }

    decoder.on('data', (part: Buffer) => {
      parts.push(part)
      length += part.byteLength

      if (length > max) {
        decoder.destroy(new Error(`It decodes to more than ${max} bytes`))
      }
    })
    decoder.on('error', reject)
    // if other bytes follow, the step does not end, but the output does
    decoder.on('end', done)

    if (typeof decoder._processChunk === 'function') {
      decoder._processChunk(bytes, finish, done)
    } else {
      decoder.end(bytes)
    }
  })
}
