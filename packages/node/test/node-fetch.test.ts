import { createServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createNodeFetch } from '../src/network/node-fetch.ts'
import { noise } from '../../../test/support/data.ts'
import { listenInTest } from '../../../test/support/listen-in-test.ts'
import type { GatewayRequest, GatewayResponse } from '@ipfsz/core/http'
import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'

const BYTES = noise(3_000_000)

async function ask (handle: RequestListener, request: Partial<GatewayRequest> = {}): Promise<GatewayResponse> {
  const port = await listenInTest(createServer(handle))

  return createNodeFetch()(new URL(`http://127.0.0.1:${port}/`), { headers: {}, ...request })
}

/** Read a body as its reader does: what was copied is released. */
async function read ({ body }: GatewayResponse, onReleased?: (chunk: Uint8Array) => void): Promise<Buffer> {
  const reader = body?.getReader()
  const chunks: Uint8Array[] = []

  for (;;) {
    const { value } = await reader?.read() ?? {}

    if (value == null) {
      return Buffer.concat(chunks)
    }

    chunks.push(Uint8Array.from(value))
    reader?.release?.(value)
    onReleased?.(value)
  }
}

describe('createNodeFetch', () => {
  it('reads a body as it is sent, and headers in any case', async () => {
    const response = await ask((_, response) => { response.writeHead(200, { 'X-Two': ['a', 'b'] }).end(BYTES) })

    expect(response.status).toBe(200)
    expect([response.headers.get('x-two'), response.headers.get('x-three')]).toEqual(['a, b', null])
    expect(Buffer.compare(await read(response), BYTES)).toBe(0)
  })

  it('uses the connections of earlier requests, of others too', async () => {
    const server = createServer((_, response) => { response.end('a') })
    const port = await listenInTest(server)
    const clients = new Set<number | undefined>()
    server.on('request', ({ socket }) => { clients.add(socket.remotePort) })

    for (let i = 0; i < 3; i++) {
      await read(await createNodeFetch()(new URL(`http://127.0.0.1:${port}/`), { headers: {} }))
    }

    expect(clients.size).toBe(1)
  })

  it('reads bodies that arrive at the same time, although they arrive in the same memory', async () => {
    const bodies = [BYTES, BYTES.map(byte => ~byte), BYTES.toReversed()]
    const port = await listenInTest(createServer(({ url }, response) => {
      response.end(bodies[Number(url?.slice(1))])
    }))
    const fetch = createNodeFetch()

    await Promise.all(bodies.map(async (body, i) => {
      const response = await fetch(new URL(`http://127.0.0.1:${port}/${i}`), { headers: {} })

      expect(Buffer.compare(await read(response), body)).toBe(0)
    }))
  })

  it('frees what was read of a body as it is sent, and not what a decoder gave', async () => {
    const plain = await ask((_, response) => { response.end(BYTES) })
    const decoded = await ask((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(BYTES))
    })
    const left = { plain: new Set<number>(), decoded: new Set<number>() }
    await read(plain, chunk => left.plain.add(chunk.byteLength))
    await read(decoded, chunk => left.decoded.add(chunk.byteLength))

    expect(left.plain).toEqual(new Set([0]))
    expect(left.decoded).not.toContain(0)
  })

  it.each([
    ['gzip', gzipSync(BYTES)],
    ['deflate', deflateSync(BYTES)],
    ['br', brotliCompressSync(BYTES, { params: { 1: 1 } })]
  ])('decodes %s', async (encoding, encoded) => {
    const response = await ask((_, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(encoded)
    })

    expect(Buffer.compare(await read(response), BYTES)).toBe(0)
  })

  it('refuses an encoding that it did not ask for', async () => {
    const asked: unknown[] = []
    await expect(ask(({ headers }, response) => {
      asked.push(headers['accept-encoding'])
      response.writeHead(200, { 'content-encoding': 'zstd' }).end('a')
    })).rejects.toThrow('the response has the Content-Encoding zstd')
    expect(asked).toEqual(['gzip, deflate'])
  })

  it.each(['identity', 'gzip'])('rejects a body with the encoding %s that breaks off', async encoding => {
    const body = encoding === 'gzip' ? gzipSync(BYTES) : BYTES
    const response = await ask((_, response) => {
      response.writeHead(200, { 'content-encoding': encoding, 'content-length': body.byteLength })
      response.write(body.subarray(0, 1_000_000), () => { response.destroy() })
    })

    await expect(read(response)).rejects.toThrow()
  })

  it('reads only a little ahead, and ends the response when it is cancelled', async () => {
    let sent = 0
    const closed = Promise.withResolvers<void>()
    const response = await ask((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(BYTES.subarray(0, 65536))) {
          sent += 65536
        }
      }
      response.on('drain', more).on('close', closed.resolve)
      more()
    })
    const reader = response.body?.getReader()
    await reader?.read()
    const before = sent
    await response.body?.cancel()
    await closed.promise

    // what the system buffers besides
    expect(before).toBeLessThan(64 * 1024 * 1024)
    await expect((async () => { while ((await reader?.read())?.value != null) { /* what has arrived */ } })())
      .rejects.toThrow('the connection was closed')
  })

  it('closes a connection on which something arrives that nobody asked for, and reads what it asked for', async () => {
    const fetch = createNodeFetch()
    const sockets: Socket[] = []
    const port = await listenInTest(createTcpServer(socket => {
      sockets.push(socket)
      socket.once('data', () => { socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nright') })
    }))

    for (let i = 0; i < 2; i++) {
      const response = await fetch(new URL(`http://127.0.0.1:${port}/`), { headers: {} })
      // as servers say that they close an idle connection
      sockets[i].write('HTTP/1.1 408 Request Timeout\r\ncontent-length: 5\r\n\r\nwrong')
      await new Promise(resolve => sockets[i].once('close', resolve))

      expect(response.status).toBe(200)
      expect(String(await read(response))).toBe('right')
    }
  })

  it('rejects a response that switches to another protocol', async () => {
    const port = await listenInTest(createTcpServer(socket => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\nbytes')
      })
    }))

    await expect(createNodeFetch()(new URL(`http://127.0.0.1:${port}/`), { headers: {} }))
      .rejects.toThrow('the connection was closed without a response')
  })

  it('follows no redirect, and ends when the signal aborts', async () => {
    const moved = await ask((_, response) => response.writeHead(302, { location: '/' }).end())
    expect([moved.status, moved.headers.get('location')]).toEqual([302, '/'])

    const abort = new AbortController()
    const asking = ask(() => { abort.abort() }, { signal: abort.signal })
    await expect(asking).rejects.toMatchObject({ name: 'AbortError' })
  })
})
