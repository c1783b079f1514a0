import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startThread } from '../src/platform/node.ts'
import { WorkerPool } from '../src/workers/pool.ts'
import type { Program } from '../src/workers/pool.ts'
import type { Request } from '../src/workers/protocol.ts'
import type { Thread } from '../src/platform/thread.ts'

const IDLE = 1000

/** A worker that does what the test says. */
class FakeThread implements Thread {
  onMessage: Thread['onMessage'] = () => {}
  onFailure: Thread['onFailure'] = () => {}
  readonly source: string
  readonly posted: unknown[] = []
  readonly transferred: ArrayBufferLike[] = []
  ended = false
  kept = true

  constructor (source: string) {
    this.source = source
  }

  post (message: unknown, transfer: ArrayBufferLike[]): void {
    this.posted.push(message)
    this.transferred.push(...transfer)
  }

  end (): void { this.ended = true }
  keep (): void { this.kept = true }
  release (): void { this.kept = false }

  ready (): void { this.onMessage({ started: true }) }
  answer (...bytes: number[]): void { this.onMessage({ bytes: Uint8Array.of(...bytes) }) }

  /** The calls it was given, by the first byte of each. */
  get calls (): number[] {
    return this.posted.slice(1).map(message => (message as { decompress: Uint8Array }).decompress[0])
  }
}

const ZSTD: Program = { codec: 'zstd', source: 'zstd', modules: [] }
const LZ4: Program = { codec: 'lz4', source: 'lz4', modules: [] }

function request (number: number): () => Request {
  return () => ({ decompress: Uint8Array.of(number), size: 1 })
}

function create (size: number): { pool: WorkerPool, threads: FakeThread[] } {
  const threads: FakeThread[] = []
  const pool = new WorkerPool({
    size,
    idle: IDLE,
    start (source) {
      const thread = new FakeThread(source)
      threads.push(thread)

      return thread
    }
  })

  return { pool, threads }
}

describe('a pool of workers', () => {
  beforeEach(() => { vi.useFakeTimers() })
  afterEach(() => { vi.useRealTimers() })

  it('starts a worker when a call needs one, and sends the call when the worker is ready', async () => {
    const { pool, threads } = create(2)
    expect(pool.workers).toBe(0)

    const call = pool.run(ZSTD, request(1))
    expect(threads).toHaveLength(1)
    expect(threads[0].calls).toEqual([])

    threads[0].ready()
    expect(threads[0].calls).toEqual([1])
    expect(threads[0].transferred).toHaveLength(1)

    threads[0].answer(7)
    expect(await call).toEqual(Uint8Array.of(7))
  })

  it('starts at most `size` workers, and runs calls in order', async () => {
    const { pool, threads } = create(2)
    const calls = [1, 2, 3, 4].map(async number => pool.run(ZSTD, request(number)))
    threads.forEach(thread => { thread.ready() })
    expect(threads.map(({ calls }) => calls)).toEqual([[1], [2]])

    threads[1].answer(22)
    expect(threads.map(({ calls }) => calls)).toEqual([[1], [2, 3]])

    threads[1].answer(33)
    threads[0].answer(11)
    threads[1].answer(44)
    expect(await Promise.all(calls)).toEqual([11, 22, 33, 44].map(byte => Uint8Array.of(byte)))
    expect(pool.workers).toBe(2)
  })

  it('reuses an idle worker for the same program', async () => {
    const { pool, threads } = create(2)
    const first = pool.run(ZSTD, request(1))
    threads[0].ready()
    threads[0].answer(1)
    await first

    pool.run(ZSTD, request(2)).catch(() => {})
    expect(threads).toHaveLength(1)
    expect(threads[0].calls).toEqual([1, 2])
  })

  it('has workers ready for calls that were announced, and no more than there are places', async () => {
    const { pool, threads } = create(2)
    pool.prepare(ZSTD, 1)
    expect(threads).toHaveLength(1)
    // nothing runs on it yet
    expect(threads[0].kept).toBe(false)

    pool.prepare(ZSTD, Number.POSITIVE_INFINITY)
    expect(threads).toHaveLength(2)
    threads[0].ready()
    const calls = [1, 2].map(async number => pool.run(ZSTD, request(number)))
    expect(threads.map(({ calls, kept }) => [calls, kept])).toEqual([[[1], true], [[], true]])

    threads[1].ready()
    threads[0].answer(11)
    threads[1].answer(22)
    expect(await Promise.all(calls)).toEqual([Uint8Array.of(11), Uint8Array.of(22)])
    expect(threads).toHaveLength(2)
  })

  it('ends a worker that was announced and never used', () => {
    const { pool, threads } = create(2)
    pool.prepare(ZSTD, 2)
    vi.advanceTimersByTime(IDLE)

    expect(threads.map(({ ended }) => ended)).toEqual([true, true])
    expect(pool.workers).toBe(0)
  })

  it('announces calls in place of idle workers of other programs, not of busy ones', async () => {
    const { pool, threads } = create(2)
    const first = pool.run(LZ4, request(1))
    const second = pool.run(LZ4, request(2))
    threads.forEach(thread => { thread.ready() })
    threads[0].answer(1)
    await first

    pool.prepare(ZSTD, 2)
    expect(threads.map(({ source, ended }) => [source, ended]))
      .toEqual([['lz4', true], ['lz4', false], ['zstd', false]])
    threads[1].answer(2)
    expect(await second).toEqual(Uint8Array.of(2))
  })

  it('ends one idle worker of another program at most for calls that are announced', async () => {
    const { pool, threads } = create(3)
    const calls = [1, 2, 3].map(async number => pool.run(LZ4, request(number)))
    threads.forEach(thread => { thread.ready() })
    threads.forEach(thread => { thread.answer(1) })
    await Promise.all(calls)

    for (let i = 0; i < 3; i++) {
      pool.prepare(ZSTD, 3)
    }

    expect(threads.map(({ source, ended }) => [source, ended]))
      .toEqual([['lz4', true], ['lz4', false], ['lz4', false], ['zstd', false]])
    // those of two files that are read at the same time do not end each other's workers
    pool.prepare(LZ4, 3)
    expect(threads).toHaveLength(4)
  })

  it('ends no worker that was announced, and has not been used, for another announcement', () => {
    const { pool, threads } = create(2)
    pool.prepare(LZ4, 2)
    pool.prepare(ZSTD, 2)

    expect(threads.map(({ source, ended }) => [source, ended])).toEqual([['lz4', false], ['lz4', false]])
  })

  it('leaves it to the calls if a worker that was announced does not start', async () => {
    const start = vi.fn(() => { throw new Error('not allowed') })
    const pool = new WorkerPool({ size: 2, idle: IDLE, start })
    pool.prepare(ZSTD, 2)
    expect(start).toHaveBeenCalledTimes(1)

    const { pool: other, threads } = create(1)
    other.prepare(ZSTD, 1)
    const call = other.run(ZSTD, request(1))
    threads[0].onFailure(new Error('blocked by a policy'))
    await expect(call).rejects.toMatchObject({ name: 'WorkersUnavailableError' })
  })

  it('announces nothing once no worker can be started', async () => {
    const start = vi.fn(() => { throw new Error('not allowed') })
    const pool = new WorkerPool({ size: 1, idle: IDLE, start })

    for (const call of [1, 2, 3].map(async number => pool.run(ZSTD, request(number)))) {
      await expect(call).rejects.toMatchObject({ name: 'WorkersUnavailableError' })
    }

    pool.prepare(ZSTD, 1)
    expect(start).toHaveBeenCalledTimes(3)
  })

  it('ends an idle worker if another program needs its place', async () => {
    const { pool, threads } = create(1)
    const first = pool.run(ZSTD, request(1))
    const second = pool.run(LZ4, request(2))
    threads[0].ready()
    expect(threads).toHaveLength(1)

    threads[0].answer(1)
    await first
    expect(threads[0].ended).toBe(true)
    expect(threads[1].source).toBe('lz4')
    threads[1].ready()
    threads[1].answer(2)
    expect(await second).toEqual(Uint8Array.of(2))
  })

  it('ends the worker that has been idle longest', async () => {
    const { pool, threads } = create(2)
    const calls = [pool.run(ZSTD, request(1)), pool.run(LZ4, request(2))]
    threads.forEach(thread => { thread.ready() })
    threads[1].answer(2)
    threads[0].answer(1)
    await Promise.all(calls)

    pool.run({ codec: 'gzip', source: 'gzip', modules: [] }, request(3)).catch(() => {})
    expect(threads.map(({ source, ended }) => [source, ended]))
      .toEqual([['zstd', false], ['lz4', true], ['gzip', false]])
  })

  it('ends a worker after some idle time, but not if it has been used since', async () => {
    const { pool, threads } = create(1)
    const first = pool.run(ZSTD, request(1))
    threads[0].ready()
    threads[0].answer(1)
    await first
    expect(threads[0].kept).toBe(false)

    vi.advanceTimersByTime(IDLE - 1)
    const second = pool.run(ZSTD, request(2))
    expect(threads[0].kept).toBe(true)
    vi.advanceTimersByTime(10 * IDLE)
    expect(threads[0].ended).toBe(false)

    threads[0].answer(2)
    await second
    vi.advanceTimersByTime(IDLE)
    expect(threads[0].ended).toBe(true)
    expect(pool.workers).toBe(0)
  })

  it('rejects with the error of the worker, and keeps the worker', async () => {
    const { pool, threads } = create(1)
    const call = pool.run(ZSTD, request(1))
    threads[0].ready()
    threads[0].onMessage({ failure: 'it is cut short', name: 'Error' })

    await expect(call).rejects.toThrow('it is cut short')
    expect(threads[0].ended).toBe(false)
  })

  it('removes an aborted call from the queue', async () => {
    const { pool, threads } = create(1)
    const controller = new AbortController()
    const first = pool.run(ZSTD, request(1))
    const second = pool.run(ZSTD, request(2), controller.signal)
    const third = pool.run(ZSTD, request(3))
    threads[0].ready()

    const reason = new Error('no longer wanted')
    controller.abort(reason)
    await expect(second).rejects.toBe(reason)

    threads[0].answer(1)
    threads[0].answer(3)
    await Promise.all([first, third])
    expect(threads[0].calls).toEqual([1, 3])
    expect(threads).toHaveLength(1)
  })

  it('ends the worker of an aborted running call, and starts another for the next call', async () => {
    const { pool, threads } = create(1)
    const controller = new AbortController()
    const first = pool.run(ZSTD, request(1), controller.signal)
    const second = pool.run(ZSTD, request(2))
    threads[0].ready()

    controller.abort()
    await expect(first).rejects.toMatchObject({ name: 'AbortError' })
    expect(threads[0].ended).toBe(true)

    threads[1].ready()
    threads[1].answer(2)
    expect(await second).toEqual(Uint8Array.of(2))
  })

  it('starts no worker for a call that is already aborted', async () => {
    const { pool, threads } = create(1)

    await expect(pool.run(ZSTD, request(1), AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
    expect(threads).toHaveLength(0)
  })

  it('rejects the call of a worker that crashes, and replaces the worker', async () => {
    const { pool, threads } = create(1)
    const first = pool.run(ZSTD, request(1))
    const second = pool.run(ZSTD, request(2))
    threads[0].ready()

    const cause = new Error('out of memory')
    threads[0].onFailure(cause)
    await expect(first).rejects.toMatchObject({ name: 'WorkerCrashedError', codec: 'zstd', cause })

    expect(threads[0].ended).toBe(true)
    threads[1].ready()
    threads[1].answer(2)
    expect(await second).toEqual(Uint8Array.of(2))
  })

  it('refuses every call if no worker can be started, and stops trying after 3 failures', async () => {
    const start = vi.fn(() => { throw new Error('not allowed') })
    const pool = new WorkerPool({ size: 1, idle: IDLE, start })

    for (const call of [1, 2, 3, 4, 5].map(async number => pool.run(ZSTD, request(number)))) {
      await expect(call).rejects.toMatchObject({ name: 'WorkersUnavailableError' })
    }

    expect(start).toHaveBeenCalledTimes(3)
  })

  it('starts another worker after a failed start', async () => {
    const { pool, threads } = create(1)
    const first = pool.run(ZSTD, request(1))
    const second = pool.run(ZSTD, request(2))
    threads[0].onFailure(new Error('no memory'))
    await expect(first).rejects.toMatchObject({ name: 'WorkersUnavailableError' })

    threads[1].ready()
    threads[1].answer(2)
    expect(await second).toEqual(Uint8Array.of(2))
  })

  it('starts no workers for calls that one signal aborts together', async () => {
    const { pool, threads } = create(2)
    const controller = new AbortController()
    const calls = Array.from({ length: 100 }, async (_, number) => pool.run(ZSTD, request(number), controller.signal))
    const other = pool.run(ZSTD, request(200))
    threads.forEach(thread => { thread.ready() })
    controller.abort()

    for (const call of calls) {
      await expect(call).rejects.toMatchObject({ name: 'AbortError' })
    }

    expect(threads.map(({ ended }) => ended)).toEqual([true, true, false])
    threads[2].ready()
    threads[2].answer(2)
    expect(await other).toEqual(Uint8Array.of(2))
  })

  it('refuses only the calls whose program does not start in a worker', async () => {
    const { pool, threads } = create(1)
    const first = pool.run(ZSTD, request(1))
    const second = pool.run(LZ4, request(2))
    threads[0].onMessage({ started: false, reason: 'no memory' })

    await expect(first)
      .rejects.toMatchObject({ name: 'WorkersUnavailableError', message: expect.stringContaining('no memory') })
    expect(threads[0].ended).toBe(true)
    threads[1].ready()
    threads[1].answer(2)
    expect(await second).toEqual(Uint8Array.of(2))
  })

  it('ignores messages from an ended worker', async () => {
    const { pool, threads } = create(1)
    const controller = new AbortController()
    const first = pool.run(ZSTD, request(1), controller.signal)
    threads[0].ready()
    controller.abort()
    threads[0].answer(1)
    await expect(first).rejects.toMatchObject({ name: 'AbortError' })

    const second = pool.run(ZSTD, request(2))
    expect(threads).toHaveLength(2)
    threads[1].ready()
    threads[1].answer(2)
    expect(await second).toEqual(Uint8Array.of(2))
  })

  it('does not transfer the bytes of a call whose worker never started', async () => {
    const { pool, threads } = create(1)
    const made = vi.fn(request(1))
    const call = pool.run(ZSTD, made)
    threads[0].onFailure(new Error('blocked by a policy'))

    await expect(call).rejects.toMatchObject({ name: 'WorkersUnavailableError' })
    expect(made).not.toHaveBeenCalled()
    expect(threads[0].ended).toBe(true)
  })

  it('rejects a call whose request cannot be made, and runs the next one', async () => {
    const { pool, threads } = create(1)
    const first = pool.run(ZSTD, () => { throw new RangeError('no memory') })
    const second = pool.run(ZSTD, request(2))
    threads[0].ready()

    await expect(first).rejects.toThrow(RangeError)
    threads[0].answer(2)
    expect(await second).toEqual(Uint8Array.of(2))
    expect(threads).toHaveLength(1)
  })
})

function program (source: string): Program {
  return { codec: 'test', source, modules: [] }
}

describe('Node worker threads', () => {
  const ECHO = `
    let started = false
    self.addEventListener('message', ({ data }) => {
      if (!started) { started = true; self.postMessage({ started: true }) }
      else if (data.decompress[0] === 0) throw new Error('crashed')
      else if (data.decompress[0] === 1) process.exit(3)
      else self.postMessage({ bytes: data.decompress }, [data.decompress.buffer])
    })`
  const pool = new WorkerPool({ size: 2, idle: IDLE, start: startThread })

  it('answer calls', async () => {
    expect(await pool.run(program(ECHO), request(5))).toEqual(Uint8Array.of(5))
  })

  it.each([['throw', 0], ['exit', 1]])('reject their call if they %s, and are replaced', async (_, byte) => {
    await expect(pool.run(program(ECHO), request(byte)))
      .rejects.toMatchObject({ name: 'WorkerCrashedError', codec: 'test' })
    expect(await pool.run(program(ECHO), request(6))).toEqual(Uint8Array.of(6))
  })

  it('are ended when their running call is aborted', async () => {
    const controller = new AbortController()
    const endless = program(`
      let started = false
      self.addEventListener(
        'message',
        () => { if (started) { for (;;) {} } started = true; self.postMessage({ started: true }) }
      )`)
    const calls = [1, 2].map(async number => pool.run(endless, request(number), controller.signal))

    // waits until one of the two places in the pool is free
    const next = pool.run(program(ECHO), request(7))
    controller.abort()

    for (const call of calls) {
      await expect(call).rejects.toMatchObject({ name: 'AbortError' })
    }

    expect(await next).toEqual(Uint8Array.of(7))
  })

  it('refuse calls if their program does not start', async () => {
    const broken = new WorkerPool({ size: 2, idle: IDLE, start: startThread })

    await expect(broken.run(program('throw new Error()'), request(1)))
      .rejects.toMatchObject({ name: 'WorkersUnavailableError' })
  })
})
