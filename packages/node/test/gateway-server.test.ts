import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { connect } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { HealthCheck } from '../src/gateway/health.ts'
import { Metrics } from '../src/gateway/metrics.ts'
import { observe } from '../src/gateway/observe.ts'
import { createMetricsServer, listen, shutDown } from '../src/gateway/serve.ts'
import { StoreWatch } from '@ipfsz/shared-store/objects'
import { MemoryObjects } from '../../../test/support/memory-objects.ts'
import type { AccessEntry } from '../src/gateway/access-log.ts'
import type { HealthInit } from '../src/gateway/health.ts'
import type { Repo } from '../src/repo/repo.ts'
import type { RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'

const LOOPBACK = { host: '127.0.0.1', port: 0 }

async function start (
  answer: RequestListener
): Promise<{ server: Server, port: number, metrics: Metrics, entries: AccessEntry[] }> {
  const metrics = new Metrics('1')
  const entries: AccessEntry[] = []
  const server = createServer(answer)

  observe(server, {
    metrics,
    isTrusted: () => false,
    now: () => 1000,
    onEntry: entry => { entries.push(entry) }
  })
  const { port } = await listen(server, LOOPBACK)
  onTestFinished(() => { server.closeAllConnections(); server.close() })

  return { server, port, metrics, entries }
}

async function open (port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  onTestFinished(() => { socket.destroy() })
  await once(socket, 'connect')

  return socket
}

/** Wait until entries are there: a response is over a little after its client has it. */
async function waitFor (entries: AccessEntry[], count: number): Promise<void> {
  await expect.poll(() => entries.length).toBe(count)
}

describe('listening', () => {
  it('refuses a port that is in use, with its address and the code of the system', async () => {
    const { port } = await start((_, response) => { response.end() })

    await expect(listen(createServer(), { host: '127.0.0.1', port }))
      .rejects.toMatchObject({ name: 'ListenError', address: `127.0.0.1:${port}`, code: 'EADDRINUSE' })
  })

  it('refuses an address of another machine', async () => {
    await expect(listen(createServer(), { host: '192.0.2.1', port: 0 }))
      .rejects.toMatchObject({ name: 'ListenError', code: 'EADDRNOTAVAIL' })
  })
})

describe('an observed server', () => {
  it('describes each request once its response is over', async () => {
    const { port, metrics, entries } = await start((_, response) => {
      response.statusCode = 203
      response.setHeader('content-encoding', 'gzip')
      response.write(new Uint8Array(1000))
      response.end('é')
    })

    const asked = request({ port, host: '127.0.0.1', path: '/a?b', headers: { 'user-agent': 'x', referer: 'y' } }).end()
    const [response] = await once(asked, 'response')
    const body = await buffer(response)
    await waitFor(entries, 1)

    expect(entries).toEqual([{
      time: 1000,
      address: '127.0.0.1',
      method: 'GET',
      url: '/a?b',
      httpVersion: '1.1',
      host: `127.0.0.1:${port}`,
      status: 203,
      bytes: body.byteLength,
      duration: expect.any(Number),
      encoding: 'gzip',
      complete: true,
      referer: 'y',
      userAgent: 'x'
    }])
    expect(metrics.inFlight).toBe(0)
    expect(metrics.print()).toContain('requests_total{kind="other",status="203"} 1\n')
  })

  it('says of a response that the client left that it is not complete', async () => {
    const { port, metrics, entries } = await start((_, response) => { response.write('begin') })
    const socket = await open(port)

    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
    await once(socket, 'data')
    expect(metrics.inFlight).toBe(1)
    socket.destroy()
    await waitFor(entries, 1)

    expect(entries).toMatchObject([{ bytes: 5, complete: false, address: '127.0.0.1' }])
    expect(metrics.inFlight).toBe(0)
  })
})

describe('shutting down', () => {
  it('closes idle connections and half a request at once', async () => {
    const { server, port, metrics } = await start((_, response) => { response.end('x') })
    const [idle, half] = [await open(port), await open(port)]

    idle.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
    await once(idle, 'data')
    half.write('GET / HTTP/1.1\r\n')
    await expect.poll(() => metrics.inFlight).toBe(0)
    const ended = Promise.all([idle, half].map(async socket => new Promise(resolve => {
      // it may be reset
      socket.once('close', resolve)
    })))

    await shutDown(server, metrics, Number.POSITIVE_INFINITY)
    await ended
  })

  it('lets a running response end, and accepts nothing new', async () => {
    const finish = Promise.withResolvers<void>()
    const { server, port, metrics } = await start((_, response) => {
      response.write('a')
      finish.promise.then(() => response.end('b'), () => {})
    })
    const asked = request({ port, host: '127.0.0.1' }).end()
    const [response] = await once(asked, 'response')

    const down = shutDown(server, metrics, Number.POSITIVE_INFINITY)
    await expect(open(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    finish.resolve()

    await expect(text(response)).resolves.toBe('ab')
    await down
  })

  it('cuts off a response that does not end in time', async () => {
    const { server, port, metrics } = await start((_, response) => { response.write('a') })
    const asked = request({ port, host: '127.0.0.1' }).end()
    const [response] = await once(asked, 'response')

    await shutDown(server, metrics, 1)

    await expect(text(response)).rejects.toThrow('aborted')
  })
})

describe('the server for metrics', () => {
  it('prints them at /metrics alone, for GET and HEAD', async () => {
    const health = { check: async () => ({ store: { name: 'x', isReachable: true } }) }
    const server = createMetricsServer({ print: () => 'a 1\n' }, health)
    const { port } = await listen(server, LOOPBACK)
    onTestFinished(() => { server.close() })
    const ask = async (path: string, method = 'GET'): Promise<[number, string]> => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method })

      return [response.status, await response.text()]
    }

    expect(await ask('/metrics')).toEqual([200, 'a 1\n'])
    expect(await ask('/metrics?x=1')).toEqual([200, 'a 1\n'])
    expect(await ask('/metrics', 'HEAD')).toEqual([200, ''])
    expect((await ask('/metrics', 'POST'))[0]).toBe(405)
    expect((await ask('/'))[0]).toBe(404)
    expect((await fetch(`http://127.0.0.1:${port}/metrics`)).headers.get('content-type'))
      .toBe('text/plain; version=0.0.4; charset=utf-8')
  })

  it('says at /healthz whether the store answers, with status 503 if it does not', async () => {
    let isDown = false
    const objects = new MemoryObjects({
      before: async () => {
        if (isDown) {
          throw new Error('the cable is out')
        }
      }
    })
    await objects.put('ipfsz-store.json', new Uint8Array(1))
    const name = 's3://bucket/site'
    const watch = new StoreWatch({ name, isRemote: true, look: async () => objects.get('ipfsz-store.json') })
    const repo = { path: '/nowhere', shared: { name, watch } } as unknown as Repo
    const network = { peers: async () => [] }

    expect(await healthOf({ repo, network })).toEqual([200, {
      store: { name: 's3://bucket/site', isReachable: true },
      network: { peers: 0 }
    }])

    isDown = true
    expect(await healthOf({ repo, network })).toEqual([503, {
      store: { name, isReachable: false, error: `The store ${name} is unavailable: the cable is out` },
      network: { peers: 0 }
    }])
  })

  it('takes a store that hangs for one that does not answer, and asks it once', async () => {
    const look = vi.fn(async () => new Promise<never>(() => {}))
    const watch = new StoreWatch({ name: 'nfs', isRemote: false, look })
    const repo = { path: '/nowhere', shared: { name: 'nfs', watch } }
    const check = new HealthCheck({ repo: repo as unknown as Repo, timeout: 1 })

    await expect(check.check()).resolves.toMatchObject({ store: { name: 'nfs', isReachable: false } })
    // the answer is old by now
    const clock = vi.spyOn(performance, 'now').mockReturnValue(Number.MAX_SAFE_INTEGER)
    onTestFinished(() => { clock.mockRestore() })
    await expect(check.check()).resolves.toMatchObject({ store: { isReachable: false } })

    expect(look).toHaveBeenCalledTimes(1)
  })
})

async function healthOf (init: HealthInit): Promise<[number, unknown]> {
  const server = createMetricsServer({ print: () => '' }, new HealthCheck(init))
  const { port } = await listen(server, LOOPBACK)
  onTestFinished(() => { server.close() })
  const response = await fetch(`http://127.0.0.1:${port}/healthz`)

  return [response.status, await response.json()]
}
