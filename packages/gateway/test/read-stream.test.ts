import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { MemoryBudget } from '../src/memory/memory-budget.ts'
import { readStream } from '../src/respond/read-stream.ts'
import { KIB, noise, same } from './fixtures.ts'
import type { StreamSource } from '../src/respond/read-stream.ts'

const MIB = 1024 * KIB
const CHUNK = 256 * KIB
const BYTES = noise(9 * MIB)

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
    canRestart: true,
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
    ['that is longer than what is read in turns', BYTES],
    ['of just as many bytes', BYTES.subarray(0, 8 * MIB)],
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
    expect(ranges).toEqual([
      { offset: 0, length: 8 * MIB },
      { offset: 64 * KIB, length: 8 * MIB - 64 * KIB },
      { offset: 8 * MIB }
    ])
  })

  it('is read as a whole if it may not be read from anywhere', async () => {
    const never = streamOf(BYTES, { canRestart: false })
    const read = await Array.fromAsync(readStream(never.source, await shortMemory(), new AbortController()))
    expect(same(Buffer.concat(read), BYTES)).toBe(true)
    expect(never.ranges).toEqual([{}])

    const unchecked = Object.assign(new Error('unchecked'), { name: 'UncheckedLinkError' })
    const { source } = streamOf(BYTES)
    const refusing: StreamSource = {
      ...source,
      open: (range, how) => {
        if (range.length != null) {
          throw unchecked
        }

        return source.open(range, how)
      }
    }
    const whole = await Array.fromAsync(readStream(refusing, await shortMemory(), new AbortController()))
    expect(same(Buffer.concat(whole), BYTES)).toBe(true)
  })
})
