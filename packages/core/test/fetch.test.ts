import { getEventListeners } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { BlockFetcher } from '../src/fetch/block-fetcher.ts'
import { FetchScope } from '../src/fetch/fetch-scope.ts'
import { heliaSource } from '../src/fetch/helia-source.ts'
import { fetchSettings } from '../src/fetch/init.ts'
import { ipfsz, unmark } from '../src/index.ts'
import { collect, CountingBlockstore, leavesOf, noise, stored } from './fixtures.ts'
import type { FetchInit } from '../src/index.ts'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

interface Options {
  offline?: boolean
  signal?: AbortSignal
  providers?: unknown[]
  onProgress?: (event: { type: string, detail: unknown }) => void
}

type Send = (cid: CID, options: Options, asked: number) => Promise<Uint8Array | undefined>

/** A blockstore that fetches missing blocks from peers, like Helia's. */
class NetworkedBlockstore extends CountingBlockstore {
  readonly local = new CountingBlockstore()
  /** Requests that are neither answered nor abandoned. */
  readonly inFlight = new Set<string>()
  readonly asked = new Map<string, number>()
  readonly providers: unknown[][] = []
  most = 0
  readonly #send: Send
  readonly #remote: CountingBlockstore

  constructor (remote: CountingBlockstore, send: Send = async cid => this.remoteBlock(cid)) {
    super()
    this.#remote = remote
    this.#send = send
  }

  async remoteBlock (cid: CID): Promise<Uint8Array> {
    return collect((async function * (remote) { yield * remote.get(cid) })(this.#remote))
  }

  override async has (cid: CID): Promise<boolean> {
    return this.local.has(cid)
  }

  override async * get (cid: CID, options: Options = {}): AsyncGenerator<Uint8Array> {
    if (this.local.has(cid)) {
      yield * this.local.get(cid)
      return
    }

    if (options.offline === true) {
      throw Object.assign(new Error('offline'), { name: 'BlockNotFoundWhileOfflineError' })
    }

    const key = cid.toString()
    const asked = (this.asked.get(key) ?? 0) + 1
    this.asked.set(key, asked)
    this.providers.push(options.providers ?? [])
    this.inFlight.add(key)
    this.most = Math.max(this.most, this.inFlight.size)

    try {
      const block = await this.#send(cid, options, asked)

      // no answer: wait until the signal aborts
      yield block ?? await new Promise<never>((_, reject) => {
        options.signal?.addEventListener('abort', () => { reject(refusal()) }, { once: true })
      })
    } finally {
      this.inFlight.delete(key)
    }
  }
}

function refusal (): Error {
  return Object.assign(new AggregateError([], 'Failed to load block'), { name: 'LoadBlockFailedError' })
}

/** An empty blockstore, and a file that only its peer has. */
async function remote (
  send?: Send,
  init: FetchInit = {},
  size = 500_000
): Promise<{
  blockstore: NetworkedBlockstore
  files: ReturnType<typeof ipfsz>
  cid: CID
  bytes: Uint8Array
  leaves: CID[]
}> {
  const { blockstore: source, cid, bytes } = await stored(size)
  const blockstore = new NetworkedBlockstore(source, send)

  return { blockstore, files: ipfsz({ blockstore }, { fetch: init }), cid, bytes, leaves: await leavesOf(cid, source) }
}

describe('a file that peers have', () => {
  it('is fetched, each block once, and the provider is reported', async () => {
    const events: unknown[] = []
    const { blockstore, files, cid, bytes } = await remote(async (cid, { onProgress }) => {
      onProgress?.({ type: 'helia:block-broker:receive-block', detail: { cid, provider: 'peer', broker: 'bitswap' } })

      return blockstore.remoteBlock(cid)
    })

    const read = await collect(
      files.cat(cid, { onProgress (event) { events.push({ type: event.type, ...event.detail as object }) } })
    )

    expect(Buffer.compare(read, bytes)).toBe(0)
    expect([...blockstore.asked.values()].every(times => times === 1)).toBe(true)
    expect(events).toContainEqual(expect.objectContaining({
      type: 'ipfsz:fetch:block',
      provider: 'peer',
      broker: 'bitswap',
      size: expect.any(Number),
      duration: expect.any(Number)
    }))
    expect(
      events.filter(event => (event as { type: string }).type === 'ipfsz:fetch:block')
    ).toHaveLength(blockstore.asked.size)
  })

  it('is read without asking peers if it is also stored locally', async () => {
    const { blockstore: source, cid, bytes } = await stored(500_000)
    const blockstore = new NetworkedBlockstore(source)

    for await (const pair of source.getAll()) {
      blockstore.local.put(pair.cid, await blockstore.remoteBlock(pair.cid))
    }

    expect(Buffer.compare(await collect(ipfsz({ blockstore }).cat(cid)), bytes)).toBe(0)
    expect(blockstore.asked.size).toBe(0)
  })

  it('is requested one block at a time if maxBytes is smaller than a block', async () => {
    const { blockstore, files, cid, bytes } = await remote(undefined, { maxBytes: 1 })

    expect(Buffer.compare(await collect(files.cat(cid)), bytes)).toBe(0)
    expect(blockstore.most).toBe(1)
  })

  it('is not fetched if the caller sets offline', async () => {
    const { blockstore, files, cid } = await remote()

    await expect(
      collect(files.cat(cid, { offline: true }))
    ).rejects.toMatchObject({ name: 'BlockNotFoundWhileOfflineError' })
    expect(blockstore.asked.size).toBe(0)
  })
})

describe('a block that does not arrive', () => {
  it('is requested again, also from peers that sent other blocks', { tags: 'slow' }, async () => {
    const events: Array<{ type: string, detail: unknown }> = []
    const { blockstore, files, cid, bytes, leaves } = await remote(async (cid, { onProgress }, asked) => {
      if (cid.equals(leaves[1]) && asked === 1) {
        return undefined
      }

      onProgress?.({ type: 'helia:block-broker:receive-block', detail: { cid, provider: 'peer' } })

      return blockstore.remoteBlock(cid)
    }, { stallTimeout: 50 }, 10_000_000)

    const read = await collect(files.cat(cid, { onProgress (event) { events.push(event as typeof events[number]) } }))

    expect(Buffer.compare(read, bytes)).toBe(0)
    expect(blockstore.asked.get(leaves[1].toString())).toBe(2)
    expect(blockstore.providers.at(-1)).toContain('peer')
    expect(events.find(({ type }) => type === 'ipfsz:fetch:retry')).toMatchObject(
      { detail: { cid: leaves[1], attempt: 1, reason: 'stalled' } }
    )
  })

  it('is requested from providers of the root', async () => {
    const { blockstore: source, cid, bytes } = await stored(100_000)
    const roots: string[] = []
    const blockstore = new NetworkedBlockstore(
      source,
      async (cid, { providers }) => providers?.includes('another') === true ? blockstore.remoteBlock(cid) : undefined
    )
    const files = ipfsz({
      blockstore,
      routing: {
        async * findProviders (root) {
          roots.push(root.toString())
          yield { id: 'another' as unknown as CID }
        }
      }
    }, { fetch: { stallTimeout: 20 } })

    expect(Buffer.compare(await collect(files.cat(cid)), bytes)).toBe(0)
    expect(roots[0]).toMatch(/^bafybei/)
  })

  it('makes the read fail if nothing arrives within the timeout', async () => {
    const { files, cid, leaves } = await remote(async () => undefined, { stallTimeout: 20, timeout: 100 })

    await expect(collect(files.cat(cid))).rejects.toMatchObject(
      { name: 'FetchStalledError', time: expect.any(Number), cause: { name: 'TimeoutError' } }
    )
    expect(leaves.length).toBeGreaterThan(0)
  })

  it.each([
    ['is requested again after half of the timeout, however much is in flight before it', 150, 2],
    ['gets the whole timeout if its own bytes take most of it', 2250, 1]
  ])('%s', { tags: 'slow' }, async (_, timeOf, times) => {
    const { blockstore, cid } = await stored(1000)
    const networked: NetworkedBlockstore = new NetworkedBlockstore(
      blockstore,
      async (cid, _options, asked) => asked === 1 ? undefined : networked.remoteBlock(cid)
    )
    const fetcher = new BlockFetcher(
      [heliaSource(networked as unknown as Pick<Blockstore, 'get'>)],
      // half of it is far longer than a busy machine is late
      fetchSettings({ stallTimeout: 10, timeout: 3000 })
    )
    vi.spyOn(fetcher.window, 'backlog', 'get').mockReturnValue(1000)
    vi.spyOn(fetcher.window, 'timeOf').mockReturnValue(timeOf)

    const fetched = fetcher.fetch(unmark(cid), new FetchScope(cid), {})

    await (times === 1 ? expect(fetched).rejects.toMatchObject({ name: 'FetchStalledError' }) : fetched)
    expect([...networked.asked.values()]).toEqual([times])
  })

  it('makes the read fail at once if there is no peer to ask', async () => {
    const { blockstore, files, cid } = await remote(
      async () => { throw Object.assign(new Error('none'), { name: 'InvalidConfigurationError' }) }
    )

    await expect(collect(files.cat(cid))).rejects.toMatchObject({ name: 'InvalidConfigurationError' })
    expect(blockstore.asked.size).toBe(1)
  })

  it('is requested four times if peers answer that they do not have it', { tags: 'slow' }, async () => {
    const { blockstore, files, cid } = await remote(async () => { throw refusal() })

    await expect(collect(files.cat(cid))).rejects.toMatchObject({ name: 'LoadBlockFailedError' })
    expect([...blockstore.asked.values()]).toEqual([4])
  })

  it('does not delay available blocks', { tags: 'slow' }, async () => {
    const { blockstore: source, cid } = await stored(100_000)
    const other = await ipfsz({ blockstore: source }).addBytes(noise(3_000_000))
    const missing = unmark(cid)
    const blockstore: NetworkedBlockstore = new NetworkedBlockstore(
      source,
      async cid => cid.equals(missing) ? undefined : blockstore.remoteBlock(cid)
    )
    const files = ipfsz({ blockstore }, { fetch: { stallTimeout: 30, timeout: 2000 } })
    const failing = expect(collect(files.cat(cid))).rejects.toMatchObject({ name: 'FetchStalledError' })

    expect(await collect(files.cat(other))).toHaveLength(3_000_000)
    await failing
  })
})

describe('a fetch', () => {
  it("rejects with the signal's reason if it aborts, and removes its listeners", async () => {
    const controller = new AbortController()
    const { blockstore, files, cid } = await remote(async () => undefined)
    const reading = collect(files.cat(cid, { signal: controller.signal }))

    await expect.poll(() => blockstore.inFlight.size).toBe(1)
    controller.abort(new Error('enough'))

    await expect(reading).rejects.toThrow('enough')
    await expect.poll(() => blockstore.inFlight.size).toBe(0)
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  })

  it('leaves no listeners on a long-lived signal when it succeeds', async () => {
    const { signal } = new AbortController()
    const { files, cid } = await remote()

    await collect(files.cat(cid, { signal }))
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  it('stops requesting blocks when the caller stops reading', async () => {
    const { blockstore, files, cid, leaves } = await remote(async cid => cid.equals(leaves[0]) || !leaves.some(
      leaf => leaf.equals(cid)
    ) ? blockstore.remoteBlock(cid) : undefined, {}, 10_000_000)

    for await (const _ of files.cat(cid)) {
      await expect.poll(() => blockstore.inFlight.size).toBeGreaterThan(0)
      break
    }

    await expect.poll(() => blockstore.inFlight.size).toBe(0)
  })
})

describe('fetch settings', () => {
  it.each(['ahead', 'maxBytes', 'stallTimeout', 'timeout'])('refuse a value of %s that is not above 0', name => {
    for (const value of [0, -1, Number.NaN]) {
      expect(
        () => ipfsz({ blockstore: new CountingBlockstore() }, { fetch: { [name]: value } })
      ).toThrow(expect.objectContaining({ name: 'InvalidParametersError' }))
    }
  })
})
