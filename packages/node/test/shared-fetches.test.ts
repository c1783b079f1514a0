import { once } from 'node:events'
import { FetchStalledError } from '@ipfsz/core'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { MAX_RECENT_BYTES, RecentBlocks } from '../src/gateway/recent-blocks.ts'
import { SharedFetches } from '../src/gateway/shared-fetches.ts'
import { makeBlock, makeBlocks } from './nodes.ts'
import type { BlockSource, SourceBlock, SourceOptions } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'
import type { SharedBlock } from '../src/gateway/shared-fetches.ts'

const PEER = '12D3KooWEsKGiTKJKz6WAJcYhs9C2n2Fwbf8Mo4AiZyF72H8P1gQ'
const [wanted, rootA, rootB] = await makeBlocks(3)
const block = { bytes: wanted.bytes, sender: PEER }

/** Fetches that end when the test says so. */
function make (): { fetches: Fetches, asked: Asked[] } {
  const asked: Asked[] = []
  const source: BlockSource = {
    fetch: async (_, options) => {
      const answer = Promise.withResolvers<SourceBlock>()
      asked.push({ ...options, answer: answer.resolve, fail: answer.reject })
      options.signal.addEventListener('abort', () => { answer.reject(options.signal.reason) })

      return answer.promise
    }
  }
  const shared = new SharedFetches(new RecentBlocks())

  return { fetches: { fetch: async (cid, options) => shared.fetch(cid, source, options) }, asked }
}

interface Fetches {
  fetch: (cid: CID, options: SourceOptions) => Promise<SharedBlock>
}

interface Asked extends SourceOptions {
  answer: (block: SourceBlock) => void
  fail: (err: unknown) => void
}

function options (init: Partial<SourceOptions> = {}): SourceOptions {
  return { root: rootA.cid, signal: new AbortController().signal, ...init }
}

afterEach(() => { vi.useRealTimers() })

describe('fetches that requests share', () => {
  it('fetches a block once for all who want it at once, whatever their roots', async () => {
    const { fetches, asked } = make()
    const results = [rootA, rootA, rootB].map(async ({ cid: root }) => fetches.fetch(wanted.cid, options({ root })))

    asked[0].answer(block)

    for (const result of results) {
      await expect(result).resolves.toEqual({ ...block, fetched: true })
    }
    expect(asked).toHaveLength(1)
  })

  it('does not wait for a block when the request ends while its source is asked', async () => {
    const request = new AbortController()
    const gone = new Error('gone')
    let fetchSignal: AbortSignal | undefined
    const source: Pick<BlockSource, 'fetch'> = {
      fetch: async (_, { signal }) => {
        fetchSignal = signal
        request.abort(gone)

        return new Promise(() => {})
      }
    }
    const shared = new SharedFetches(new RecentBlocks())

    await expect(shared.fetch(wanted.cid, source, options({ signal: request.signal }))).rejects.toBe(gone)
    // nobody waits for it
    expect(fetchSignal?.aborted).toBe(true)
  })

  it('goes on for the others when the first request is aborted', async () => {
    const { fetches, asked } = make()
    const first = new AbortController()
    const gone = new Error('gone')
    const [a, b] = [fetches.fetch(wanted.cid, options({ signal: first.signal })), fetches.fetch(wanted.cid, options())]

    first.abort(gone)
    await expect(a).rejects.toBe(gone)
    expect(asked[0].signal.aborted).toBe(false)
    asked[0].answer(block)

    await expect(b).resolves.toMatchObject({ fetched: true })
    expect(asked).toHaveLength(1)
  })

  it('ends a fetch that nobody waits for any more, with an AbortError, and begins another for the next', async () => {
    const { fetches, asked } = make()
    const both = new AbortController()
    const signal = both.signal
    const results = [fetches.fetch(wanted.cid, options({ signal })), fetches.fetch(wanted.cid, options({ signal }))]

    both.abort(new Error('gone'))
    await expect(Promise.allSettled(results)).resolves.toMatchObject([{ status: 'rejected' }, { status: 'rejected' }])
    expect(asked[0].signal.reason).toMatchObject({ name: 'AbortError' })

    const next = fetches.fetch(wanted.cid, options())
    asked[1].answer(block)
    await expect(next).resolves.toMatchObject({ fetched: true })
  })

  it('hands out a block that has just arrived, and fetches nothing', async () => {
    const { fetches, asked } = make()
    const first = fetches.fetch(wanted.cid, options())
    asked[0].answer(block)
    await first

    await expect(fetches.fetch(wanted.cid, options({ root: rootB.cid }))).resolves.toEqual({ ...block, fetched: false })
    expect(asked).toHaveLength(1)
  })

  it('tries again for a request that searches, when the one it joined did not', async () => {
    const { fetches, asked } = make()
    const [a, b] = [fetches.fetch(wanted.cid, options()), fetches.fetch(wanted.cid, options())]

    asked[0].fail(new FetchStalledError(wanted.cid, 1000))
    await expect(a).rejects.toMatchObject({ name: 'FetchStalledError' })
    await expect.poll(() => asked.length).toBe(2)
    asked[1].answer(block)

    await expect(b).resolves.toMatchObject({ fetched: true })
  })

  it('passes on other failures to all', async () => {
    const { fetches, asked } = make()
    const results = [fetches.fetch(wanted.cid, options()), fetches.fetch(wanted.cid, options())]
    const failure = new Error('the node is gone')

    asked[0].fail(failure)

    for (const result of results) {
      await expect(result).rejects.toBe(failure)
    }
    expect(asked).toHaveLength(1)
  })

  it('asks the providers of its own root when those of another keep it waiting', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { fetches, asked } = make()
    const first = new AbortController()
    const a = fetches.fetch(wanted.cid, options({ signal: first.signal }))
    const b = fetches.fetch(wanted.cid, options({ root: rootB.cid }))

    await vi.advanceTimersByTimeAsync(10_000)
    expect(asked.map(({ root }) => root)).toEqual([rootA.cid, rootB.cid])
    asked[1].answer(block)

    await expect(b).resolves.toMatchObject({ fetched: true })
    first.abort()
    await expect(a).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('asks the providers of its own root when those of another fail', async () => {
    const { fetches, asked } = make()
    const a = fetches.fetch(wanted.cid, options())
    const b = fetches.fetch(wanted.cid, options({ root: rootB.cid }))

    asked[0].fail(new Error('the providers of another root'))
    await expect(a).rejects.toThrow()
    await expect.poll(() => asked.length).toBe(2)
    expect(asked[1].root.equals(rootB.cid)).toBe(true)
    asked[1].answer(block)

    await expect(b).resolves.toMatchObject({ fetched: true })
  })

  it('refuses a request that is aborted already', async () => {
    const fetch = vi.fn<BlockSource['fetch']>()
    const shared = new SharedFetches(new RecentBlocks())

    await expect(shared.fetch(wanted.cid, { fetch }, options({ signal: AbortSignal.abort() })))
      .rejects.toMatchObject({ name: 'AbortError' })
    expect(fetch).not.toHaveBeenCalled()
  })

  it('keeps nothing of a fetch that failed', async () => {
    const { fetches, asked } = make()
    const ended = new AbortController()
    const first = fetches.fetch(wanted.cid, options({ signal: ended.signal }))
    const aborted = once(asked[0].signal, 'abort')
    ended.abort()
    await aborted
    await expect(first).rejects.toMatchObject({ name: 'AbortError' })

    const second = fetches.fetch(wanted.cid, options())
    asked[1].answer(block)
    await expect(second).resolves.toMatchObject({ fetched: true })
  })
})

describe('the blocks that arrived last', () => {
  it('are bounded in bytes, and forgotten in the order of their use', async () => {
    const recent = new RecentBlocks()
    const large = await Promise.all([1, 2, 3].map(async i => makeBlock(i, MAX_RECENT_BYTES / 2 - 1024)))

    recent.set(large[0].cid, { bytes: large[0].bytes, sender: PEER })
    recent.set(large[1].cid, { bytes: large[1].bytes, sender: PEER })
    recent.get(large[0].cid)
    recent.set(large[2].cid, { bytes: large[2].bytes, sender: PEER })

    expect(large.map(({ cid }) => recent.get(cid) != null)).toEqual([true, false, true])
  })

  it('keep nothing of the message that they came in', () => {
    const recent = new RecentBlocks()
    const message = new Uint8Array(4 * 1024 * 1024)

    recent.set(wanted.cid, { bytes: message.subarray(0, 10), sender: PEER })

    expect(recent.get(wanted.cid)?.bytes.buffer.byteLength).toBe(10)
  })
})
