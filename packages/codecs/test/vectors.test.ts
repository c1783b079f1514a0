import { describe, expect, it } from 'vitest'
import { ALL, fromBase64, label } from './fixtures.ts'
import { TEXT, VECTORS } from './vectors.ts'

describe('a frame made by another tool', () => {
  it.each(ALL.map(codec => [label(codec), codec] as const))('is read by %s', async (_, codec) => {
    const frame = fromBase64(VECTORS[codec.name])

    expect(new TextDecoder().decode(await codec.decompress(frame, { size: TEXT.length }))).toBe(TEXT)
  })

  it.each(
    ALL.map(codec => [label(codec), codec] as const).filter(
      ([, { name }]) => ['gzip', 'lz4', 'lzo', 'snappy'].includes(name)
    )
  )('is refused by %s if its checksum is wrong', async (_, codec) => {
    const frame = fromBase64(VECTORS[codec.name])
    // gzip: the CRC before the size, lz4: the last hash, lzo: the Adler-32 of the first block,
    // snappy: the masked CRC of the first chunk
    const position = { gzip: frame.byteLength - 8, lz4: frame.byteLength - 1, lzo: 51, snappy: 14 }[
      codec.name as 'gzip' | 'lz4' | 'lzo' | 'snappy'
    ]
    frame[position] ^= 1

    await expect(async () => codec.decompress(frame, { size: TEXT.length }))
      .rejects.toMatchObject({ name: 'CorruptFrameError' })
  })
})
