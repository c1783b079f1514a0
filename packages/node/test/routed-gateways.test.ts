import { createServer } from 'node:http'
import { ipfsz } from '@ipfsz/core'
import { createGateway } from '@ipfsz/gateway'
import { createNodeHandler } from '@ipfsz/gateway/node'
import { MemoryBlockstore } from 'blockstore-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { BlockSources } from '../src/network/sources/block-sources.ts'
import { delegatedRouter, parseRouterUrl } from '../src/network/sources/ask-router.ts'
import { usableDhts, waitForDht } from '../src/network/dht/dhts.ts'
import { NodeNetwork } from '../src/network/node/node-network.ts'
import { httpUrl } from '../src/network/sources/http-address.ts'
import { dhtRouter, routedSources } from '../src/network/sources/routed-sources.ts'
import { noise } from '../../../test/support/data.ts'
import { listen } from '../../../test/support/listen.ts'
import { fakeNetwork, fetchNothing } from '../../../test/support/fake-network.ts'
import { makeBlock, testNode } from './nodes.ts'
import type { MakeSource } from '../src/network/sources/gateway-sources.ts'
import type { Repo } from '../src/repo/repo.ts'
import type { RequestListener } from 'node:http'
import type { CID } from 'multiformats/cid'

const BYTES = noise(3_000_000)
const JSON_TYPE = { 'content-type': 'application/json' }
const { signal } = new AbortController()

/** A server on loopback that notes what it is asked for. */
async function serve (handle: RequestListener): Promise<{ port: number, url: string, asked: string[] }> {
  const asked: string[] = []
  const { port, close } = await listen(createServer((request, response) => {
    asked.push(String(request.url))
    handle(request, response)
  }))
  onTestFinished(close)

  return { port, url: `http://127.0.0.1:${port}`, asked }
}

/** A gateway that has a file. */
async function startGateway (): Promise<{ port: number, url: string, asked: string[], root: CID }> {
  const blockstore = new MemoryBlockstore()
  const root = await ipfsz({ blockstore }).addBytes(BYTES)
  const handle = createNodeHandler(createGateway({ fs: ipfsz({ blockstore }), blocks: blockstore }))

  return { ...await serve((request, response) => { void handle(request, response) }), root }
}

/** A router that lists these addresses. */
async function startRouter (...addresses: unknown[]): Promise<{ url: string, asked: string[] }> {
  return serve((_, response) => {
    response.writeHead(200, JSON_TYPE).end(JSON.stringify({ Providers: [{ Schema: 'peer', Addrs: addresses }] }))
  })
}

type Init = Omit<Parameters<typeof routedSources>[0], 'routers'>

/** What fetches from the gateways that routers list, closed when the test ends. */
async function open ({ routers, ...init }: { routers: readonly string[] } & Partial<Init>): Promise<MakeSource> {
  const make = routedSources({
    routers: routers.map(delegatedRouter),
    isOnlySource: true,
    others: [],
    allowLocal: true,
    ...init
  })

  return (root, plan) => {
    const source = make(root, plan)
    onTestFinished(() => { source.close() })

    return source
  }
}

async function read (root: CID, routed: MakeSource): Promise<Buffer> {
  const source = routed(root, { path: '', scope: 'entity' })

  return Buffer.concat(await Array.fromAsync(
    ipfsz({ blockstore: new MemoryBlockstore(), sources: [source] }).cat(root)
  ))
}

/** Reads with a network whose peers have nothing. */
async function readWith (root: CID, addresses: readonly string[], allowLocal: boolean): Promise<Buffer> {
  const network = fakeNetwork({
    fetch: fetchNothing,
    async * findProviders () { yield { peerId: '', addresses: [...addresses] } }
  })
  const from = await BlockSources.open({ gateways: [], routers: [], allowLocal, network: async () => network })
  onTestFinished(() => { from?.close() })
  const { sources = [] } = from?.below(root, { path: '', scope: 'entity' }) ?? {}

  return Buffer.concat(await Array.fromAsync(
    ipfsz({ blockstore: new MemoryBlockstore(), sources }, { fetch: { timeout: 3000 } }).cat(root)
  ))
}

/** What a router answers, and why no gateway follows from it. */
const WRONG: Record<string, [handle: RequestListener, reason: RegExp]> = {
  'is broken': [(_, response) => response.writeHead(500).end(), /answered with the status 500/],
  'knows none': [(_, response) => response.writeHead(404).end(), /lists no HTTP gateway/],
  'lists none': [
    (_, response) => response.writeHead(200, JSON_TYPE).end('{"Providers":null}'),
    /lists no HTTP gateway/
  ],
  'sends a page': [(_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'), /is not JSON/],
  'sends other JSON': [
    (_, response) => response.writeHead(200, JSON_TYPE).end('{"Providers":[null,1,{"Addrs":{}},{"Addrs":[1,null]}]}'),
    /lists no HTTP gateway/
  ],
  'cuts its answer': [
    (_, response) => { response.writeHead(200, JSON_TYPE).write('{"Prov', () => response.destroy()) },
    /aborted|cannot be reached/
  ],
  'redirects': [(_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(), /redirect/],
  'never ends its answer': [
    (_, response) => {
      const more = (): void => { while (response.write(' '.repeat(65536))) { /* until it is full */ } }
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).on('drain', more)
      more()
    },
    /limit of 1048576 bytes/
  ]
}

describe('gateways that routers list', () => {
  it('send a whole file, and are asked for once for each root', async () => {
    const gateway = await startGateway()
    const router = await startRouter('/ip4/127.0.0.1/udp/1/quic-v1', `/ip4/127.0.0.1/tcp/${gateway.port}/http`)

    expect(Buffer.compare(await read(gateway.root, await open({ routers: [router.url] })), BYTES)).toBe(0)
    expect(router.asked).toEqual([expect.stringMatching(/^\/routing\/v1\/providers\/bafy\w+\?filter-protocols=/)])
    expect(gateway.asked).toEqual([expect.stringContaining('format=car&dag-scope=entity')])
  })

  it('are asked before the router has ended its answer, and while another one is silent', async () => {
    const gateway = await startGateway()
    const record = JSON.stringify({ Schema: 'peer', Addrs: [`/ip4/127.0.0.1/tcp/${gateway.port}/http`] })
    const router = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write(`{}\n\n${record}\n{"Schema"`)
    })
    const silent = await serve(() => {})

    expect(Buffer.compare(await read(gateway.root, await open({ routers: [silent.url, router.url] })), BYTES)).toBe(0)
  })

  it('are not asked in private networks, unless that is allowed', async () => {
    const gateway = await startGateway()
    const router = await startRouter(`/ip4/127.0.0.1/tcp/${gateway.port}/http`, `/ip6/::1/tcp/${gateway.port}/http`)

    await expect(read(gateway.root, await open({ routers: [router.url], allowLocal: false }))).rejects.toMatchObject({
      name: 'GatewaysFailedError',
      failures: [{ name: 'PrivateAddressError', host: '127.0.0.1' }, { name: 'PrivateAddressError', host: '::1' }]
    })
    expect(gateway.asked).toEqual([])
  })

  it.each([false, true])('are not asked under names that lead there, unless that is allowed: %s', async allowLocal => {
    const gateway = await startGateway()
    const router = await startRouter(`/dns4/gateway.example/tcp/${gateway.port}/http`)
    const routed = await open({
      routers: [router.url],
      allowLocal,
      resolve: (_, { all }, callback) => {
        const address = { address: '127.0.0.1', family: 4 }
        // as Node asks for it: all addresses, or one
        callback(null, all === true ? [address] : address.address, 4)
      }
    })
    const reading = read(gateway.root, routed)

    if (allowLocal) {
      expect(Buffer.compare(await reading, BYTES)).toBe(0)
    } else {
      await expect(reading).rejects.toMatchObject({
        name: 'GatewaysFailedError',
        failures: [{ name: 'GatewayConnectionError', cause: { name: 'PrivateAddressError', address: '127.0.0.1' } }]
      })
      expect(gateway.asked).toEqual([])
    }
  })

  it('lead to no other host by a redirect', async () => {
    const inside = await startGateway()
    const outside = await serve(({ url = '' }, response) => {
      response.writeHead(302, { location: `${inside.url}${url}` }).end()
    })
    const router = await startRouter(`/ip4/127.0.0.1/tcp/${outside.port}/http`)

    await expect(read(inside.root, await open({ routers: [router.url] })))
      .rejects.toMatchObject({ name: 'GatewaysFailedError', failures: [{ name: 'GatewayRefusedError', status: 302 }] })
    expect(inside.asked).toEqual([])
  })

  it('are at most eight for a root, however many are listed, and none twice', async () => {
    const gateways = await Promise.all(Array.from({ length: 12 }, async () => serve((_, response) => {
      response.writeHead(404).end()
    })))
    const addresses = gateways.map(({ port }) => `/ip4/127.0.0.1/tcp/${port}/http`)
    const router = await startRouter(...addresses, ...addresses)
    const { root } = await startGateway()

    await expect(read(root, await open({ routers: [router.url], others: [gateways[0].url] })))
      .rejects.toMatchObject({ name: 'GatewaysFailedError' })
    expect(gateways.map(({ asked }) => asked.length > 0)).toEqual(gateways.map((_, i) => i >= 1 && i <= 8))
  })

  it.each(Object.entries(WRONG))('are none if a router %s', async (_, [handle, reason]) => {
    const router = await serve(handle)
    const { root } = await startGateway()

    await expect(read(root, await open({ routers: [router.url] }))).rejects.toMatchObject({
      name: 'GatewaysFailedError',
      failures: [{ name: 'RouterError', router: `${router.url}/`, message: expect.stringMatching(reason) }]
    })
  })

  it.each([true, false])('are not looked for when the source is closed (before it is read: %s)', async isBefore => {
    const router = await startRouter()
    const { root } = await startGateway()
    const source = (await open({ routers: [router.url] }))(root)

    if (isBefore) {
      source.close()
    }

    const fetching = source.fetch(root)
    source.close()

    await expect(fetching).rejects.toMatchObject({ name: 'AbortError' })
    expect(router.asked).toEqual([])
  })

  it('are not waited for if a router is silent and there are peers', async () => {
    const silent = await serve(() => {})
    const { root } = await startGateway()
    const source = (await open({ routers: [silent.url], isOnlySource: false, headStart: 1 }))(root)

    // a refusal: peers are asked next
    await expect(source.fetch(root, { signal })).rejects.toMatchObject({ name: 'GatewaysFailedError' })
  })

  it('are no longer waited for when the signal aborts', async () => {
    const silent = await serve(() => {})
    const { root } = await startGateway()
    const source = (await open({ routers: [silent.url] }))(root)
    const aborted = new AbortController()
    const fetching = source.fetch(root, { signal: aborted.signal })
    aborted.abort()

    await expect(fetching).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('gateways that providers advertise in the DHT', () => {
  it('send what no peer sends', async () => {
    const gateway = await startGateway()
    const addresses = ['/ip4/127.0.0.1/tcp/1', `/ip4/127.0.0.1/tcp/${gateway.port}/http`]

    expect(Buffer.compare(await readWith(gateway.root, addresses, true), BYTES)).toBe(0)
  })

  it('are found there', async () => {
    const address = '/ip4/127.0.0.1/tcp/4321/http'
    const [provider, node] = await Promise.all([testNode({ announce: [address] }), testNode()])
    const block = await makeBlock(1)
    await provider.libp2p.dial(node.libp2p.getMultiaddrs())
    await Promise.all([provider, node].map(async ({ libp2p }) => waitForDht(libp2p, signal)))
    const [dht] = usableDhts(provider.libp2p)
    await Array.fromAsync(dht.provide(block.cid, { signal }))
    const { blockstore } = node.helia
    const network = new NodeNetwork({ repo: { blockstore, storage: {} } as unknown as Repo, node })

    const find = async (): Promise<string[]> => Array.fromAsync(dhtRouter(async () => network).find(block.cid, signal))

    // with the peer id; a record is sent without an answer, so it may arrive later
    await expect.poll(async () => (await find()).map(text => text.replace(/\/p2p\/.*/, ''))).toContain(address)
    expect((await find()).some(text => httpUrl(text, true)?.href === 'http://127.0.0.1:4321/')).toBe(true)
  })

  it('are not asked in private networks, and the error is that of the search for peers', { tags: 'slow' }, async () => {
    const gateway = await startGateway()
    const reading = readWith(gateway.root, [`/ip4/127.0.0.1/tcp/${gateway.port}/http`], false)

    await expect(reading).rejects.toMatchObject({ name: 'FetchStalledError' })
    expect(gateway.asked).toEqual([])
  })
})

describe('parseRouterUrl', () => {
  it.each([
    ['https://router.example', 'https://router.example/'],
    ['http://127.0.0.1:8090/', 'http://127.0.0.1:8090/'],
    ['https://router.example/routing/v1', 'https://router.example/'],
    ['https://router.example/a/routing/v1/providers/', 'https://router.example/a/'],
    ['https://router.example/a', 'https://router.example/a/']
  ])('reads %s', (text, url) => { expect(parseRouterUrl(text).href).toBe(url) })

  it.each(['', 'router.example', 'ftp://router.example', 'https://user:secret@router.example', 'https://a.example/?b'])(
    'refuses "%s"',
    text => {
      expect(() => parseRouterUrl(text))
        .toThrow(expect.objectContaining({ name: 'UsageError', message: expect.not.stringContaining('secret') }))
    }
  )
})
