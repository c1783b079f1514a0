import { describe, expect, it } from 'vitest'
import { ipfsz, readableWith } from '../src/index.ts'
import { CountingBlockstore, text } from './fixtures.ts'

const SOUND = new Uint8Array(Int16Array.from({ length: 50_000 }, (_, i) => Math.abs(i * 37 % 20_000 - 10_000)).buffer)
const BYTES = text(100_000)

describe('what others read a file with', () => {
  it.each([
    ['zstd', 'zstd -dc', 'zstd -dc'],
    ['gzip', 'gzip -dc', 'gzip -dc'],
    ['lz4', 'lz4 -dc', 'lz4 -dc'],
    ['lzo', 'lzop -dc', 'lzop -dc'],
    ['snappy', "a decoder of Snappy's framing format", "a decoder of Snappy's framing format"],
    ['brotli', 'brotli -dc', undefined]
  ] as const)('is its tool, if it stores the original: %s', async (codec, ofOne, ofMany) => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const add = async (bytes: Uint8Array, frameSize?: number): Promise<string | undefined> =>
      readableWith(await fs.stat(await fs.addBytes(bytes, { compression: { codec, frameSize, detect: false } })))

    expect(await add(BYTES)).toBe(ofOne)
    expect(await add(BYTES, 64 * 1024)).toBe(ofMany)
    expect(await add(SOUND)).toBeUndefined()
  })

  it('is nothing for a file with a base, and one that is not compressed', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const base = await fs.addBytes(BYTES)
    const next = await fs.addBytes(Buffer.concat([BYTES, text(300, 2)]), { compression: { base } })

    expect((await fs.stat(next)).base).toBeDefined()
    expect(readableWith(await fs.stat(next))).toBeUndefined()
    expect(readableWith(await fs.stat(await fs.addBytes(BYTES, { compression: { codec: 'none' } })))).toBeUndefined()
  })
})
