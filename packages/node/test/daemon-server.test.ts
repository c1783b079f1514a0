import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { UnknownHashError } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { MAX_CONNECTIONS, serveNetwork } from '../src/daemon/server.ts'
import { DaemonClient } from '../src/daemon/daemon-client.ts'
import { fakeNetwork } from '../../../test/support/fake-network.ts'
import type { DaemonServer } from '../src/daemon/server.ts'
import type { FetchOptions, Network } from '../src/network/network.ts'
import type { IncomingHttpHeaders, RequestOptions } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

const CID_TEXT = 'bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354'
const cid = CID.parse(CID_TEXT)

async function serve (parts: Partial<Network> = {}): Promise<DaemonServer> {
  const server = await serveNetwork(fakeNetwork(parts))
  onTestFinished(async () => { await server.close() })

  return server
}

function client ({ port, token }: Pick<DaemonServer, 'port' | 'token'>): DaemonClient {
  const made = new DaemonClient({ port, token, pid: process.pid })
  onTestFinished(async () => { await made.close() })

  return made
}

interface Answer {
  status: number | undefined
  body: string
  headers: IncomingHttpHeaders
}

async function ask (
  { port }: DaemonServer,
  { headers, ...options }: RequestOptions = {},
  body = '{}'
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request({
      host: '127.0.0.1',
      port,
      path: '/v0/id',
      method: 'POST',
      agent: false,
      headers,
      ...options
    }, async response => {
      resolve({ status: response.statusCode, headers: response.headers, body: await text(response) })
    }).once('error', reject).end(body)
  })
}

/** Connects one by one: of more than 511 waiting connections the system drops some, and later ones overtake them. */
async function connections (count: number, { port }: DaemonServer): Promise<Socket[]> {
  const sockets: Socket[] = []
  onTestFinished(() => { sockets.forEach(socket => { socket.destroy() }) })

  while (sockets.length < count) {
    const socket = connect(port, '127.0.0.1')
    // the server may close it
    socket.on('error', () => {})
    sockets.push(socket)
    await once(socket, 'connect')
  }

  return sockets
}

/** Connections that each fetch a block that never arrives. */
async function commands (count: number, server: DaemonServer): Promise<Socket[]> {
  const sockets = await connections(count, server)
  const body = JSON.stringify({ cid: CID_TEXT, root: CID_TEXT })

  for (const socket of sockets) {
    socket.write(
      `POST /v0/fetch HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\n` +
        `authorization: ${bearer(server).authorization}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    )
  }

  return sockets
}

const never: Network['fetch'] = async (_, { signal }) => {
  await once(signal, 'abort')
  throw new Error('nobody waits for it')
}

function bearer ({ token }: DaemonServer): { authorization: string } {
  return { authorization: `Bearer ${token}` }
}

describe('the control port of a daemon', () => {
  it('answers a request that has the token', async () => {
    const server = await serve()

    const { status, body } = await ask(server, { headers: bearer(server) })

    expect(status).toBe(200)
    expect(JSON.parse(body)).toEqual({ peerId: '12D3KooWtest', addresses: ['/ip4/127.0.0.1/tcp/1'], agent: 'test' })
  })

  it('has a token of 256 bits that no other daemon has', async () => {
    const [a, b] = [await serve(), await serve()]

    expect(a.token).toMatch(/^[0-9a-f]{64}$/)
    expect(a.token).not.toBe(b.token)
  })

  it.each<[string, number, (server: DaemonServer) => RequestOptions]>([
    ['no token', 401, () => ({})],
    ['another token', 401, () => ({ headers: { authorization: `Bearer ${'0'.repeat(64)}` } })],
    [
      'the beginning of the token',
      401,
      ({ token }) => ({ headers: { authorization: `Bearer ${token.slice(0, 63)}` } })
    ],
    ['the token with a digit after it', 401, ({ token }) => ({ headers: { authorization: `Bearer ${token}0` } })],
    ['an empty token', 401, () => ({ headers: { authorization: 'Bearer ' } })],
    ['the token as a password', 401, ({ token }) => ({ headers: { authorization: `Basic ${token}` } })],
    ['the origin of a web page', 403, server => ({ headers: { ...bearer(server), origin: 'https://example.com' } })],
    ['its own origin', 403, server => ({ headers: { ...bearer(server), origin: `http://127.0.0.1:${server.port}` } })],
    ['the origin of a file', 403, server => ({ headers: { ...bearer(server), origin: 'null' } })],
    [
      'a Sec-Fetch header',
      403,
      server => ({ headers: { ...bearer(server), 'sec-fetch-site': 'same-origin' } })
    ],
    [
      'a host name that may resolve to this machine',
      403,
      server => ({ headers: { ...bearer(server), host: `evil.example:${server.port}` } })
    ],
    [
      'the host name localhost',
      403,
      server => ({ headers: { ...bearer(server), host: `localhost:${server.port}` } })
    ],
    ['another port in the Host header', 403, server => ({ headers: { ...bearer(server), host: '127.0.0.1:1' } })],
    ['GET', 405, server => ({ headers: bearer(server), method: 'GET' })],
    ['a CORS preflight', 401, () => ({ method: 'OPTIONS' })],
    ['an unknown path', 404, server => ({ headers: bearer(server), path: '/v0/other' })]
  ])('refuses %s', async (_, expected, options) => {
    const id = vi.fn<Network['id']>()
    const server = await serve({ id })

    const { status, headers } = await ask(server, options(server))

    expect(status).toBe(expected)
    expect(headers).not.toHaveProperty('access-control-allow-origin')
    expect(id).not.toHaveBeenCalled()
  })

  it.each<[string, number, string, string]>([
    ['a body of more than 64 KiB', 413, '/v0/id', JSON.stringify({ text: 'x'.repeat(65_536) })],
    ['invalid JSON', 400, '/v0/id', '{'],
    ['an array', 400, '/v0/connect', '[]'],
    ['a missing field', 400, '/v0/connect', '{}'],
    ['an invalid CID', 400, '/v0/providers', '{"cid":"none"}'],
    ['a negative size', 400, '/v0/fetch', JSON.stringify({ cid: CID_TEXT, root: CID_TEXT, size: -1 })],
    ['CIDs that are not strings', 400, '/v0/provide', JSON.stringify({ cids: [{ toString: 1 }] })],
    ['too many CIDs', 400, '/v0/provide', JSON.stringify({ cids: Array.from({ length: 257 }, () => CID_TEXT) })]
  ])('refuses %s', async (_, expected, path, body) => {
    const server = await serve()

    const { status } = await ask(server, { path, headers: bearer(server) }, body)

    expect(status).toBe(expected)
  })

  it('refuses more than 8 KiB of headers', async () => {
    const server = await serve()

    const { status } = await ask(server, { headers: { ...bearer(server), 'x-long': 'x'.repeat(9000) } })

    expect(status).toBe(431)
  })

  it('does not read the body of a request without the token', async () => {
    const server = await serve()
    const socket = connect(server.port, '127.0.0.1')
    const closed = new Promise(resolve => { socket.once('close', resolve) })
    let answer = ''
    let sent = 0

    // the server cuts it off while it sends
    socket.on('error', () => {})
    socket.on('data', bytes => { answer += bytes.toString() })
    socket.write(`POST /v0/id HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\ncontent-length: 10000000000\r\n\r\n`)
    const more = (): void => {
      while (!socket.destroyed && sent < 100_000_000 && socket.write(Buffer.alloc(65_536))) {
        sent += 65_536
      }
    }
    socket.on('drain', more)
    more()
    await closed

    expect(answer).toMatch(/^(?:HTTP\/1.1 401|$)/)
    expect(sent).toBeLessThan(100_000_000)
  })

  it('answers a command despite 1,100 idle connections of a stranger, and closes the oldest of them', async () => {
    const server = await serve()
    const sockets = await connections(1100, server)

    expect((await ask(server, { headers: bearer(server) })).status).toBe(200)

    // 76 above the limit, and one for the command
    await vi.waitFor(
      () => { expect(sockets.map(({ closed }) => closed)).toEqual(sockets.map((_, i) => i < 77)) },
      { timeout: 120_000 }
    )
  })

  it.each([
    [undefined, 'all'],
    ['all', 'all'],
    ['lost', 'lost'],
    ['none', 'none']
  ] as const)('passes on whether to search for peers: %s', async (search, expected) => {
    const fetch = vi.fn<Network['fetch']>(async () => ({ bytes: new Uint8Array(1), sender: '12D3KooWother' }))

    await client(
      await serve({ fetch })
    ).fetch(cid, { root: cid, search, signal: new AbortController().signal })

    expect(fetch).toHaveBeenCalledWith(cid, expect.objectContaining({ search: expected }))
  })

  it.each([[undefined, true], [true, true], [false, false]])('passes on whether to store the block: %s', async (
    store,
    expected
  ) => {
    const fetch = vi.fn<Network['fetch']>(async () => ({ bytes: new Uint8Array(1), sender: '12D3KooWother' }))

    await client(
      await serve({ fetch })
    ).fetch(cid, { root: cid, store, signal: new AbortController().signal })

    expect(fetch).toHaveBeenCalledWith(cid, expect.objectContaining({ store: expected }))
  })

  it('keeps the connection of a command open however many strangers connect', async () => {
    const release = Promise.withResolvers<void>()
    const server = await serve({ fetch: async () => {
      await release.promise

      return { bytes: new Uint8Array(1), sender: '12D3KooWother' }
    } })
    const fetching = client(server).fetch(cid, { root: cid, signal: new AbortController().signal })

    await connections(1100, server)
    release.resolve()

    await expect(fetching).resolves.toMatchObject({ sender: '12D3KooWother' })
  })

  it('refuses a connection while commands hold 1024', async () => {
    const fetch = vi.fn(never)
    const server = await serve({ fetch })
    const sockets = await commands(MAX_CONNECTIONS, server)
    await vi.waitFor(() => { expect(fetch).toHaveBeenCalledTimes(MAX_CONNECTIONS) }, { timeout: 120_000 })

    await expect(ask(server, { headers: bearer(server) })).rejects.toMatchObject({ code: 'ECONNRESET' })

    sockets.forEach(socket => { socket.destroy() })
    await vi.waitFor(
      async () => { expect((await ask(server, { headers: bearer(server) })).status).toBe(200) },
      { timeout: 120_000 }
    )
  })

  it('passes on why a fetch failed', async () => {
    const server = await serve()

    await expect(client(server).fetch(cid, { root: cid, search: 'none', signal: new AbortController().signal }))
      .rejects.toMatchObject({ name: 'NotFoundError', cid })
  })

  it('passes on how many peers were found', async () => {
    const providerCount = vi.fn(async () => 3)

    await expect(client(await serve({ providerCount })).providerCount(cid)).resolves.toBe(3)
    expect(providerCount).toHaveBeenCalledWith(cid)
  })

  it('passes on by which fields an error of a block is explained', async () => {
    const server = await serve({
      fetch: async cid => { throw new UnknownHashError(cid, 'Pass its hasher in `hashers`') }
    })

    await expect(client(server).fetch(cid, { root: cid, signal: new AbortController().signal }))
      .rejects.toMatchObject({
        name: 'DaemonError',
        cause: { name: 'UnknownHashError', cid: cid.toString(), code: cid.multihash.code }
      })
  })

  it('passes on blocks and the peers that sent them', async () => {
    const bytes = Uint8Array.from({ length: 1_000_000 }, (_, i) => i % 251)
    const server = await serve({ fetch: async () => ({ bytes, sender: '12D3KooWother' }) })

    const fetched = await client(server).fetch(cid, { root: cid, signal: new AbortController().signal })

    expect(Buffer.compare(fetched.bytes, bytes)).toBe(0)
    expect(fetched.sender).toBe('12D3KooWother')
  })

  it.each([1_000_000, undefined])('passes on the size of a block, if it is known: %s', async size => {
    const fetch = vi.fn<Network['fetch']>(async () => ({ bytes: new Uint8Array(1), sender: '12D3KooWother' }))
    const server = await serve({ fetch })

    await client(server).fetch(cid, { root: cid, size, signal: new AbortController().signal })

    expect(fetch.mock.calls[0][1].size).toBe(size)
  })

  it('answers a command that tries again after its connection was refused', async () => {
    const fetch = vi.fn(never)
    const server = await serve({ fetch })
    const sockets = await commands(MAX_CONNECTIONS, server)
    await vi.waitFor(() => { expect(fetch).toHaveBeenCalledTimes(MAX_CONNECTIONS) }, { timeout: 120_000 })
    await expect(ask(server, { headers: bearer(server) })).rejects.toMatchObject({ code: 'ECONNRESET' })
    fetch.mockImplementation(async () => ({ bytes: new Uint8Array(1), sender: '12D3KooWother' }))

    const fetching = client(server).fetch(cid, { root: cid, signal: new AbortController().signal })
    sockets.forEach(socket => { socket.destroy() })

    await expect(fetching).resolves.toMatchObject({ sender: '12D3KooWother' })
  })

  it('causes a DaemonError when the daemon ends in the middle of a block', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-length': 10 })
      response.write('half', () => { response.destroy() })
    }).listen(0, '127.0.0.1')
    onTestFinished(() => { server.close() })
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo

    await expect(
      client({ port, token: '' }).fetch(cid, { root: cid, signal: new AbortController().signal })
    )
      .rejects.toMatchObject({ name: 'DaemonError' })
  })

  it('names the peer that it could not connect to in time', async () => {
    const server = await serve({ connect: async (_, signal) => { await once(signal, 'abort'); return '' } })

    await expect(client(server).connect('/ip4/127.0.0.1/tcp/1', AbortSignal.timeout(20)))
      .rejects.toMatchObject({ name: 'NotConnectedError', address: '/ip4/127.0.0.1/tcp/1' })
  })

  it('passes on the abort of a command that connects to a peer', async () => {
    const server = await serve({ connect: async (_, signal) => { await once(signal, 'abort'); return '' } })

    await expect(client(server).connect('/ip4/127.0.0.1/tcp/1', AbortSignal.abort()))
      .rejects.toMatchObject({ name: 'AbortError' })
  })

  it('resolves names, and hands out their records', async () => {
    const record = new Uint8Array([0, 255, 1])
    const server = await serve({
      resolveName: async name => ({ cid, path: name, ttl: 300 }),
      nameRecord: async () => record
    })
    const { signal } = new AbortController()

    await expect(client(server).resolveName('k51x', signal)).resolves.toEqual({ cid, path: 'k51x', ttl: 300 })
    await expect(client(server).nameRecord('k51x', signal)).resolves.toEqual(record)
  })

  it('passes on providers as they are found', async () => {
    const server = await serve({
      async * findProviders () {
        yield { peerId: 'a', addresses: ['/ip4/127.0.0.1/tcp/1'] }
        yield { peerId: 'b', addresses: [] }
      }
    })

    await expect(Array.fromAsync(client(server).findProviders(cid, new AbortController().signal))).resolves.toEqual([
      { peerId: 'a', addresses: ['/ip4/127.0.0.1/tcp/1'] },
      { peerId: 'b', addresses: [] }
    ])
  })

  it('is told which part of a file a block holds, and where the next one is that is here', async () => {
    const asked: FetchOptions[] = []
    const server = await serve({
      async fetch (_, options) {
        asked.push(options)
        return { bytes: new Uint8Array([1]), sender: 'a' }
      }
    })
    const part = { file: cid, start: 0, end: 30 }
    const { signal } = new AbortController()

    for (const here of [undefined, 20]) {
      await client(server).fetch(cid, { root: cid, part: { ...part, get here () { return here } }, signal })
    }

    expect(asked.map(({ part }) => part)).toEqual([part, { ...part, here: 20 }])
    await expect(client(server).fetch(cid, { root: cid, part: { ...part, here: -1 }, signal })).rejects.toThrow()
    expect(asked).toHaveLength(2)
  })

  it('stops fetching for clients that disconnect', async () => {
    let aborted: Promise<unknown> = Promise.reject(new Error('nothing was fetched'))
    aborted.catch(() => {})
    const fetching = Promise.withResolvers<void>()
    const server = await serve({
      async fetch (_, { signal }) {
        aborted = once(signal, 'abort')
        fetching.resolve()
        await aborted
        throw signal.reason
      }
    })
    const controller = new AbortController()
    const fetched = client(server).fetch(cid, { root: cid, signal: controller.signal })

    await fetching.promise
    controller.abort()

    await expect(fetched).rejects.toMatchObject({ name: 'AbortError' })
    await aborted
  })

  it('causes a DaemonError when the daemon does not answer', async () => {
    const server = await serve()
    await server.close()

    await expect(client(server).id()).rejects.toMatchObject({ name: 'DaemonError' })
  })

  it('refuses a command with the token of another daemon', async () => {
    const server = await serve()

    await expect(client({ port: server.port, token: 'ff' }).id()).rejects.toMatchObject({ name: 'DaemonError' })
  })
})
