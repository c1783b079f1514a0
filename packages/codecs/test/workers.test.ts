import { describe, expect, it } from 'vitest'
import { codecs } from '../src/all.ts'
import { ALL, concat, label, random, same, text, WRITERS } from './fixtures.ts'

const bytes = text(300_000)
const notNative = ({ implementation }: { implementation: string }): boolean => implementation !== 'native'

/** Pieces of 64 KiB of a long table of numbers: so similar that leftovers of one could change the frame of another. */
function tables (count: number): Uint8Array[] {
  const next = random(3)

  return Array.from({ length: count }, () => {
    let lines = ''

    while (lines.length < 65536) {
      lines += `${next() % 1000},2020-0${1 + next() % 9}-${1 + next() % 28},`
      lines += `${next() % 100}.${next() % 100},station ${next() % 40}\n`
    }

    return new TextEncoder().encode(lines.slice(0, 65536))
  })
}

describe.each(
  WRITERS.filter(notNative).map(codec => [label(codec), codec] as const)
)('a worker that compresses with %s', (_, codec) => {
  it('gets a copy of the bytes unless `transfer` is set', async () => {
    const mine = bytes.slice()
    const frame = await codec.compress(mine)
    expect(same(mine, bytes)).toBe(true)

    expect(same(await codec.compress(mine, { transfer: true }), frame)).toBe(true)
    // detached, so it went to a worker
    expect(mine.byteLength).toBe(0)
  })

  it('does not take the rest of a larger buffer with `transfer`', async () => {
    const all = concat(bytes, bytes)
    const frame = await codec.compress(all.subarray(0, bytes.byteLength), { transfer: true })

    expect(same(all, concat(bytes, bytes))).toBe(true)
    expect(same(await codecs[codec.name]().decompress(frame, { size: bytes.byteLength }), bytes)).toBe(true)
  })

  it('leaves this thread free', async () => {
    const order: string[] = []
    // loads everything, so that the next call only compresses
    await codec.compress(bytes)
    const call = Promise.resolve(codec.compress(text(4_000_000))).then(() => order.push('compressed'))
    const timer = new Promise(resolve => { setTimeout(resolve) }).then(() => order.push('timer'))
    await Promise.all([call, timer])

    expect(order).toEqual(['timer', 'compressed'])
  })
})

describe.each(
  ALL.filter(notNative).map(codec => [label(codec), codec] as const)
)('a worker that decompresses with %s', (_, codec) => {
  it('gets a copy of the frame unless `transfer` is set', async () => {
    const frame = new Uint8Array(await codecs[codec.name]().compress(bytes))

    expect(same(await codec.decompress(frame, { size: bytes.byteLength }), bytes)).toBe(true)
    expect(same(await codec.decompress(frame, { size: bytes.byteLength, transfer: true }), bytes)).toBe(true)
    expect(frame.byteLength).toBe(0)
  })

  it('refuses a corrupt frame with the same message as this thread', async () => {
    const frame = (await codecs[codec.name]().compress(bytes)).subarray(0, -5)
    const here = codecs[codec.name]({ implementation: codec.implementation, workers: false })
    const errors = await Promise.all(
      [codec, here].map(
        async codec =>
          Promise.resolve(codec.decompress(frame, { size: bytes.byteLength })).catch((err: Error) => err.message)
      )
    )

    expect(errors[0]).toContain('Corrupt')
    expect(errors[0]).toBe(errors[1])
  })
})

describe.each(WRITERS.map(codec => [label(codec), codec] as const))('%s', (_, codec) => {
  it('makes the same frame from the same bytes, regardless of earlier calls', { tags: 'slow' }, async () => {
    const pieces = tables(24)
    const frames = await Promise.all(pieces.map(async piece => codec.compress(piece)))
    const next = random(5)

    for (let i = 0; i < 100; i++) {
      const number = next() % pieces.length
      expect(same(await codec.compress(pieces[number]), frames[number]), `piece ${number}`).toBe(true)
    }
  })
})
