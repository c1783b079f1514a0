import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { MemoryBudget } from '../src/memory/memory-budget.ts'
import { readStream } from '../src/respond/read-stream.ts'
import { KIB, noise, same } from './fixtures.ts'
import type { StreamSource } from '../src/respond/read-stream.ts'

const MIB = 1024 * KIB
const CHUNK = 256 * KIB
const BYTES = noise(9 * MIB)

const NEVER = new AbortController().signal

interface Opened {
  source: StreamSource
  /** What was asked for, each time. */
  ranges: Array<{ offset?: number, length?: number }>
}

function streamOf (bytes: Uint8Array, more: Partial<StreamSource> = {}): Opened {
  const ranges: Opened['ranges'] = []
  const source: StreamSource = {
    memory: CHUNK,
    memoryAhead: CHUNK,
    offset: 0,
    length: undefined,
    hasRanges: true,
    open: async function * (range, { signal }) {
      ranges.push(range)
      const { offset = 0, length = Infinity } = range
      const end = Math.min(bytes.byteLength, offset + length)

      for (let at = offset; at < end; at += CHUNK) {
        signal.throwIfAborted()
        yield bytes.subarray(at, Math.min(at + CHUNK, end))
      }
    },
    ...more
  }

  return { source, ranges }
}

/** A budget of which so much is taken that nothing is read ahead. */
async function shortMemory (): Promise<MemoryBudget> {
  const memory = new MemoryBudget(8 * CHUNK)
  await memory.take({ bytes: 5 * CHUNK, signal: new AbortController().signal, patience: 2 ** 30, revoke: () => {} })

  return memory
}

function fakeTime (): void {
  vi.useFakeTimers()
  onTestFinished(() => { vi.useRealTimers() })
}

describe('a stream that is read while memory is short', () => {
  it.each([
    ['that is long', BYTES],
    ['that is short', BYTES.subarray(0, 3 * MIB + 5)],
    ['that is empty', BYTES.subarray(0, 0)]
  ])('%s is whole', async (_, bytes) => {
    for (const range of [{}, { offset: 1000, length: 100 * KIB }, { offset: 7, length: 8 * MIB }]) {
      const { offset = 0, length = Infinity } = range

      if (offset + length <= bytes.byteLength || length === Infinity) {
        const { source } = streamOf(bytes, range)
        const read = await Array.fromAsync(readStream(source, await shortMemory(), new AbortController()))
        expect(same(Buffer.concat(read), bytes.subarray(offset, offset + length))).toBe(true)
      }
    }
  })

  it('is opened once if memory is not short, without a range', async () => {
    const { source, ranges } = streamOf(BYTES)
    const read = await Array.fromAsync(readStream(source, new MemoryBudget(1000 * CHUNK), new AbortController()))

    expect(same(Buffer.concat(read), BYTES)).toBe(true)
    expect(ranges).toEqual([{}])
  })

  it('begins anew for a client that stopped, with what it does not have yet', async () => {
    fakeTime()
    const { source, ranges } = streamOf(BYTES)
    const busy = await shortMemory()
    const stopping = readStream(source, busy, new AbortController())
    const { value: first } = await stopping.next()
    const other = busy.take({ bytes: 3 * CHUNK, signal: new AbortController().signal, patience: 1, revoke: () => {} })
    await vi.advanceTimersByTimeAsync(1000)
    // the other one has the memory, and nobody has failed
    const share = await other
    share.give()
    const rest = await Array.fromAsync(stopping)

    expect(same(Buffer.concat([first ?? new Uint8Array(0), ...rest]), BYTES)).toBe(true)
    expect(ranges).toEqual([{}, { offset: 64 * KIB }])
  })

  it('keeps its decoder for a client that stops again and again, and fails it if it stops for long', async () => {
    fakeTime()
    const at = 70 * MIB
    const piece = noise(64 * KIB)
    const { source, ranges } = streamOf(BYTES, {
      open: async function * ({ offset = 0 }) {
        ranges.push({ offset })

        for (;;) {
          yield piece
        }
      }
    })
    const memory = await shortMemory()
    const client = new AbortController()
    const reader = readStream(source, memory, client)
    const read = async (): Promise<unknown> => reader.next()
    const stop = async (): Promise<void> => {
      const other = memory.take({ bytes: 3 * CHUNK, signal: NEVER, patience: 1, revoke: () => {} })
      await vi.advanceTimersByTimeAsync(1000)
      // nobody waits for those who stopped
      const share = await other
      share.give()
    }

    for (let sent = 0; sent < at; sent += piece.byteLength) {
      await read()
    }

    // twice as much as was sent, and 64 MiB
    for (let stops = 0; stops < 2; stops++) {
      await stop()
      await read()
    }

    expect(ranges).toHaveLength(3)
    await stop()
    await read()
    const waiting = memory.take({ bytes: 3 * CHUNK, signal: NEVER, patience: 1, revoke: () => {} })
    await vi.advanceTimersByTimeAsync(9000)
    expect(client.signal.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(2000)
    expect(client.signal.reason).toMatchObject({ name: 'ResponseTooSlowError' })
    await waiting
  })

  it('is read as a whole if it has no ranges', async () => {
    const { source, ranges } = streamOf(BYTES, { hasRanges: false })
    const read = await Array.fromAsync(readStream(source, await shortMemory(), new AbortController()))
    expect(same(Buffer.concat(read), BYTES)).toBe(true)
    expect(ranges).toEqual([{}])
  })
})
