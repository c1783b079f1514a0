import { once } from 'node:events'
import { get as httpGet } from 'node:http'
import { connect as connect2, createServer as createServer2 } from 'node:http2'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { createNodeHandler, createNodeServer } from '../src/node/index.ts'
import { TLS } from '../../../test/support/certificate.ts'
import { listenInTest } from '../../../test/support/listen-in-test.ts'
import { addCompressed, KIB, noise, same, serve, text } from './fixtures.ts'
import type { NodeHandlerInit, NodeServerInit } from '../src/node/index.ts'
import type { Gateway } from '../src/index.ts'
import type { IncomingMessage } from 'node:http'
import type { Server, Socket } from 'node:net'

async function serveHttp (gateway: Gateway, init?: NodeServerInit): Promise<number> {
  return listenInTest(createNodeServer(gateway, init) as Server)
}

async function serveHttp2 (gateway: Gateway, init?: NodeHandlerInit): Promise<number> {
  return listenInTest(createServer2(createNodeHandler(gateway, init)))
}

/** Everything that a server sends until the connection ends, and how it ends. */
async function exchange (socket: Socket, request: string): Promise<{ text: string, ending: string }> {
  const chunks: Uint8Array[] = []
  let ending = 'close'

  socket.on('data', (chunk: Uint8Array) => { chunks.push(chunk) })
  socket.on('end', () => { ending = 'end' })
  socket.on('error', (err: NodeJS.ErrnoException) => { ending = err.code ?? err.message })
  socket.write(request)
  await new Promise(resolve => { socket.once('close', resolve) })

  return { text: Buffer.concat(chunks).toString('latin1'), ending }
}

/** A body of 3,000 bytes that then fails. */
function failing (headers: Record<string, string>, failure: unknown = new Error('failed')): Gateway {
  return async () => {
    let pieces = 0

    return new Response(new ReadableStream({
      pull: controller => {
        if (pieces++ === 3) {
          throw failure
        }

        controller.enqueue(new Uint8Array(1000).fill(65))
      }
    }, { highWaterMark: 0 }), { headers })
  }
}

async function fetchText (port: number, path = '/', headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, { headers })
}

describe('a body that fails', () => {
  const cases: Array<[string, string, Record<string, string>]> = [
    ['HTTP/1.1 with Content-Length', '1.1', { 'content-length': '3001' }],
    ['HTTP/1.1, chunked', '1.1', {}],
    ['HTTP/1.0, which ends with its connection', '1.0', {}]
  ]

  it.each(cases)('resets the connection of %s', async (_, version, headers) => {
    for (const failure of [new Error('failed'), undefined]) {
      const port = await serveHttp(failing(headers, failure))
      const { text, ending } = await exchange(connect(port, '127.0.0.1'), `GET / HTTP/${version}\r\nHost: x\r\n\r\n`)

      expect(ending).toBe('ECONNRESET')
      expect(text.endsWith('0\r\n\r\n')).toBe(false)
    }
  })

  it('ends the connection of TLS, which has no reset', async () => {
    const port = await serveHttp(failing({ 'content-length': '3001' }), { tls: TLS })
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
    await once(socket, 'secureConnect')
    const { text } = await exchange(socket, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')

    expect(text.split('A').length).toBeLessThan(3002)
  })

  it('resets the stream of HTTP/2, and leaves the others alone', async () => {
    for (const failure of [new Error('failed'), undefined]) {
      const fail = failing({ 'content-length': '3001' }, failure)
      const port = await serveHttp2(async request => request.url.endsWith('/ok') ? new Response('ok') : fail(request))
      const session = connect2(`http://127.0.0.1:${port}`)
      const stream = session.request({ ':path': '/' })
      const ended = Promise.withResolvers<unknown>()
      stream.once('error', ended.resolve).once('end', () => { ended.resolve('end') }).resume()

      expect(await ended.promise).toMatchObject({ code: 'ERR_HTTP2_STREAM_ERROR' })
      expect(stream.rstCode).toBe(2)

      const other = session.request({ ':path': '/ok' })
      expect(Buffer.concat(await other.toArray() as Uint8Array[]).toString()).toBe('ok')
      session.close()
    }
  })

  it('is an error for fetch, whatever the encoding', async () => {
    const { gateway, fs, blockstore } = serve()
    const cid = await addCompressed(fs, noise(2_500_000), 'zstd', 64 * KIB)
    const leaves = await Array.fromAsync(blockstore.getAll())
    await blockstore.delete(leaves[leaves.length - 2].cid)
    const port = await serveHttp(gateway)

    for (const encoding of ['zstd', 'identity']) {
      const response = await fetchText(port, `/ipfs/${cid}?filename=a.bin`, { 'accept-encoding': encoding })

      expect(response.status).toBe(200)
      await expect(response.arrayBuffer()).rejects.toThrow()
    }
  })
})

describe('a server', () => {
  it('sends what the gateway answers, over HTTP/1.1, HTTP/2 and TLS', async () => {
    const { gateway, fs } = serve()
    const bytes = text(300_000)
    const cid = await addCompressed(fs, bytes, 'zstd', 64 * KIB)
    const port = await serveHttp(gateway)

    for (const encoding of ['zstd', 'identity']) {
      const response = await fetchText(port, `/ipfs/${cid}`, { 'accept-encoding': encoding })
      expect(response.headers.get('etag')).toBe(encoding === 'zstd' ? `"${cid}.zstd"` : `"${cid}"`)
      expect(same(new Uint8Array(await response.arrayBuffer()), bytes)).toBe(true)
    }

    const session = connect2(`https://127.0.0.1:${await serveHttp(gateway, { tls: TLS })}`, { rejectUnauthorized: false })
    const stream = session.request({ ':path': `/ipfs/${cid}` })
    const [headers] = await once(stream, 'response') as [Record<string, string>]

    expect(headers[':status']).toBe(200)
    expect(headers['content-length']).toBe('300000')
    expect(same(Buffer.concat(await stream.toArray() as Uint8Array[]), bytes)).toBe(true)
    session.close()
  })

  it('answers HEAD with the length and no body, and keeps the connection', async () => {
    const { gateway, fs } = serve()
    const cid = await addCompressed(fs, text(300_000), 'zstd', 64 * KIB)
    const port = await serveHttp(gateway)
    const request = `HEAD /ipfs/${cid} HTTP/1.1\r\nHost: x\r\n`
    const { text: answers, ending } = await exchange(
      connect(port, '127.0.0.1'), `${request}\r\n${request}Connection: close\r\n\r\n`
    )

    expect(answers.match(/content-length: 300000/gi)).toHaveLength(2)
    expect(answers.endsWith('\r\n\r\n')).toBe(true)
    expect(ending).toBe('end')
  })

  it('aborts the request and cancels the body if the client goes away', async () => {
    for (const begins of [true, false]) {
      let aborted = false
      let cancelled = !begins
      const entered = Promise.withResolvers<void>()
      const port = await serveHttp(async request => {
        request.signal.addEventListener('abort', () => { aborted = true })
        entered.resolve()

        return begins
          ? new Response(new ReadableStream({ cancel: () => { cancelled = true } }))
          : new Promise(() => {})
      })
      const socket = connect(port, '127.0.0.1')
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
      await entered.promise
      socket.destroy()

      await expect.poll(() => aborted && cancelled).toBe(true)
    }
  })

  it('counts requests of HTTP/2, and cancels the bodies of those that are closed', async () => {
    let cancelled = 0
    const port = await serveHttp2(async () => new Response(new ReadableStream({
      start: controller => { controller.enqueue(new Uint8Array(10)) },
      cancel: () => { cancelled++ }
    })), { requests: 1 })
    const session = connect2(`http://127.0.0.1:${port}`)

    for (let i = 1; i <= 3; i++) {
      const stream = session.request({ ':path': '/' })
      const [headers] = await once(stream, 'response') as [Record<string, unknown>]
      expect(headers[':status']).toBe(200)

      const refused = session.request({ ':path': '/' })
      const [other] = await once(refused, 'response') as [Record<string, unknown>]
      expect(other[':status']).toBe(503)
      refused.close()

      stream.close(8)
      await expect.poll(() => cancelled).toBe(i)
    }

    session.close()
  })

  it('waits for a slow client instead of filling the memory', async () => {
    let pulled = 0
    const port = await serveHttp(async () => new Response(new ReadableStream({
      pull: controller => {
        pulled++
        controller.enqueue(new Uint8Array(1024 * KIB))
      }
    }, { highWaterMark: 0 })))
    const response = await new Promise<IncomingMessage>(resolve => { httpGet({ port, host: '127.0.0.1' }, resolve) })
    response.pause()
    let before = -1

    // the buffers of the system fill up
    await expect.poll(() => {
      const stands = pulled === before
      before = pulled

      return stands
    }, { interval: 50 }).toBe(true)
    expect(pulled).toBeLessThan(64)
    response.destroy()
  })

  it('limits the requests that it answers at once, altogether and of one address', async () => {
    for (const [init, status] of [[{ requests: 1 }, 503], [{ requestsPerAddress: 1 }, 429]] as const) {
      const first = Promise.withResolvers<Response>()
      let calls = 0
      const port = await serveHttp(async () => calls++ === 0
        ? first.promise
        : new Response('ok'), init)
      const answer = fetchText(port)
      await expect.poll(() => calls).toBe(1)
      const refused = await fetchText(port)

      expect(refused.status).toBe(status)
      expect(refused.headers.get('retry-after')).toBe('1')
      // pages of other origins learn of it
      expect(refused.headers.get('access-control-allow-origin')).toBe('*')
      first.resolve(new Response('first'))
      expect(await (await answer).text()).toBe('first')
      await expect.poll(async () => (await fetchText(port)).status).toBe(200)
    }
  })

  it('counts clients of a proxy that it trusts by their own addresses', async () => {
    const first = Promise.withResolvers<Response>()
    let calls = 0
    const port = await serveHttp(async () => calls++ === 0
      ? first.promise
      : new Response('ok'), { requestsPerAddress: 1, trustProxy: 'loopback' })
    const answer = fetchText(port, '/', { 'x-forwarded-for': '192.0.2.1' })
    await expect.poll(() => calls).toBe(1)

    expect((await fetchText(port, '/', { 'x-forwarded-for': '192.0.2.1' })).status).toBe(429)
    expect((await fetchText(port, '/', { 'x-forwarded-for': '192.0.2.2' })).status).toBe(200)
    first.resolve(new Response('first'))
    await answer
  })

  it('believes the host that a proxy of a trusted range forwards, and no other', async () => {
    const hosts: string[] = []

    for (const trustProxy of [['127.0.0.0/8'], ['10.0.0.0/8']]) {
      const port = await serveHttp(async request => {
        hosts.push(new URL(request.url).host)

        return new Response('ok')
      }, { trustProxy })
      await fetchText(port, '/', {
        'x-forwarded-for': '192.0.2.1, 127.0.0.2',
        'x-forwarded-host': 'client.example, first.example, second.example'
      })
    }

    // two proxies are trusted: what the client wrote is not believed
    expect(hosts).toEqual(['first.example', expect.stringContaining('127.0.0.1:')])
  })

  it('refuses a request that names two hosts', async () => {
    const port = await serveHttp(async () => new Response('ok'))
    const { text } = await exchange(connect(port, '127.0.0.1'), 'GET / HTTP/1.1\r\nHost: a\r\nhOST: b\r\n\r\n')

    expect(text.split('\r\n', 1)).toEqual(['HTTP/1.1 400 Bad Request'])
  })

  it.each([
    ['', 200], ['a', 200], ['a.b-c_d:80', 200], ['[::1]:80', 200], ['127.0.0.1:', 200], ['a b', 400], ['a/..', 400],
    ['user@a', 400], ['[::1', 400], ['a:80:80', 400], ['a?b', 400], ['\u0080', 400]
  ])('answers a request to the host %j with %i', async (host, status) => {
    const port = await serveHttp(async () => new Response('ok'))
    const request = `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
    const { text } = await exchange(connect(port, '127.0.0.1'), request)

    expect(text.slice(0, 13)).toBe(`HTTP/1.1 ${status} `)
  })

  it('refuses headers that are too large', async () => {
    const port = await serveHttp(async () => new Response('ok'), { maxHeaderSize: 1000 })
    const request = `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(2000)}\r\n\r\n`
    const { text } = await exchange(connect(port, '127.0.0.1'), request)

    expect(text).toContain('431')
  })

  it('closes the connection of a request with a body, which nobody reads', async () => {
    const port = await serveHttp(serve().gateway)
    const { text } = await exchange(
      connect(port, '127.0.0.1'),
      'POST /ipfs/bafkqaaa HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nabc'
    )

    expect(text).toMatch(/^HTTP\/1.1 405 /)
    expect(text).toMatch(/connection: close/i)
  })
})
