import { zstd } from '@ipfsz/codecs/zstd'
import { describe, expect, it } from 'vitest'
import { backgroundCodec } from '../src/write/background-codec.ts'
import { Budget } from '../src/util/budget.ts'
import { text } from './fixtures.ts'
import type { Codec, CompressOptions } from '@ipfsz/codecs'

const KIB = 1024

describe('backgroundCodec', () => {
  it('compresses as many pieces at a time as it may, and small ones at once', async () => {
    const ends: Array<() => void> = []
    const options: CompressOptions[] = []
    const codec = codecOf('native', async (bytes, given = {}) => {
      options.push(given)
      await new Promise<void>(resolve => ends.push(resolve))
      return bytes
    })
    const background = backgroundCodec(codec, new Budget(2))
    const large = Array.from({ length: 3 }, async () => background.compress(text(16 * KIB), { level: 3 }))
    const small = background.compress(text(KIB), { level: 3 })
    await turn()

    expect(options).toEqual([{ level: 3 }, { level: 3, background: true }, { level: 3, background: true }])

    ends[1]()
    await turn()
    expect(options).toHaveLength(4)
    ends.forEach(end => { end() })
    await Promise.all([...large, small])
  })

  it('gives its thread back after a failure, and stops waiting for one', async () => {
    const err = new Error('no')
    const threads = new Budget(1)
    const background = backgroundCodec(codecOf('native', async () => Promise.reject(err)), threads)

    await expect(background.compress(text(16 * KIB))).rejects.toBe(err)
    await threads.take(1)
    await expect(background.compress(text(16 * KIB), { signal: AbortSignal.abort(err) })).rejects.toBe(err)
  })

  it('leaves the number of workers to their pool', async () => {
    const threads = new Budget(1)
    await threads.take(1)
    const background = backgroundCodec(codecOf('wasm', async bytes => bytes), threads)

    expect((await background.compress(text(16 * KIB))).byteLength).toBe(16 * KIB)
  })
})

function codecOf (implementation: Codec['implementation'], compress: Codec['compress']): Codec {
  const { name, code, levels, decompress } = zstd()

  return { name, code, levels, implementation, compress, decompress }
}

async function turn (): Promise<void> {
  await new Promise(resolve => { setTimeout(resolve) })
}
