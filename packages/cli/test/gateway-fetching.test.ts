import { once } from 'node:events'
import { FetchStalledError, ipfsz, unmark } from '@ipfsz/core'
import { CompressedBlockstore } from '@ipfsz/blockstore-compressed'
import { MemoryBlockstore } from 'blockstore-core'
import { MemoryDatastore } from 'datastore-core'
import { describe, expect, it } from 'vitest'
import { DaemonError } from '../src/errors.ts'
import { createFetchingGateway } from '../src/gateway/fetching.ts'
import { LongNetwork } from '../src/gateway/fetch-network.ts'
import { Metrics } from '../src/gateway/metrics.ts'
import { ReadAhead } from '../src/gateway/read-ahead.ts'
import { fakeNetwork } from './fake-network.ts'
import type { Network } from '../src/network/network.ts'
import type { Repo } from '../src/repo/repo.ts'
import type { Gateway } from '@ipfsz/gateway'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

const TEXT = new TextEncoder().encode('The quick brown fox jumps over the lazy dog. '.repeat(20_000))

/** A network whose only peer has the blocks of a store. It notes the blocks and roots that it is asked for. */
function networkWith (
  blocks: Pick<Blockstore, 'get' | 'has'>,
  repo: Pick<Blockstore, 'put'>
): { network: Network, asked: Array<{ cid: string, root: string }> } {
  const asked: Array<{ cid: string, root: string }> = []

  return {
    asked,
    network: fakeNetwork({
      fetch: async (cid, { root, timeout }) => {
        asked.push({ cid: cid.toString(), root: root.toString() })

        if (!await blocks.has(cid)) {
          throw new FetchStalledError(cid, timeout, { providers: 0 })
        }

        const bytes = Buffer.concat(await Array.fromAsync(blocks.get(cid)))
        await repo.put(cid, bytes)

        return { bytes, peerId: '12D3KooWEsKGiTKJKz6WAJcYhs9C2n2Fwbf8Mo4AiZyF72H8P1gQ' }
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
  add: (bytes: Uint8Array) => Promise<CID>
}

function make (blockstore: Blockstore = new MemoryBlockstore()): Fixture {
  const others = new MemoryBlockstore()
  const { network, asked } = networkWith(others, blockstore)
  const metrics = new Metrics('1')
  const gateway = createFetchingGateway({
    // a repo, as far as reading needs one
    repo: { blockstore } as Repo,
    links: new MemoryDatastore(),
    network,
    metrics,
    readAhead: new ReadAhead(),
    timeout: 1000,
    signal: new AbortController().signal
  }, undefined, {})

  return { gateway, asked, metrics, others, add: async bytes => ipfsz({ blockstore: others }).addBytes(bytes) }
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
      const { gateway, add } = make(blockstore)
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
    const gateway = createFetchingGateway({
      repo: { blockstore: new MemoryBlockstore() as Blockstore } as Repo,
      links: new MemoryDatastore(),
      network: fakeNetwork({
        fetch: async (_, { signal }) => {
          await once(signal, 'abort')
          reasons.push(signal.reason)
          throw signal.reason
        }
      }),
      metrics: new Metrics('1'),
      readAhead: new ReadAhead(),
      timeout: 1000,
      signal: new AbortController().signal
    }, undefined, { limits: { startTimeout: 5 } })

    expect((await get(gateway, '/ipfs/bafkreigss5i7eze3gl7vok26bkpvihvgmcsq7fh7bpxn7mfwsk4sjteaeu')).status).toBe(504)
    expect(reasons).toMatchObject([{ name: 'AbortError' }])
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
    const network = new LongNetwork(() => {
      const number = opened++

      return { open: async () => networks[number], close: async () => { closed.push(number) } }
    })

    await expect(network.peers()).resolves.toEqual([])
    await expect(network.peers()).resolves.toEqual([])
    expect({ opened, closed }).toEqual({ opened: 2, closed: [0] })
  })

  it('answers 502 if nobody can be reached, and tries again at the next request', async () => {
    let opened = 0
    const network = new LongNetwork(() => ({
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
    const network = new LongNetwork(() => {
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
