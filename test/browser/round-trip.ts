import { expect } from 'vitest'
import { same } from '../support/data.ts'
import { text } from '../support/data.ts'
import type { Codec, CodecName, ImplementationName } from '@ipfsz/codecs'
import type { Page } from './open-page.ts'

export const TEXT = text(100_000)

/** Every implementation that compresses in a browser. */
export const WRITERS: ReadonlyArray<[CodecName, ImplementationName]> = [
  ['zstd', 'wasm'],
  ['gzip', 'js'],
  ['lz4', 'wasm'],
  ['lz4', 'js'],
  ['brotli', 'wasm'],
  ['snappy', 'wasm'],
  ['snappy', 'js'],
  ['lzo', 'js']
]

export const NAMES: readonly CodecName[] = [...new Set(WRITERS.map(([name]) => name))]

/** A page's codec decompresses what it compressed. */
export async function expectRoundTrip ({ own }: Page, codec: Codec): Promise<void> {
  const frame = await codec.compress(own(TEXT))

  expect(same(await codec.decompress(frame, { size: TEXT.byteLength }), TEXT), codec.name).toBe(true)
}
