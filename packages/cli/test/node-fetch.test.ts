import { createServer } from 'node:http'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createNodeFetch } from '../src/network/node-fetch.ts'
import { noise } from '../../../test/support/data.ts'
import { listenInTest } from '../../../test/support/listen-in-test.ts'
import type { GatewayRequest, GatewayResponse } from '@ipfsz/core/http'
import type { RequestListener } from 'node:http'

const BYTES = noise(3_000_000)

async function ask (handle: RequestListener, request: Partial<GatewayRequest> = {}): Promise<GatewayResponse> {
  const port = await listenInTest(createServer(handle))

  return createNodeFetch()(new URL(`http://127.0.0.1:${port}/`), { headers: {}, ...request })
}

async function read ({ body }: GatewayResponse): Promise<Buffer> {
  const reader = body?.getReader()
  const chunks: Uint8Array[] = []

  for (;;) {
    const { done = true, value } = await reader?.read() ?? {}

    if (done) {
      return Buffer.concat(chunks)
    }

    chunks.push(value ?? new Uint8Array(0))
  }
}

describe('createNodeFetch', () => {
  it('reads a body as it is sent, and headers in any case', async () => {
    const response = await ask((_, response) => { response.writeHead(200, { 'X-Two': ['a', 'b'] }).end(BYTES) })

    expect(response.status).toBe(200)
    expect([response.headers.get('x-two'), response.headers.get('x-three')]).toEqual(['a, b', null])
    expect(Buffer.compare(await read(response), BYTES)).toBe(0)
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
    await expect((async () => { while ((await reader?.read())?.done === false) { /* what has arrived */ } })())
      .rejects.toThrow('the connection was closed')
  })

  it('follows no redirect, and ends when the signal aborts', async () => {
    const moved = await ask((_, response) => response.writeHead(302, { location: '/' }).end())
    expect([moved.status, moved.headers.get('location')]).toEqual([302, '/'])

    const abort = new AbortController()
    const asking = ask(() => { abort.abort() }, { signal: abort.signal })
    await expect(asking).rejects.toMatchObject({ name: 'AbortError' })
  })
})
