import { allCodecs } from '@ipfsz/codecs/all'
import { MemoryBlockstore } from 'blockstore-core'
import { describe, expect, it } from 'vitest'
import { tagCombinations } from '../../../test/support/pairwise.ts'
import { chooseCompression, costOf, estimate } from '../src/policy/auto.ts'
import { AUTO_CANDIDATES } from '../src/policy/auto-candidates.ts'
import { ipfsz } from '../src/index.ts'
import { noise, random, text } from './fixtures.ts'
import type { Goal, Optimize } from '../src/policy/auto-candidates.ts'

const MIB = 1024 * 1024
const OPTIMIZE: Goal[] = ['size', 'balanced', 'speed']
const codecs = allCodecs()

/** Lines of numbers, as a table of measurements. */
function csv (length: number): Uint8Array {
  const next = random(3)
  let lines = ''

  for (let row = 0; lines.length < length; row++) {
    lines += `${row},2020-01-${1 + row % 28},${next() % 100},${(next() % 10_000) / 100},station ${next() % 40}\n`
  }

  return new TextEncoder().encode(lines.slice(0, length))
}

/** Text and noise in turn. */
function mixed (length: number): Uint8Array {
  const bytes = text(length)

  for (let at = 0; at + 50_000 < length; at += 100_000) {
    bytes.set(noise(50_000, at + 1), at)
  }

  return bytes
}

const SIZE = MIB
const FILES: Array<[string, Uint8Array]> = [
  ['text', text(SIZE)],
  ['csv', csv(SIZE)],
  ['text and noise', mixed(SIZE)],
  ['noise', noise(SIZE)],
  ['zeros', new Uint8Array(SIZE)],
  ['a small file', text(3000)]
]

describe('auto', { tags: 'slow' }, () => {
  const cases = tagCombinations({ optimize: OPTIMIZE, file: FILES }, 'nightly')

  for (const { optimize, file: [name, bytes], tags } of cases) {
    it(`costs at most a tenth more than the best candidate with optimize: ${optimize}, ${name}`, { tags }, async () => {
      const none = costOf(1, undefined, optimize)
      const all = await estimate(bytes, optimize, codecs)
      const best = Math.min(none, ...all.map(({ cost }) => cost))
      const choice = await chooseCompression(bytes, optimize, codecs)
      const chosen = choice == null ? none : all.find(
        ({ codec, level }) => codec === choice.codec && level === choice.level
      )?.cost

      expect(chosen).toBeLessThanOrEqual(best * 1.1)
    })
  }
})

describe('auto', () => {
  it('chooses the same codec and level each time', async () => {
    const choices = await Promise.all([1, 2, 3].map(async () => chooseCompression(text(MIB), 'balanced', codecs)))

    expect(new Set(choices.map(choice => `${choice?.codec.name} ${choice?.level}`)).size).toBe(1)
  })

  it('chooses no codec if that costs least', async () => {
    for (const optimize of OPTIMIZE) {
      expect(await chooseCompression(noise(MIB), optimize, codecs), optimize).toBeUndefined()
    }
  })

  it('makes files smaller when it optimizes for size than for speed', { tags: 'slow' }, async () => {
    const fs = ipfsz({ blockstore: new MemoryBlockstore() })
    const [size, speed] = await Promise.all((['size', 'speed'] as const).map(async optimize =>
      fs.stat(await fs.addBytes(csv(MIB), { compression: { codec: 'auto', optimize } }))))

    expect(Number(size.storedSize)).toBeLessThan(Number(speed.storedSize))
    expect(AUTO_CANDIDATES.size.map(({ codec }) => codec)).toContain(size.codec)
  })

  it('stores files uncompressed that would not shrink, and reads everything back', { tags: 'slow' }, async () => {
    const fs = ipfsz({ blockstore: new MemoryBlockstore() })

    for (const [name, bytes] of FILES) {
      const cid = await fs.addBytes(bytes, { compression: { codec: 'auto' } })
      expect((await fs.stat(cid)).codec === 'none', name).toBe(name === 'noise')
      expect(Buffer.compare(Buffer.concat(await Array.fromAsync(fs.cat(cid))), bytes), name).toBe(0)
    }
  })

  it('refuses a level, and an unknown value of optimize', async () => {
    const fs = ipfsz({ blockstore: new MemoryBlockstore() })

    await expect(
      fs.addBytes(text(10), { compression: { codec: 'auto', level: 3 } })
    ).rejects.toMatchObject({ name: 'InvalidParametersError' })
    await expect(
      fs.addBytes(text(10), { compression: { codec: 'auto', optimize: 'cost' as Optimize } })
    ).rejects.toMatchObject({ name: 'InvalidParametersError' })
  })

  it('uses only the codecs that it is given', async () => {
    expect(
      await chooseCompression(text(MIB), 'balanced', codecs.filter(({ name }) => name === 'lz4'))
    ).toMatchObject({ level: 1, codec: { name: 'lz4' } })
    expect(await chooseCompression(text(MIB), 'balanced', [])).toBeUndefined()
  })
})
