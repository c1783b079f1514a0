import { describe, expect, it } from 'vitest'
import { isEnding, nextShare } from '../src/fetch/http/shares.ts'
import type { Part, Sender, Shares } from '../src/fetch/http/shares.ts'

const MIB = 1024 * 1024
/** 50 Mbit/s, in bytes per millisecond. */
const FAST = 6250

interface Named extends Sender {
  name: string
}

function sender (name: string, rate?: number): Named {
  return { name, rate, latency: 100 }
}

/** Blocks of 1 MiB. */
function blocks (from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => (from + i) * MIB)
}

function part (gateway: Named | undefined, start: number, end: number, more: Partial<Part<Named>> = {}): Part<Named> {
  return {
    gateway,
    start: start * MIB,
    end: end * MIB,
    reached: start * MIB,
    rate: gateway?.rate,
    waited: 1000,
    isSilent: false,
    ...more
  }
}

function shares (init: Pick<Shares<Named>, 'parts' | 'senders'> & Partial<Shares<Named>>): Shares<Named> {
  return { wanted: blocks(0, 20), end: 100 * MIB, ...init }
}

describe('nextShare', () => {
  it('leaves a file to one gateway until that is measured', () => {
    const [a, b] = [sender('a'), sender('b')]

    expect(nextShare(b, shares({ parts: [part(a, 0, 100)], senders: [a, b] }))).toBeUndefined()
    expect(nextShare(b, shares({ parts: [part(undefined, 0, 100)], senders: [a, b] }))).toBeUndefined()
  })

  it('leaves a file to one gateway while that speeds up', () => {
    const [a, b] = [sender('a', FAST), sender('b')]
    const young = shares({ parts: [part(a, 0, 100, { waited: 200 })], senders: [a, b] })
    const silent = shares({ parts: [part(a, 0, 100, { waited: 200, isSilent: true })], senders: [a, b] })

    expect(nextShare(b, young)).toBeUndefined()
    expect(nextShare(b, silent)).toBeDefined()
    expect(nextShare({ ...b, rate: FAST }, young)).toBeDefined()
  })

  it('asks a third gateway although the first sends in pieces that take no time, and the second stalls', () => {
    const [a, b, c] = [{ ...sender('a', FAST), waited: 1000 }, sender('b'), sender('c')]
    const parts = [part(a, 0, 2, { waited: 100 }), part(b, 2, 4, { waited: 0, isSilent: true })]

    expect(nextShare(c, shares({ parts, senders: [a, b, c] }))).toBeDefined()
    expect(nextShare(c, shares({ parts: [parts[0]], senders: [a, b, c] }))).toBeDefined()
  })

  it('leaves a small file to one gateway', () => {
    const [a, b] = [sender('a', FAST), sender('b')]
    const small = { wanted: blocks(0, 5), end: 5 * MIB }

    expect(nextShare(b, shares({ ...small, parts: [part(a, 0, 5)], senders: [a, b] }))).toBeUndefined()
  })

  it('takes a small piece for a gateway of unknown rate, so far ahead that it is there in time', () => {
    const [a, b] = [sender('a', FAST), sender('b')]
    const whole = part(a, 0, Number.POSITIVE_INFINITY)
    const share = nextShare(b, shares({ parts: [whole], senders: [a, b] }))

    expect(share?.from).toBe(whole)
    expect(share?.start).toBe(4 * MIB)
    expect((share?.end ?? 0) - 4 * MIB).toBeLessThan(2 * MIB)
  })

  it('gives a gateway what no other one brings, for about a second', () => {
    const [a, b] = [sender('a', FAST), sender('b', FAST / 5)]
    const state = shares({ parts: [part(a, 0, 6), part(b, 6, 8)], senders: [a, b] })

    expect(nextShare(a, state)).toEqual({ start: 8 * MIB, end: 8 * MIB + FAST * 1000 })
    expect(nextShare(b, state)).toEqual({ start: 8 * MIB, end: 8 * MIB + FAST * 200 })
  })

  it('fills a gap no further than the next piece, and asks for nothing twice', () => {
    const [a, b] = [sender('a', FAST), sender('b', FAST)]

    expect(nextShare(a, shares({ parts: [part(b, 2, 9)], senders: [a, b] }))).toEqual({ start: 0, end: 2 * MIB })
  })

  it('leaves the rest to a gateway that is alone', () => {
    const a = sender('a', FAST)

    expect(nextShare(a, shares({ parts: [], senders: [a] }))).toEqual({ start: 0, end: 100 * MIB })
  })

  it('does not leave a crumb behind a piece', () => {
    const [a, b] = [sender('a', FAST), sender('b', FAST)]
    const end = 6.3 * MIB
    const state = shares({ wanted: blocks(0, 7), end, parts: [part(b, 0, 3)], senders: [a, b] })

    expect(nextShare(a, state)?.end).toBe(end)
  })

  it('divides the last piece so that both end at the same time', () => {
    const [fast, slow] = [sender('fast', FAST), sender('slow', FAST / 4)]
    const last = part(slow, 90, 100)
    const state = shares({ wanted: blocks(90, 100), parts: [last], senders: [fast, slow] })
    const share = nextShare(fast, state)

    expect(share?.from).toBe(last)
    // 2 blocks take the slow one 1.3 s, and a piece the fast one 1.1 s
    expect(share?.start).toBe(92 * MIB)
    expect(share?.end).toBeGreaterThan(97 * MIB)
  })

  it('takes nothing over that would not arrive sooner', () => {
    const [fast, slow] = [sender('fast', FAST), sender('slow', FAST / 4)]
    const state = { wanted: [99 * MIB], parts: [part(fast, 99, 100)], senders: [fast, slow] }

    expect(nextShare(slow, shares(state))).toBeUndefined()
  })

  it('takes over all that a silent gateway has left', () => {
    const [a, b] = [sender('a', FAST), sender('b', FAST)]
    const silent = part(b, 4, 6, { isSilent: true })
    const state = shares({ wanted: blocks(4, 6), end: 6 * MIB, parts: [silent], senders: [a, b] })

    expect(nextShare(a, state)).toEqual({ start: 4 * MIB, end: 6 * MIB, from: silent })
  })

  it('gives nothing to a gateway that adds nothing', () => {
    const [a, b] = [sender('a', FAST), sender('b', FAST / 20)]

    expect(nextShare(b, shares({ parts: [part(a, 0, 6)], senders: [a, b] }))).toBeUndefined()
  })

  it('asks for nothing that is far ahead of what is read', () => {
    const [a, b] = [sender('a', FAST), sender('b', FAST)]
    const state = shares({ wanted: [0, 90 * MIB], parts: [part(a, 0, 6)], senders: [a, b] })

    expect(nextShare(b, state)).toBeUndefined()
  })
})

describe('isEnding', () => {
  it('is true a round trip before the end', () => {
    const a = sender('a', FAST)

    expect(isEnding(part(a, 0, 1), { end: MIB })).toBe(false)
    expect(isEnding(part(a, 0, 1, { reached: 0.7 * MIB }), { end: MIB })).toBe(true)
    expect(isEnding(part(a, 0, 1, { rate: undefined }), { end: MIB })).toBe(false)
  })
})
