import { afterEach, describe, expect, it } from 'vitest'
import { ThreadPool, threadProgram } from '../src/threads/thread-pool.ts'
import type { EchoRequest } from './echo.thread.ts'
import type { Thread } from '../src/threads/thread-pool.ts'

const program = threadProgram('echo.thread', import.meta.url)
const pools: ThreadPool[] = []

function poolOf (size: number): ThreadPool {
  const pool = new ThreadPool({ program, size })
  pools.push(pool)

  return pool
}

async function echo (thread: Thread, ...bytes: number[]): Promise<number[]> {
  const sent = Uint8Array.from(bytes)

  return Array.from(await thread.call<EchoRequest, Uint8Array>({ echo: sent }, [sent.buffer]))
}

async function call (thread: Thread, request: EchoRequest): Promise<unknown> {
  return thread.call(request)
}

afterEach(async () => {
  await Promise.all(pools.splice(0).map(async pool => pool.close()))
})

describe('worker threads', () => {
  it('answer calls in order', async () => {
    const thread = poolOf(1).thread()

    expect(await Promise.all([echo(thread, 1), echo(thread, 2), echo(thread, 3)])).to.deep.equal([[1], [2], [3]])
  })

  it('take over the memory of a call, and give that of the answer', async () => {
    const sent = Uint8Array.of(1, 2, 3)
    const answer = poolOf(1).thread().call<EchoRequest, Uint8Array>({ echo: sent }, [sent.buffer])

    expect(sent.byteLength).to.equal(0)
    expect(Array.from(await answer)).to.deep.equal([1, 2, 3])
  })

  it('are as many as the pool may have, and the one with the fewest calls is next', async () => {
    const pool = poolOf(2)
    const first = pool.thread()
    const answers = [echo(first, 1), echo(first, 2)]
    const second = pool.thread()
    answers.push(echo(second, 3))

    expect(second).not.to.equal(first)
    expect(pool.thread()).to.equal(second)
    await Promise.all(answers)
  })

  it('are left out if they are not to be taken, however few calls they have', async () => {
    const pool = poolOf(2)
    const first = pool.thread()
    const second = pool.thread(new Set([first]))
    const answers = [echo(second, 1), echo(second, 2)]

    expect(second).not.to.equal(first)
    expect(pool.thread(new Set([first]))).to.equal(second)
    await Promise.all(answers)
  })

  it('report what the program throws, and go on', async () => {
    const thread = poolOf(1).thread()

    await expect(call(thread, { fail: 'no' })).rejects.toMatchObject({
      name: 'ThreadFailedError', cause: { name: 'RangeError', message: 'no' }
    })
    expect(await echo(thread, 4)).to.deep.equal([4])
  })

  it('that end fail the calls that they have, and those that come', async () => {
    const thread = poolOf(1).thread()
    const calls = [call(thread, { exit: 3 }), echo(thread, 1)]

    for (const result of await Promise.allSettled(calls)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { name: 'ThreadFailedError' } })
    }

    await expect(echo(thread, 2)).rejects.toMatchObject({ name: 'ThreadFailedError' })
  })

  it('that run out of memory fail their calls, and the process goes on', async () => {
    const thread = new ThreadPool({ program, size: 1, memory: 16 })
    pools.push(thread)

    await expect(call(thread.thread(), { fill: true })).rejects.toMatchObject({
      name: 'ThreadFailedError', cause: { code: 'ERR_WORKER_OUT_OF_MEMORY' }
    })
  })

  it('of a program that is not there fail their calls', async () => {
    const pool = new ThreadPool({ program: threadProgram('missing.thread', import.meta.url), size: 1 })
    pools.push(pool)

    await expect(echo(pool.thread(), 1)).rejects.toMatchObject({ name: 'ThreadFailedError' })
  })

  it('end with the pool, and fail the calls that they have', async () => {
    const pool = poolOf(1)
    const answer = call(pool.thread(), { fill: true })
    const closed = pool.close()

    await expect(answer).rejects.toMatchObject({ name: 'ThreadFailedError' })
    await closed
  })
})
