import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ipfsz, unmark } from '@ipfsz/core'
import { CompressedBlockstore } from '@ipfsz/blockstore-compressed'
import { MemoryBlockstore } from 'blockstore-core'
import { MemoryDatastore } from 'datastore-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { SharedCache } from '../src/cache/shared-cache.ts'
import { DaemonError } from '../src/errors.ts'
import { createFetchingGateway } from '../src/gateway/fetching.ts'
import { ReconnectingNetwork } from '../src/gateway/fetch-network.ts'
import { Metrics } from '../src/gateway/metrics.ts'
import { storedBlocks } from '../src/gateway/stored-blocks.ts'
import { noise } from '../../../test/support/data.ts'
import { fakeNetwork, fetchNothing } from '../../../test/support/fake-network.ts'
import type { FetchingInit } from '../src/gateway/fetching.ts'
import type { Network } from '../src/network/network.ts'
import type { Gateway, GatewayInit } from '@ipfsz/gateway'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

const TEXT = new TextEncoder().encode('The quick brown fox jumps over the lazy dog. '.repeat(20_000))

/** A network whose only peer has the blocks of a store. It notes the blocks and roots that it is asked for. */
function networkWith (
  blocks: Pick<Blockstore, 'get' | 'has'>
): { network: Network, asked: Array<{ cid: string, root: string }> } {
  const asked: Array<{ cid: string, root: string }> = []

  return {
    asked,
    network: fakeNetwork({
      fetch: async (cid, { root, store, ...options }) => {
        expect(store).toBe(false)
        asked.push({ cid: cid.toString(), root: root.toString() })

        if (!await blocks.has(cid)) {
          return fetchNothing(cid, options)
        }

        const bytes = Buffer.concat(await Array.fromAsync(blocks.get(cid)))

        return { bytes, sender: '12D3KooWEsKGiTKJKz6WAJcYhs9C2n2Fwbf8Mo4AiZyF72H8P1gQ' }
      }
    })
  }
}

interface Fixture {
  gateway: Gateway
  asked: Array<{ cid: string, root: string }>
  metrics: Metrics
  /** What the peer has. */
  others: MemoryBlockstore
  repo: Blockstore
  add: (bytes: Uint8Array) => Promise<CID>
}

interface MakeInit extends Partial<Pick<FetchingInit, 'cache' | 'network'>> {
  blockstore?: Blockstore
  limits?: GatewayInit['limits']
}

function make ({ blockstore = new MemoryBlockstore(), cache, limits, ...init }: MakeInit = {}): Fixture {
  const others = new MemoryBlockstore()
  const { network, asked } = networkWith(others)
  const metrics = new Metrics('1')
  const gateway = createFetchingGateway({
    repo: { blockstore },
    links: new MemoryDatastore(),
    network,
    cache,
    metrics,
    timeout: 1000,
    signal: new AbortController().signal,
    ...init
  }, {
    fs: ipfsz({ blockstore }),
    blocks: {
      get: (cid, options) => blockstore.get(cid, options),
      has: async (cid, options) => blockstore.has(cid, options),
      getStored: storedBlocks(blockstore)
    }
  }, { limits })

  return {
    gateway,
    asked,
    metrics,
    others,
    repo: blockstore,
    add: async bytes => ipfsz({ blockstore: others }).addBytes(bytes)
  }
}

/** A cache in a directory of its own. */
async function makeCache (size = 100_000_000): Promise<SharedCache> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-cache-'))
  const cache = new SharedCache({ directory, size: () => size, onFailure: err => { throw err } })

  onTestFinished(async () => {
    await cache.close()
    await rm(directory, { recursive: true })
  })
  await cache.open()

  return cache
}

async function get (gateway: Gateway, path: string, headers: Record<string, string> = {}): Promise<Response> {
  return gateway(new Request(`http://127.0.0.1:8080${path}`, { headers }))
}

describe('a gateway that fetches', () => {
  it('fetches what the repo lacks, once', async () => {
    const { gateway, asked, metrics, add } = make()
    const cid = await add(TEXT)

    for (let i = 0; i < 2; i++) {
      const response = await get(gateway, `/ipfs/${cid}?filename=a.txt`)
      expect(response.status).toBe(200)
      expect(Buffer.compare(Buffer.from(await response.arrayBuffer()), TEXT)).toBe(0)
    }

    expect(new Set(asked.map(({ cid }) => cid)).size).toBe(asked.length)
    expect(metrics.print()).toContain(`fetched_blocks_total ${asked.length}\n`)
    expect(metrics.print()).toContain(`decompressed_bytes_total ${2 * TEXT.byteLength}\n`)
  })

  it('passes frames on as they are stored, and calls no codec', async () => {
    const { gateway, metrics, add } = make()
    const cid = await add(TEXT)

    const response = await get(gateway, `/ipfs/${cid}?filename=a.txt`, { 'accept-encoding': 'zstd' })

    expect(response.headers.get('content-encoding')).toBe('zstd')
    expect((await response.arrayBuffer()).byteLength).toBeLessThan(TEXT.byteLength / 2)
    expect(metrics.print()).toContain('decompressed_bytes_total 0\n')
  })

  it('asks the providers of the root for all that is below it, whatever path leads there', async () => {
    const { gateway, asked, others } = make()
    const files = ipfsz({ blockstore: others })
    const root = await files.addFile({ path: 'a/b.txt', content: TEXT })

    const response = await get(gateway, `/ipfs/${root}/a/b.txt`)
    await response.arrayBuffer()

    expect(response.status).toBe(200)
    expect(asked.length).toBeGreaterThan(2)
    expect(new Set(asked.map(({ root }) => root))).toEqual(new Set([unmark(root).toString()]))
  })

  it('serves raw blocks as they arrive, also to a repo that compresses them', async () => {
    for (const blockstore of [
      new MemoryBlockstore(),
      new CompressedBlockstore(new MemoryBlockstore(), { codec: 'zstd' })
    ]) {
      const { gateway, add } = make({ blockstore })
      const root = unmark(await add(TEXT))

      for (let i = 0; i < 2; i++) {
        const response = await get(gateway, `/ipfs/${root}?format=raw`, { 'accept-encoding': 'zstd' })
        expect(response.status).toBe(200)
        expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0)
      }
    }
  })

  it('answers 504 for what no peer has, and searches again at the next request', async () => {
    const { gateway, others, add } = make()
    const cid = await add(TEXT)
    const { cid: root, ...kept } = { cid: unmark(cid), bytes: await Array.fromAsync(others.get(unmark(cid))) }
    await others.delete(root)

    expect((await get(gateway, `/ipfs/${cid}`)).status).toBe(504)
    await others.put(root, kept.bytes[0])
    const response = await get(gateway, `/ipfs/${cid}`)
    await response.arrayBuffer()

    expect(response.status).toBe(200)
  })

  it('ends a fetch that takes too long with an AbortError, for those who wait for the same block', async () => {
    const reasons: unknown[] = []
    const { gateway } = make({
      network: fakeNetwork({
        fetch: async (_, { signal }) => {
          await once(signal, 'abort')
          reasons.push(signal.reason)
          throw signal.reason
        }
      }),
      limits: { startTimeout: 5 }
    })

    expect((await get(gateway, '/ipfs/bafkreigss5i7eze3gl7vok26bkpvihvgmcsq7fh7bpxn7mfwsk4sjteaeu')).status).toBe(504)
    expect(reasons).toMatchObject([{ name: 'AbortError' }])
  })

  it('writes nothing to the repo', async () => {
    for (const cache of [undefined, await makeCache()]) {
      const { gateway, repo, others, add } = make({ cache })
      const files = ipfsz({ blockstore: others })
      const root = await files.addFile({ path: 'a/b.txt', content: TEXT })
      // whose empty file no peer is asked for
      const empty = await files.addFile({ path: 'a/empty', content: new Uint8Array(0) })

      for (const path of [`${root}/a/b.txt`, `${root}?format=car`, `${root}/a`, `${empty}/a/empty`, await add(TEXT)]) {
        await (await get(gateway, `/ipfs/${path}`)).arrayBuffer()
      }

      await expect(Array.fromAsync(repo.getAll())).resolves.toEqual([])
    }
  })

  it('says whether anything had to be fetched: X-Cache', async () => {
    for (const cache of [undefined, await makeCache()]) {
      const { gateway, repo, add } = make({ cache })
      const cid = await add(TEXT)
      const ask = async (path: string): Promise<string | null> => {
        const response = await get(gateway, path)
        await response.arrayBuffer()

        return response.headers.get('x-cache')
      }

      expect(await ask(`/ipfs/${cid}`)).toBe('MISS')
      expect(await ask(`/ipfs/${cid}`)).toBe('HIT')
      expect(await ask(`/ipfs/${unmark(cid)}?format=raw`)).toBe('HIT')
      expect(await ask(`/ipfs/${await ipfsz({ blockstore: repo }).addBytes(Buffer.from('here'))}`)).toBe('HIT')
      expect(await ask('/ipfs/hello')).toBeNull()
    }
  })

  it('says MISS to all who waited for the same fetch', async () => {
    const { gateway, asked, add } = make()
    const cid = unmark(await add(TEXT))

    const responses = await Promise.all([1, 2, 3].map(async () => get(gateway, `/ipfs/${cid}?format=raw`)))

    expect(responses.map(({ headers }) => headers.get('x-cache'))).toEqual(['MISS', 'MISS', 'MISS'])
    expect(asked).toHaveLength(1)
  })

  it('goes on with what it kept when no peer has it any more, and after a restart', async () => {
    const cache = await makeCache()
    const { gateway, others, add } = make({ cache })
    const cid = await add(TEXT)
    await (await get(gateway, `/ipfs/${cid}`)).arrayBuffer()

    for await (const { cid } of others.getAll()) {
      await others.delete(cid)
    }

    // another gateway, which remembers nothing
    const again = make({ cache })
    const response = await get(again.gateway, `/ipfs/${cid}?filename=a.txt`)

    expect(response.headers.get('x-cache')).toBe('HIT')
    expect(Buffer.compare(Buffer.from(await response.arrayBuffer()), TEXT)).toBe(0)
    expect(again.asked).toEqual([])
  })

  it('answers with all of a file that is larger than its cache, and evicted while it is read', async () => {
    const cache = await makeCache(600_000)
    const { gateway, add } = make({ cache })
    const bytes = noise(2_000_000)
    const large = await add(bytes)
    const small = await Promise.all([1, 2, 3, 4, 5].map(async i => add(noise(100_000 + i))))

    const ask = async (cid: CID): Promise<Buffer> =>
      Buffer.from(await (await get(gateway, `/ipfs/${cid}?filename=a.bin`)).arrayBuffer())

    for (let i = 0; i < 2; i++) {
      const [body] = await Promise.all([large, ...small].map(ask))
      expect(Buffer.compare(body, bytes)).toBe(0)
      expect(cache.bytes).toBeLessThanOrEqual(600_000)
    }
  })

  it('fetches a block again that is damaged in the repo, and keeps the good one', async () => {
    const cache = await makeCache()
    const { gateway, asked, repo, others, add } = make({ cache })
    const cid = await add(TEXT)

    for await (const { cid, bytes } of others.getAll()) {
      await repo.put(cid, Buffer.concat(await Array.fromAsync(bytes)).fill(0))
    }

    for (let i = 0; i < 2; i++) {
      const response = await get(gateway, `/ipfs/${cid}?filename=a.txt`)
      expect(Buffer.compare(Buffer.from(await response.arrayBuffer()), TEXT)).toBe(0)
    }

    expect(new Set(asked.map(({ cid }) => cid)).size).toBe(asked.length)
  })

  it('fetches nothing for a client that wants only what is here', async () => {
    const { gateway, asked, add } = make()
    const cid = await add(TEXT)

    const response = await get(gateway, `/ipfs/${cid}`, { 'cache-control': 'only-if-cached' })

    expect(response.status).toBe(412)
    expect(asked).toEqual([])
  })

  it('refuses what is no CID', async () => {
    expect((await get(make().gateway, '/ipfs/hello')).status).toBe(400)
  })
})

describe('a network for long', () => {
  const cause = new Error('gone')

  it('is opened again if the daemon has ended, and asks the next one', async () => {
    const networks = [
      fakeNetwork({ peers: async () => { throw new DaemonError('gone', { cause }) } }),
      fakeNetwork({ peers: async () => [] })
    ]
    const closed: number[] = []
    let opened = 0
    const network = new ReconnectingNetwork(() => {
      const number = opened++

      return { open: async () => networks[number], close: async () => { closed.push(number) } }
    })

    await expect(network.peers()).resolves.toEqual([])
    await expect(network.peers()).resolves.toEqual([])
    expect({ opened, closed }).toEqual({ opened: 2, closed: [0] })
  })

  it('answers 502 if nobody can be reached, and tries again at the next request', async () => {
    let opened = 0
    const network = new ReconnectingNetwork(() => ({
      open: async () => {
        opened++
        throw new DaemonError('no daemon', { cause })
      },
      close: async () => {}
    }))

    await expect(network.peers()).rejects.toMatchObject({ name: 'GatewayError', status: 502 })
    await expect(network.peers()).rejects.toMatchObject({ name: 'GatewayError', status: 502 })
    expect(opened).toBe(4)
  })

  it('stays open if the daemon answers with an error', async () => {
    let made = 0
    const network = new ReconnectingNetwork(() => {
      made++

      return {
        open: async () => fakeNetwork({ peers: async () => { throw new DaemonError('The daemon: no') } }),
        close: async () => {}
      }
    })

    await expect(network.peers()).rejects.toMatchObject({ name: 'DaemonError' })
    expect(made).toBe(1)
  })
})
