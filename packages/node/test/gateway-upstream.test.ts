import { createServer } from 'node:http'
import { ipfsz, unmark } from '@ipfsz/core'
import { createGateway } from '@ipfsz/gateway'
import { createNodeHandler } from '@ipfsz/gateway/node'
import { MemoryBlockstore } from 'blockstore-core'
import { MemoryDatastore } from 'datastore-core'
import { describe, expect, it } from 'vitest'
import { keyOf } from '../src/dag/dag-walk.ts'
import { createFetchingGateway } from '../src/gateway/fetching.ts'
import { Metrics } from '../src/gateway/metrics.ts'
import { Upstream } from '../src/gateway/upstream.ts'
import { noise } from '../../../test/support/data.ts'
import { listenInTest } from '../../../test/support/listen-in-test.ts'
import { fakeNetwork } from '../../../test/support/fake-network.ts'
import type { Server } from 'node:http'
import type { FetchingInit } from '../src/gateway/fetching.ts'
import type { Gateway } from '@ipfsz/gateway'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

const PEER = '12D3KooWEsKGiTKJKz6WAJcYhs9C2n2Fwbf8Mo4AiZyF72H8P1gQ'
const BYTES = noise(3_000_000)

async function listen (server: Server): Promise<string> {
  return `http://127.0.0.1:${await listenInTest(server)}`
}

/** A server that notes what it is asked for. */
async function serve (gateway: Gateway): Promise<{ url: string, asked: string[] }> {
  const asked: string[] = []
  const handle = createNodeHandler(gateway)
  const url = await listen(createServer((request, response) => {
    asked.push(String(request.url))
    void handle(request, response)
  }))

  return { url, asked }
}

function serving (blockstore: Blockstore): Gateway {
  return createGateway({ fs: ipfsz({ blockstore }), blocks: blockstore })
}

interface MakeInit extends Partial<Pick<FetchingInit, 'timeout'>> {
  network?: ReturnType<typeof fakeNetwork> | undefined
  urls?: string[]
  routers?: string[]
  allowLocal?: boolean
  repo?: Blockstore
}

/** A gateway that fetches from those at the URLs. */
async function make ({ urls, repo = new MemoryBlockstore(), timeout = 60_000, network, ...init }: MakeInit): Promise<{
  gateway: Gateway
  metrics: Metrics
}> {
  const upstream = await Upstream.open({
    ...init,
    gateways: urls,
    network: network == null ? undefined : async () => network
  })
  const metrics = new Metrics('1')
  const gateway = createFetchingGateway({
    repo: { blockstore: repo },
    links: new MemoryDatastore(),
    network,
    upstream,
    metrics,
    timeout,
    signal: new AbortController().signal
  }, { fs: ipfsz({ blockstore: repo }), blocks: repo })

  return { gateway, metrics }
}

/** A network whose only peer has the blocks of a store. */
function networkWith (blocks: Blockstore, asked: CID[] = []): ReturnType<typeof fakeNetwork> {
  return fakeNetwork({
    fetch: async cid => {
      asked.push(cid)

      return { bytes: Buffer.concat(await Array.fromAsync(blocks.get(cid))), sender: PEER }
    }
  })
}

async function get (gateway: Gateway, path: string): Promise<{ response: Response, body: Buffer }> {
  const response = await gateway(new Request(`http://127.0.0.1:8080${path}`))

  return { response, body: Buffer.from(await response.arrayBuffer()) }
}

describe('a gateway with upstream gateways', () => {
  it('serves what they have: asks for single blocks, each once, and writes nothing to the repo', async () => {
    const [others, repo] = [new MemoryBlockstore(), new MemoryBlockstore()]
    const cid = await ipfsz({ blockstore: others }).addBytes(BYTES)
    const { url, asked } = await serve(serving(others))
    const { gateway, metrics } = await make({ urls: [url], repo })

    const both = await Promise.all([1, 2].map(async () => get(gateway, `/ipfs/${cid}`)))
    const again = await get(gateway, `/ipfs/${cid}`)

    for (const { response, body } of [...both, again]) {
      expect(response.status).toBe(200)
      expect(body.equals(BYTES)).toBe(true)
    }

    expect(both.map(({ response }) => response.headers.get('x-cache'))).toEqual(['MISS', 'MISS'])
    expect(again.response.headers.get('x-cache')).toBe('HIT')
    expect(asked.every(path => path.endsWith('?format=raw'))).toBe(true)
    expect(asked.length).toBe(new Set(asked).size)
    expect(asked.length).toBeGreaterThan(3)
    expect(metrics.print()).toContain(`fetched_blocks_total ${asked.length}\n`)
    await expect(Array.fromAsync(repo.getAll())).resolves.toEqual([])
  })

  it('asks peers for what they lack, and only for that', async () => {
    const [some, all] = [new MemoryBlockstore(), new MemoryBlockstore()]
    const cid = await ipfsz({ blockstore: all }).addBytes(BYTES)
    const [{ cid: lost }, ...rest] = await Array.fromAsync(all.getAll())
    for (const { cid, bytes } of rest) {
      await some.put(cid, Buffer.concat(await Array.fromAsync(bytes)))
    }
    const { url } = await serve(serving(some))
    const asked: CID[] = []
    const { gateway } = await make({ urls: [url], network: networkWith(all, asked) })

    expect((await get(gateway, `/ipfs/${cid}`)).body.equals(BYTES)).toBe(true)
    expect(asked.map(keyOf)).toEqual([keyOf(lost)])
  })

  it('asks peers instead of those that send wrong bytes, or cut their responses', async () => {
    const others = new MemoryBlockstore()
    const cid = await ipfsz({ blockstore: others }).addBytes(BYTES)
    const lying = await serve(async () => new Response('wrong', {
      headers: { 'content-type': 'application/vnd.ipld.raw' }
    }))
    const cutting = await listen(createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/vnd.ipld.raw', 'content-length': 1000 })
      response.write('a', () => { response.destroy() })
    }))
    const { gateway } = await make({ urls: [lying.url, cutting], network: networkWith(others) })

    expect((await get(gateway, `/ipfs/${cid}`)).body.equals(BYTES)).toBe(true)
  })

  it('asks peers if they keep silent', async () => {
    const others = new MemoryBlockstore()
    const cid = await ipfsz({ blockstore: others }).addBytes(BYTES)
    const url = await listen(createServer(() => {}))
    const { gateway } = await make({ urls: [url], network: networkWith(others), timeout: 400 })

    expect((await get(gateway, `/ipfs/${cid}`)).body.equals(BYTES)).toBe(true)
  })

  it('waits once for one that keeps silent, if there are peers', async () => {
    const others = new MemoryBlockstore()
    const cid = await ipfsz({ blockstore: others }).addBytes(BYTES)
    let asked = 0
    const url = await listen(createServer(() => { asked++ }))
    const { gateway } = await make({ urls: [url], network: networkWith(others) })

    expect((await get(gateway, `/ipfs/${cid}`)).body.equals(BYTES)).toBe(true)
    expect(asked).toBe(1)
  })

  it('answers 504 for what nobody has, and names no other host', async () => {
    const cid = await ipfsz({ blockstore: new MemoryBlockstore() }).addBytes(BYTES)
    const { url } = await serve(serving(new MemoryBlockstore()))
    const { gateway } = await make({ urls: [url] })

    const { response, body } = await get(gateway, `/ipfs/${cid}`)

    expect(response.status).toBe(504)
    expect(body.toString()).toBe(`No gateway sent the block ${unmark(cid)}\n`)
  })

  it.each([true, false])('asks those that routers list, in private networks if it may: %s', {
    tags: 'slow'
  }, async allowLocal => {
    const others = new MemoryBlockstore()
    const cid = await ipfsz({ blockstore: others }).addBytes(BYTES)
    const { url, asked } = await serve(serving(others))
    const router = await serve(async () => Response.json({
      Providers: [{ Schema: 'peer', Addrs: [`/ip4/127.0.0.1/tcp/${new URL(url).port}/http`] }]
    }))
    const { gateway } = await make({ routers: [router.url], allowLocal })

    const { response, body } = await get(gateway, `/ipfs/${cid}`)

    expect(response.status).toBe(allowLocal ? 200 : 504)
    expect(body.toString()).not.toContain('127.0.0.1')
    expect(body.equals(BYTES)).toBe(allowLocal)
    expect(asked.length > 0).toBe(allowLocal)
    expect(router.asked).toEqual([expect.stringContaining(`/routing/v1/providers/${unmark(cid)}?`)])
  })

  it('does not wait for itself', async () => {
    const cid = await ipfsz({ blockstore: new MemoryBlockstore() }).addBytes(BYTES)
    const itself: Gateway[] = []
    const answers: Response[] = []
    const { url, asked } = await serve(async request => {
      answers.push(await itself[0](request))

      return answers[0]
    })
    itself.push((await make({ urls: [url] })).gateway)

    expect((await get(itself[0], `/ipfs/${cid}`)).response.status).toBe(504)
    expect(asked).toEqual([`/ipfs/${unmark(cid)}?format=raw`])
    expect(answers.map(({ status, headers }) => [status, headers.get('cache-control')])).toEqual([[404, 'no-store']])
  })
})
