import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { ClientMemory } from '../src/memory/client-memory.ts'
import { MemoryBudget } from '../src/memory/memory-budget.ts'
import { readInTurns } from '../src/memory/read-in-turns.ts'
import { readStream } from '../src/respond/read-stream.ts'
import { addCompressed, bytesOf, get, KIB, noise, same, serve, text } from './fixtures.ts'
import type { Resumable } from '../src/memory/read-in-turns.ts'
import type { StreamSource } from '../src/respond/read-stream.ts'

const CHUNK = 1000
const CHUNKS = 1_000_000
/** Milliseconds that a source takes for a chunk. */
const READ_TIME = 40
/** How many clients can read at a time. */
const AT_ONCE = 8

/** Milliseconds after which a newcomer gives up. */
const GIVE_UP = 10_000

const NEVER = new AbortController().signal

const SOURCE: Resumable = {
  size: CHUNK * CHUNKS,
  memory: CHUNK,
  memoryAhead: CHUNK,
  open: async function * (offset) {
    for (let at = offset; at < this.size; at += CHUNK) {
      await new Promise(resolve => { setTimeout(resolve, READ_TIME) })
      yield new Uint8Array(CHUNK)
    }
  }
}

beforeEach(() => { vi.useFakeTimers() })
afterEach(() => { vi.useRealTimers() })

function readSeekable (memory: MemoryBudget): AsyncGenerator<Uint8Array> {
  return readInTurns(SOURCE, memory, NEVER)
}

function readStreamed (memory: MemoryBudget): AsyncGenerator<Uint8Array> {
  const open: StreamSource['open'] = ({ offset = 0 }, options) => SOURCE.open(offset, options)

  return readStream({ ...SOURCE, offset: 0, length: undefined, hasRanges: true, open }, memory, new AbortController())
}

/** Clients that take so many parts, and read no more then. Tells how many have had their first one. */
function clients (memory: MemoryBudget, count: number, parts: number, read = readSeekable): () => number {
  let served = 0

  for (let i = 0; i < count; i++) {
    void (async () => {
      const reader = read(memory)

      for (let part = 0; part < parts; part++) {
        await reader.next()
        served += part === 0 ? 1 : 0
      }
    })()
  }

  return () => served
}

/** How many milliseconds a new client waits for its first bytes. */
async function timeOfNewcomer (memory: MemoryBudget, read = readSeekable): Promise<number> {
  const began = performance.now()
  const isServed = clients(memory, 1, 1, read)

  while (isServed() === 0 && performance.now() - began < GIVE_UP) {
    await vi.advanceTimersByTimeAsync(5)
  }

  return performance.now() - began
}

describe('a newcomer', () => {
  it.each([100, 1000])('does not wait behind %i clients that do not read, once these have had their part', async n => {
    const memory = new MemoryBudget(AT_ONCE * CHUNK)
    const served = clients(memory, n, 1)
    await vi.advanceTimersByTimeAsync(n * 20)

    expect(served()).toBe(n)
    expect(await timeOfNewcomer(memory)).toBeLessThan(3 * READ_TIME)
  })

  it.each([300, 1000])('waits for few of %i clients that came just before', async n => {
    const memory = new MemoryBudget(AT_ONCE * CHUNK)
    const served = clients(memory, n, 1)

    // two turns, each of which ends when somebody has looked twice
    expect(await timeOfNewcomer(memory)).toBeLessThan(2 * (2 * READ_TIME + 50) + READ_TIME)
    expect(served()).toBeLessThan(30)
    await vi.advanceTimersByTimeAsync(n * 20)
    expect(served()).toBe(n)
  })

  it('waits for few of the clients of streams, which can be read only from the beginning', async () => {
    const memory = new MemoryBudget(AT_ONCE * CHUNK)
    const served = clients(memory, 300, 1, readStreamed)

    expect(await timeOfNewcomer(memory, readStreamed)).toBeLessThan(1000)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(served()).toBe(300)
    expect(memory.taken).toBeLessThanOrEqual(AT_ONCE * CHUNK)
    expect(await timeOfNewcomer(memory, readStreamed)).toBeLessThan(1000)
  })

  it('waits for few of the clients of streams that stopped after 10 MB', async () => {
    const memory = new MemoryBudget(AT_ONCE * CHUNK * 1000)
    const piece = new Uint8Array(CHUNK * 1000)
    const large = { ...SOURCE, memory: CHUNK * 1000, memoryAhead: CHUNK * 1000 }
    const open: StreamSource['open'] = async function * () {
      for (;;) {
        yield piece
      }
    }
    const read = (memory: MemoryBudget): AsyncGenerator<Uint8Array> =>
      readStream({ ...large, offset: 0, length: undefined, hasRanges: true, open }, memory, new AbortController())
    const served = clients(memory, 20, 10_000_000 / (64 * KIB), read)
    await vi.advanceTimersByTimeAsync(60_000)

    expect(served()).toBe(20)
    expect(await timeOfNewcomer(memory, read)).toBeLessThan(1000)
  })

  it('shares the processors with few decoders, however little memory they take', async () => {
    const memory = new MemoryBudget(1000 * CHUNK)
    let decoding = 0
    const open: StreamSource['open'] = async function * () {
      decoding++
      yield new Uint8Array(CHUNK)
    }
    const read = (memory: MemoryBudget): AsyncGenerator<Uint8Array> =>
      readStream({ ...SOURCE, offset: 0, length: undefined, hasRanges: true, open }, memory, new AbortController())
    clients(memory, 300, 1, read)
    await vi.advanceTimersByTimeAsync(0)

    expect(decoding).toBe(28)
  })

  it.each([100, 400])('comes before the next turns of %i clients that read', async n => {
    const memory = new MemoryBudget(AT_ONCE * CHUNK)
    const served = clients(memory, n, CHUNKS)
    await vi.advanceTimersByTimeAsync(n * 150)

    expect(served()).toBe(n)
    // a turn lasts half a second, and each second one is for those who come again
    expect(await timeOfNewcomer(memory)).toBeLessThan(2 * (500 + READ_TIME))
  })
})

/** In which order responses are granted memory that one holds at a time. */
async function orderOf (asked: readonly string[], late: readonly string[] = []): Promise<string> {
  const memory = new MemoryBudget(1)
  const granted: string[] = []
  const ask = async (client: string): Promise<void> => {
    const share = await new ClientMemory(memory, client).take(init)
    granted.push(client)

    // more come while some are served
    const more = granted.length === 10 ? late.map(ask) : []
    share.give()
    await Promise.all(more)
  }
  const init = { bytes: 1, signal: NEVER, patience: 1000, revoke: () => {} }
  const first = await memory.take(init)
  const all = asked.map(ask)
  first.give()
  await Promise.all(all)

  return granted.join('')
}

describe('a client', () => {
  it('waits for one response of each of the others, however many they ask for', async () => {
    const many = [...'aaaaaaaaaaaaaaaaaaaa', ...'bbbbbbbbbbbbbbbbbbbb']

    expect((await orderOf([...many, 'x'])).indexOf('x')).toBeLessThan(3)
    expect((await orderOf(['x', ...many])).indexOf('x')).toBeLessThan(3)
  })

  it('that comes later with many has no more turns than those that wait already', async () => {
    const order = await orderOf([...'a'.repeat(20)], [...'b'.repeat(20)])

    expect(order.slice(12, 30)).toMatch(/^(ab)+$|^(ba)+$/)
  })

  it.each([['192.0.2.1', '192.0.2.2'], ['2001:db8::1', '2001:db8:0:1::1']])(
    'is told by its address: %s is not %s',
    async (address, other) => {
      const { gateway, fs } = serve({ limits: { heldBytes: 1000 * KIB } })
      const cid = await addCompressed(fs, noise(3_000_000), 'zstd', 256 * KIB)
      const ask = (ip: string): Promise<Response> =>
        gateway(Object.assign(get(`${cid}?filename=a.bin`), { ip }))
      const order: string[] = []
      vi.useRealTimers()
      const many = Array.from({ length: 20 }, () => address)
      const asked = [...many, other, ...many].map(async ip => {
        const response = await ask(ip)
        order.push(ip)
        await response.body?.cancel()
      })
      await Promise.all(asked)

      expect(order.indexOf(other)).toBeLessThan(10)
    }
  )
})

describe('those who come again', () => {
  it('have every second turn, however many come for the first time', async () => {
    const memory = new MemoryBudget(1)
    const granted: string[] = []
    const ask = async (name: string, isReturning: boolean): Promise<void> => {
      const share = await memory.take({ bytes: 1, signal: NEVER, patience: 1000, revoke: () => {}, isReturning })
      granted.push(name)
      share.give()
    }
    const first = await memory.take({ bytes: 1, signal: NEVER, patience: 1000, revoke: () => {} })
    const asked = [ask('a', true), ask('b', true), ...['1', '2', '3', '4'].map(async name => ask(name, false))]
    first.give()
    await Promise.all(asked)

    // of the others, the last one and the first one in turn
    expect(granted).toEqual(['4', 'a', '1', 'b', '3', '2'])
  })
})

describe('a small response', () => {
  it('does not wait for those that hold the memory', async () => {
    const { gateway, fs, blockstore } = serve({ limits: { heldBytes: 1000 * KIB } })
    const bytes = noise(900 * KIB)
    const block = CID.createV1(raw.code, await sha256.digest(bytes))
    await blockstore.put(block, bytes)
    const file = text(500 * KIB)
    const cid = await addCompressed(fs, file, 'zstd', 256 * KIB)

    // nothing is revoked, as no time passes
    const held = await gateway(get(`${block}?format=raw`))
    const part = await gateway(get(`${cid}?filename=a.txt`, { range: 'bytes=300000-300099' }))
    expect(same(await bytesOf(part), file.subarray(300_000, 300_100))).toBe(true)
    await held.body?.cancel()
  })
})

describe('many clients that ask for the same file at once', () => {
  it('have its type told from its first bytes once', async () => {
    vi.useRealTimers()
    const { gateway, fs, blockstore } = serve()
    const cid = await addCompressed(fs, text(500 * KIB), 'zstd', 256 * KIB)
    const blocks = vi.spyOn(blockstore, 'get')
    await Promise.all(Array.from({ length: 20 }, async () => gateway(get(`${cid}`, {}, 'HEAD'))))

    expect(blocks.mock.calls.filter(([block]) => block.code === raw.code)).toHaveLength(1)
  })

  it('have it parsed once, if they want JSON, and not again', async () => {
    vi.useRealTimers()
    const { gateway, fs } = serve()
    const cid = await fs.addBytes(new TextEncoder().encode(JSON.stringify(['it'.repeat(50_000)])))
    const parse = vi.spyOn(JSON, 'parse')
    onTestFinished(() => { parse.mockRestore() })
    const ask = async (): Promise<number> => (await gateway(get(`${cid}?format=json`, {}, 'HEAD'))).status

    expect(new Set(await Promise.all(Array.from({ length: 20 }, ask)))).toEqual(new Set([200]))
    await ask()
    expect(parse.mock.calls.filter(([text]) => text.startsWith('["itit'))).toHaveLength(1)
  })
})
