import { gzipSync, zstdCompressSync } from 'node:zlib'
import { noise, text } from '../../support/data.ts'
import type { AddedFile } from './gateway-process.ts'
import type { CodecName } from '@ipfsz/codecs'

const KIB = 1024
const MIB = 1024 * KIB

export type Coding = 'br' | 'gzip' | 'zstd' | 'identity'

/** A file that every client reads. */
export interface TestFile extends AddedFile {
  name: string
  original: Uint8Array
  /** How it goes to clients that take every coding. */
  coding: Coding
  /** Whether its length is known before it is decompressed. */
  hasLength: boolean
}

/** Files of every codec, with the numbers and sizes of frames at which clients are known to fail silently. */
export function testFiles (): TestFile[] {
  return [
    ...files('zstd', 'zstd', [[300_000, MIB], [300_000, 64 * KIB], [2_100_001, MIB], [1, MIB]]),
    // Node's fetch would read the first frame only
    ...files('zstd', 'identity', [[350_007, 100_003], [650_000, 300_000], [2_100_001, 1_000_003]]),
    ...files('gzip', 'gzip', [
      [300_000, MIB], [300_000, 64 * KIB], [350_007, 100_003], [650_000, 300_000], [2_100_001, 1_000_003], [1, MIB]
    ]),
    ...files('brotli', 'br', [[300_000, MIB], [5_000_000, 16 * MIB], [1, MIB]]),
    // everybody but curl would read the first frame only
    ...files('brotli', 'identity', [[300_000, 64 * KIB], [350_007, 100_003]]),
    ...(['lz4', 'lzo', 'snappy'] as const).flatMap(codec =>
      files(codec, 'identity', [[300_000, MIB], [300_000, 64 * KIB], [350_007, 100_003], [1, MIB]])
    ),
    ...(['zstd', 'gzip', 'brotli', 'lz4', 'lzo', 'snappy'] as const).flatMap(codec =>
      files(codec, 'identity', [[0, MIB]])
    ),
    { ...file('zstd', 'zstd', repeated(20_000_003), 16 * MIB), level: 19, name: 'zstd 19, frames of 16 MiB' },
    { ...file('zstd', 'identity', repeated(9_000_000), 16 * MIB), form: 'wide', name: 'zstd, a window above 8 MiB' },
    {
      ...file('zstd', 'identity', text(300_000), 64 * KIB),
      form: 'checksummed',
      name: 'zstd, frames with checksums'
    },
    stream('zstd', text(300_000), bytes => zstdCompressSync(bytes)),
    stream('gzip', text(300_000), bytes => Buffer.concat([gzipSync(bytes.subarray(0, 7)), gzipSync(bytes.subarray(7))]))
  ]
}

/** Files whose responses stop in the middle: one for each coding, and without a coding, with a length and without. */
export function heldFiles (): AddedFile[] {
  const bytes = noise(8 * MIB)

  return [
    { bytes, codec: 'zstd', frameSize: MIB, holds: true },
    { bytes, codec: 'gzip', frameSize: MIB, holds: true },
    { bytes, codec: 'brotli', frameSize: 16 * MIB, holds: true },
    { bytes, codec: 'lz4', frameSize: MIB, holds: true },
    // with a small window: the gateway has memory for some clients that wait with a large one
    { bytes: gzipSync(bytes, { level: 1 }), codec: 'gzip', form: 'stream', holds: true }
  ]
}

function files (codec: CodecName, coding: Coding, sizes: Array<[number, number]>): TestFile[] {
  return sizes.map(([size, frameSize]) => file(codec, coding, text(size), frameSize))
}

function file (codec: CodecName, coding: Coding, bytes: Uint8Array, frameSize: number): TestFile {
  const name = `${codec}, ${bytes.byteLength} bytes in frames of ${frameSize}`

  return { name, bytes, original: bytes, codec, frameSize, coding, hasLength: true }
}

function stream (codec: CodecName, original: Uint8Array, compress: (bytes: Uint8Array) => Uint8Array): TestFile {
  return {
    name: `${codec}, a stream of another tool`,
    bytes: compress(original),
    original,
    codec,
    form: 'stream',
    coding: 'identity',
    hasLength: false
  }
}

/** Bytes that level 19 compresses fast. */
function repeated (length: number): Uint8Array {
  return Buffer.alloc(length, text(MIB))
}
