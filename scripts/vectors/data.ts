/** What vectors hold: made of whole numbers alone, so the same on every machine. */
import { text } from '../../test/support/data.ts'
import { FRAME } from './make-file.ts'

/** Numbered pages of one text, which take few bytes compressed. */
export function pages (size: number, seed = 1): Uint8Array {
  const page = Buffer.from(text(2000, seed))
  const count = Math.ceil(size / page.byteLength)

  const all = Buffer.concat(Array.from({ length: count }, (_, i) => [Buffer.from(`Page ${i}\n`), page]).flat())

  return new Uint8Array(all).subarray(0, size)
}

/** Samples of a slow wave, in little endian. */
export function samples (size: number, width: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, at) => {
    const sample = Math.abs(Math.floor(at / width) * 97 % 40_000 - 20_000)

    return Math.floor(sample / 256 ** (at % width)) % 256
  })
}

/** The frames of a file, of one size. */
export function cut (bytes: Uint8Array, frameSize = FRAME): Uint8Array[] {
  return Array.from(
    { length: Math.ceil(bytes.byteLength / frameSize) }, (_, i) => bytes.slice(i * frameSize, (i + 1) * frameSize)
  )
}

/** The frames of a file, of these sizes, and one with what remains. */
export function cutAt (bytes: Uint8Array, ...sizes: number[]): Uint8Array[] {
  let start = 0
  const pieces = sizes.map(size => bytes.slice(start, start += size))

  return [...pieces, bytes.slice(start)]
}
