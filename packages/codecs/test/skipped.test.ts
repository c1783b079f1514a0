import { describe, expect, it } from 'vitest'
import { encodeSkipped } from '../src/skipped.ts'
import { concat, noise, same, text, toHex } from './fixtures.ts'
import { read, STREAMS } from './stream-fixtures.ts'
import type { SkippingCodec } from '../src/skipped.ts'

const HELD = Uint8Array.of(1, 2, 3, 4)

/** The most bytes that a part may hold. */
const MOST = 65_531

const SKIPPING: readonly string[] = ['gzip', 'lzo', 'snappy'] satisfies SkippingCodec[]

/** The literal bytes: files of IPFSz hold them. */
describe('bytes that decoders skip', () => {
  it('are in the extra field of an empty gzip member', () => {
    expect(toHex(encodeSkipped('gzip', HELD))).toBe('1f8b08040000000000ff0800495404000102030403000000000000000000')
  })

  it('are in the extra field of an empty lzop member', () => {
    const header = '894c5a4f000d0a1a0a 104020a00940 01 05 03000040 000081a4 0000000000000000 00 2e1902c8'

    expect(toHex(encodeSkipped('lzo', HELD)))
      .toBe(`${header} 00000004 01020304 0030000f 00000000`.replaceAll(' ', ''))
  })

  it('are in a skippable chunk of the framing format of Snappy', () => {
    expect(toHex(encodeSkipped('snappy', HELD))).toBe('a504000001020304')
  })
})

describe.each(STREAMS.filter(([, { name }]) => SKIPPING.includes(name)))('a stream of %s', (_, codec) => {
  it('is read without the bytes that are to be skipped, between its frames and after them', {
    tags: 'slow'
  }, async () => {
    const part = encodeSkipped(codec.name as SkippingCodec, noise(MOST))
    const small = encodeSkipped(codec.name as SkippingCodec, HELD)
    const [first, second] = [await codec.compress(text(100_000)), await codec.compress(text(7, 2))]
    const stream = concat(first, small, part, second, part, small)

    for (const size of [stream.byteLength, 1000, 17]) {
      expect(same(await read(codec, stream, size), concat(text(100_000), text(7, 2))), `${size}`).toBe(true)
    }
  })
})
