/** @module-tag long */
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createGateway } from '../src/index.ts'
import { MemoryBudget } from '../src/memory/memory-budget.ts'
import { readInTurns } from '../src/memory/read-in-turns.ts'
import { passInTurns, passThrough } from '../src/memory/turns.ts'
import { addCompressed, bytesOf, get, KIB, noise, openingWith, same, serve, text } from './fixtures.ts'
import type { Resumable } from '../src/memory/read-in-turns.ts'
import type { OpenOptions } from '../src/memory/reading.ts'
import type { Ipfsz } from '@ipfsz/core'

/** The clock that the tests do not set. */
const { setInterval: realInterval, clearInterval: stopInterval } = globalThis

const BYTES = noise(1000 * KIB)
const CHUNK = 100 * KIB

const NEVER = new AbortController().signal

/** A source of chunks that counts what it holds. */
class Source implements Resumable {
  readonly size = BYTES.byteLength
  readonly opened: number[] = []
  active = 0
  readonly memory = CHUNK
  readonly memoryAhead = 3 * CHUNK

  async * open (offset: number, { signal }: Pick<OpenOptions, 'signal'>): AsyncGenerator<Uint8Array> {
    this.opened.push(offset)
    this.active++

    try {
      for (let i = offset; i < this.size; i += CHUNK) {
        signal.throwIfAborted()
        yield BYTES.subarray(i, i + CHUNK)
      }
    } finally {
      this.active--
    }
  }
}

describe('reading in turns', () => {
  const client = new AbortController().signal

  beforeEach(() => { vi.useFakeTimers() })
  afterEach(() => { vi.useRealTimers() })

  it('opens the source once while there is memory, and passes its chunks on', async () => {
    const source = new Source()
    const chunks = await Array.fromAsync(readInTurns(source, new MemoryBudget(1000 * CHUNK), client))

    expect(chunks).toHaveLength(10)
    expect(chunks[1].buffer).toBe(BYTES.buffer)
    expect(source.opened).toEqual([0])
  })

  it('lets all clients read on, and keeps little for those that do not read', async () => {
    const memory = new MemoryBudget(4 * CHUNK)
    const sources = Array.from({ length: 20 }, () => new Source())
    const readers = sources.map(source => readInTurns(source, memory, client))
    const firsts = readers.map(async reader => reader.next())

    // nobody reads on, but each gets its first bytes
    await vi.advanceTimersByTimeAsync(60_000)
    const parts = await Promise.all(firsts)
    expect(memory.taken).toBeLessThanOrEqual(4 * CHUNK)
    expect(sources.filter(({ active }) => active > 0).length).toBeLessThanOrEqual(4)
    // those that came when memory was short hold a copy of a small part
    expect(parts.filter(({ value }) => value?.buffer !== BYTES.buffer && value?.buffer.byteLength <= 64 * KIB).length)
      .toBeGreaterThan(15)

    for (const [i, reader] of readers.entries()) {
      const rest = Array.fromAsync(reader)
      await vi.advanceTimersByTimeAsync(60_000)
      expect(same(Buffer.concat([parts[i].value ?? new Uint8Array(0), ...await rest]), BYTES)).toBe(true)
    }

    expect(memory.taken).toBe(0)
  })

  it('ends with a source that is shorter than it says, and fails with one that fails', async () => {
    const memory = new MemoryBudget(CHUNK)
    const short: Resumable = {
      size: 10,
      memory: 1,
      memoryAhead: 1,
      open: async function * () { yield new Uint8Array(9) }
    }
    let opened = 0
    const once: Resumable = {
      ...short,
      open: async function * () {
        if (opened++ === 0) {
          yield new Uint8Array(9)
        }
      }
    }
    const failing: Resumable = { ...short, open: () => { throw new Error('failed') } }

    expect(Buffer.concat(await Array.fromAsync(readInTurns(once, memory, client)))).toHaveLength(9)
    await expect(Array.fromAsync(readInTurns(failing, memory, client))).rejects.toThrow('failed')
    expect(memory.taken).toBe(0)
  })

  it('gives a client ten seconds for what it was sent, if nothing of it can be dropped', async () => {
    const memory = new MemoryBudget(CHUNK)
    const unneeded = new AbortController()
    const init = { bytes: CHUNK, memory, unneeded }
    const slow = passInTurns(new Source().open(0, { signal: client }), { ...init, drop: () => false })
    await slow.next()
    const others = new AbortController()
    const other = passInTurns(new Source().open(0, { signal: client }), { ...init, unneeded: others })
    const waiting = other.next()

    await vi.advanceTimersByTimeAsync(5000)
    expect(unneeded.signal.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(15_000)
    expect(unneeded.signal.reason).toMatchObject({ name: 'ResponseTooSlowError' })
    await slow.return(undefined)
    await waiting
    await other.return(undefined)
  })

  it('fails what can be read only once, if its client is slow while others wait', async () => {
    const memory = new MemoryBudget(CHUNK)
    const unneeded = new AbortController()
    const slow = passInTurns(new Source().open(0, { signal: client }), { bytes: CHUNK, memory, unneeded })
    await slow.next()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(unneeded.signal.aborted).toBe(false)

    const others = new AbortController()
    const other = passInTurns(new Source().open(0, { signal: client }), { bytes: CHUNK, memory, unneeded: others })
    const first = other.next()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(unneeded.signal.reason).toMatchObject({ name: 'ResponseTooSlowError' })
    expect((await first).value).toHaveLength(64 * KIB)
    await other.return(undefined)
    expect(memory.taken).toBe(0)
  })

  it('leaves half of the memory to others, whatever is held by what can be read only once', async () => {
    const memory = new MemoryBudget(8 * CHUNK)
    const streams = Array.from({ length: 20 }, () => new Source())
    const ends = streams.map(() => new AbortController())
    const firsts = streams.map(async (source, i) => {
      const read = (how: OpenOptions): AsyncIterable<Uint8Array> => source.open(0, how)

      return passThrough(read, source, memory, ends[i]).next()
    })
    await vi.advanceTimersByTimeAsync(1000)
    expect(memory.taken).toBeLessThanOrEqual(4 * CHUNK)

    const file = readInTurns(new Source(), memory, client)
    expect((await file.next()).value).toHaveLength(64 * KIB)
    await file.return(undefined)

    // nobody reads on: each makes room for others after some time
    await vi.advanceTimersByTimeAsync(240_000)
    expect(await Promise.allSettled(firsts)).toHaveLength(20)
    expect(ends.filter(({ signal }) => signal.aborted).length).toBeGreaterThanOrEqual(16)
    expect(memory.taken).toBeLessThanOrEqual(4 * CHUNK)
  })

  it('lets a client that reads what can be read only once at a fair rate have it all', async () => {
    const memory = new MemoryBudget(2 * CHUNK)
    const unneeded = new AbortController()
    const source = new Source()
    const open = (how: OpenOptions): AsyncIterable<Uint8Array> => source.open(0, how)
    const steady = passThrough(open, source, memory, unneeded)
    let { value } = await steady.next()
    let length = 0
    const other = passThrough(open, source, memory, new AbortController()).next()

    while (value != null) {
      length += value.byteLength
      await vi.advanceTimersByTimeAsync(value.byteLength / 64)
      value = (await steady.next()).value
    }

    expect(length).toBe(BYTES.byteLength)
    await vi.advanceTimersByTimeAsync(1000)
    expect((await other).done).toBe(false)
  })
})

describe('the links that a reader holds', () => {
  it('count besides what it reads, and make room for others', async () => {
    const memory = new MemoryBudget(4 * CHUNK)
    const deep: Resumable = {
      ...new Source(),
      memoryAhead: CHUNK,
      open: async function * (offset, { onOpenLinks }) {
        onOpenLinks(5 * CHUNK)
        yield BYTES.subarray(offset)
        onOpenLinks(-5 * CHUNK)
      }
    }
    const readers = [deep, deep].map(source => readInTurns({ ...source, size: BYTES.byteLength }, memory, NEVER))
    await readers[0].next()
    expect(memory.taken).toBe(6 * CHUNK)

    // two are far too much: the larger one begins anew later
    const second = readers[1].next()
    await readers[0].next()
    await second
    expect(memory.taken).toBeLessThanOrEqual(7 * CHUNK)
    await Promise.all(readers.map(async reader => reader.return(undefined)))
    expect(memory.taken).toBe(0)
  })
})

describe('a gateway', () => {
  it.each([
    ['frames', async (fs: Ipfsz, bytes: Uint8Array) => addCompressed(fs, bytes, 'zstd', 128 * KIB)],
    ['a single frame', async (fs: Ipfsz, bytes: Uint8Array) => addCompressed(fs, bytes, 'zstd', 2048 * KIB)],
    ['a base', async (fs: Ipfsz, bytes: Uint8Array) => {
      const earlier = bytes.map((byte, i) => i % 50_000 === 0 ? byte ^ 1 : byte)
      const base = await addCompressed(fs, earlier, 'zstd', 512 * KIB)

      return fs.addBytes(bytes, { compression: { codec: 'zstd', detect: false, base, frameSize: 64 * KIB } })
    }]
  ])('reads a file of %s for few clients at a time if they do not read, however many there are', {
    tags: 'slow'
  }, async (_, add) => {
    const { fs, blockstore } = serve()
    const bytes = text(2000 * KIB)
    const cid = await add(fs, bytes)
    const { memory: heldBytes } = await (await fs.open(cid)).readCost()
    let reading = 0
    const gateway = createGateway({
      blocks: blockstore,
      fs: openingWith(fs, async function * (file, options) {
        reading++

        try {
          yield * file.read(options)
        } finally {
          reading--
        }
      })
    }, { limits: { heldBytes: heldBytes * 2 } })
    const answers = await Promise.all(Array.from({ length: 6 }, async () => gateway(get(`${cid}?filename=a.txt`))))

    expect(reading).toBeLessThan(3)

    for (const answer of answers) {
      expect(same(await bytesOf(answer), bytes)).toBe(true)
    }

    expect(reading).toBe(0)
  })

  it.each(['raw', 'car'])('lets go of a block of %s that a client does not take, and reads it again', async format => {
    // on a busy machine hours pass here until it is answered
    const limits = { heldBytes: 1000 * KIB, startTimeout: 2 ** 30, stallTimeout: 2 ** 30 }
    const { gateway, blockstore } = serve({ limits })
    const bytes = noise(900 * KIB)
    const cid = CID.createV1(raw.code, await sha256.digest(bytes))
    await blockstore.put(cid, bytes)
    const expected = await bytesOf(await gateway(get(`${cid}?format=${format}`)))
    const gets = vi.spyOn(blockstore, 'get')
    const slow = await gateway(get(`${cid}?format=${format}`))
    const reader = (slow.body as ReadableStream<Uint8Array>).getReader()
    const parts = [(await reader.read()).value, (await reader.read()).value]
    const reads = gets.mock.calls.length
    vi.useFakeTimers()
    onTestFinished(() => { vi.useRealTimers() })

    // as the one who waits may be late, time passes until it is answered
    const passing = realInterval(() => { vi.advanceTimersByTime(50) }, 1)
    onTestFinished(() => { stopInterval(passing) })
    expect(same(await bytesOf(await gateway(get(`${cid}?format=${format}`))), expected)).toBe(true)

    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(part.value)
    }

    expect(same(Buffer.concat(parts.map(part => part ?? new Uint8Array(0))), expected)).toBe(true)
    // by the other one, and for the rest of this one
    expect(gets.mock.calls.length).toBeGreaterThanOrEqual(reads + 2)
  })
})
