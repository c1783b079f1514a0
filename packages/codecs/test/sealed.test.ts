import { describe, expect, it } from 'vitest'
import { seal, unseal } from '../src/sealed.ts'
import { ALL, concat, label, NAMES, noise, same, text, toHex, WRITERS } from './fixtures.ts'
import { outcome, STREAMS } from './stream-fixtures.ts'
import type { Codec, CodecName } from '../src/codec.ts'

/** One byte, several chunks or blocks of each format, and what does not shrink. */
const CONTENTS = [text(1), text(300_000), noise(70_000), new Uint8Array(300_000)]

/** What differs between a frame and a sealed one, in the first bytes: files of IPFSz hold them. */
const SEALED: Readonly<Record<CodecName, readonly [frame: string, sealed: string]>> = {
  zstd: ['28b52ffd2002', '28b52ffd2b697066fa02'],
  gzip: ['1f8b0804', '1f8b0704'],
  lz4: ['04224d1868', '04224d18a8'],
  lzo: ['894c5a4f000d0a1a0a104020a00940', '894c5a4f000d0a1a0a104020a0f940'],
  snappy: ['ff060000734e61507059017f', 'ff060000734e61507059417f'],
  brotli: ['0b0080', '910b0080']
}

describe.each(WRITERS.map(codec => [label(codec), codec] as const))('a sealed frame of %s', (_, codec) => {
  const { name } = codec

  it('is the frame again once the seal is off', { tags: 'slow' }, async () => {
    for (const bytes of CONTENTS) {
      const frame = await codec.compress(bytes)
      const unsealed = unseal(name, seal(name, frame.slice()))

      expect(toHex(unsealed.subarray(0, 40))).toBe(toHex(frame.subarray(0, 40)))
      expect(same(unsealed, frame)).toBe(true)
    }
  })

  it('is refused by every implementation, alone and before others', { tags: 'slow' }, async () => {
    for (const bytes of CONTENTS) {
      const frame = await codec.compress(bytes)
      const sealed = seal(name, frame.slice())

      for (const reader of ALL.filter(reader => reader.name === name)) {
        await expect(decompress(reader, sealed, bytes.byteLength), label(reader)).rejects
          .toMatchObject({ name: 'CorruptFrameError' })
      }

      for (const [reader, stream] of STREAMS.filter(([, { name }]) => name === codec.name)) {
        expect(await outcome(stream, sealed), reader).toBe('CorruptFrameError')
        expect(await outcome(stream, concat(sealed, frame)), reader).toBe('CorruptFrameError')
        // the tool of brotli reads one stream, and so do we
        expect(await outcome(stream, concat(frame, sealed)), reader).toBe('CorruptFrameError')
      }
    }
  })
})

describe.each(NAMES)('the seal of %s', name => {
  it('has these bytes', () => {
    const [frame, sealed] = SEALED[name].map(fromHex)

    expect(toHex(seal(name, frame.slice()))).toBe(toHex(sealed))
    expect(toHex(unseal(name, sealed.slice()))).toBe(toHex(frame))
  })

  it('is needed', async () => {
    const frame = await (WRITERS.find(codec => codec.name === name) as Codec).compress(text(1000))

    for (const bytes of [frame, frame.subarray(0, 3), new Uint8Array(0)]) {
      expect(() => unseal(name, bytes.slice())).toThrow(expect.objectContaining({ name: 'CorruptFrameError' }))
    }
  })
})

async function decompress (codec: Codec, frame: Uint8Array, size: number): Promise<Uint8Array> {
  return codec.decompress(frame, { size })
}

function fromHex (hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], byte => Number.parseInt(byte, 16))
}
