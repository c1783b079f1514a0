import { text } from '../fixtures.ts'

/** The files in the golden CARs. */
export const SMALL = text(5000, 11)
export const LARGE = text(250_000, 12)

/** The next version of the large file: bytes inserted, changed, and removed at the end. */
export const NEXT = Buffer.concat([
  LARGE.subarray(0, 70_000),
  text(500, 13),
  LARGE.subarray(70_000, 180_000),
  text(300, 14),
  LARGE.subarray(180_300, 240_000)
])

/** A file of segments, and one that is like them. */
export const DICTIONARY = text(8000, 15)
export const SIMILAR = Buffer.concat([DICTIONARY.subarray(1000, 4000), text(200, 16), DICTIONARY.subarray(5000, 7000)])

/** Sound: a wave of 16 bits with some noise, in integers, which are the same everywhere. */
export const SOUND = new Uint8Array(Int16Array.from({ length: 50_000 }, (_, i) => (
  Math.abs(i * 37 % 20_000 - 10_000) + i * i % 61
)).buffer)

/** A long text, and one that has most of it in common. */
export const SHARED = text(600_000, 17)
export const SHARING = Buffer.concat([SHARED.subarray(0, 300_000), text(777, 18), SHARED.subarray(300_000)])

/** Sound of 24 bits, with noise in the lowest byte. */
export const SOUND_24 = Uint8Array.from({ length: 120_000 }, (_, i) => {
  const n = Math.floor(i / 3)
  const sample = Math.abs(n * 9001 % 4_000_000 - 2_000_000) & ~0xff | n * n % 251

  return sample >> i % 3 * 8 & 0xff
})

/** Files of a directory that have most in common. */
export const PAGES = Array.from({ length: 6 }, (_, i) => Buffer.concat([
  LARGE.subarray(0, 3000),
  text(400 + 50 * i, 20 + i),
  LARGE.subarray(3000, 6000)
]))

/** Several frames of different sizes when cut by content, which take few bytes. */
export const REPEATED = Buffer.concat(
  Array.from({ length: 80 }, (_, i) => Buffer.concat([text(5000, 19), text(50 + i, i)]))
)
