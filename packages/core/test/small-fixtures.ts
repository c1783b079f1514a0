import fc from 'fast-check'
import { noise, text } from './fixtures.ts'
import type { Metadata, SmallFileEncoderInit } from '../src/small-files.ts'

const KIB = 1024

export const CONTENTS: Record<string, (size: number, seed: number) => Uint8Array> = {
  text,
  noise,
  zeros: size => new Uint8Array(size),
  'UTF-8': (size, seed) => new TextEncoder().encode('grün, 日本 \n'.repeat(size / 16)).subarray(0, size - seed % 2),
  jpeg: (size, seed) => Buffer.concat([Buffer.from('ffd8ffe000104a464946', 'hex'), noise(size, seed)]),
  gzip: (size, seed) => Buffer.concat([Buffer.from('1f8b08000000000000ff', 'hex'), noise(size, seed)]),
  'text after binary': (size, seed) => Buffer.concat([Uint8Array.of(0, 1), text(size, seed)]),
  numbers (size, seed) {
    const noisy = noise(size >> 1, seed)

    return new Uint8Array(Int16Array.from({ length: size >> 1 }, (_, i) => i * 3 + noisy[i] % 4).buffer)
  }
}

/** Files of all kinds, and of the sizes where another way begins. */
export const contents = fc.record({
  kind: fc.constantFrom(...Object.keys(CONTENTS)),
  size: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 8000 }) },
    fc.integer({ min: 0, max: 300_000 }),
    fc.tuple(fc.constantFrom(...[16, 64, 128, 256, 512, 1024].map(size => size * KIB)), fc.integer({ min: -2, max: 2 }))
      .map(([size, more]) => size + more)
  ),
  seed: fc.integer({ min: 1, max: 1e6 })
})

/** Options with which files can be encoded. */
export const options: fc.Arbitrary<SmallFileEncoderInit> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  fc.constantFrom(1, 3, 5, 9).map(level => ({ compression: { level } })),
  fc.constantFrom<SmallFileEncoderInit>(
    { compression: { detect: false } },
    { compression: { filters: false } },
    { compression: { optimize: 'ranges' } },
    { compression: { frameSize: 64 * KIB } },
    { compression: { leafSize: 1000, frameSize: 128 * KIB } },
    { compression: { cut: 'content' } },
    { compression: { cut: 'content', detect: false } },
    { compression: { codec: 'none' } },
    { compression: { codec: 'zstd', level: 2, filters: false, detect: false } }
  )
)

export const metadatas: fc.Arbitrary<Metadata> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  fc.constantFrom<Metadata>({ mode: 0o600 }, { mode: 0o644 }, { mode: 0o100755 }, { mtime: { secs: -5n } },
    { mode: 0o4755, mtime: { secs: 1_700_000_000n, nsecs: 999 } }, { mode: undefined, mtime: undefined })
)
