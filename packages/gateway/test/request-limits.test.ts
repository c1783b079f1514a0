import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createNodeServer } from '../src/node/index.ts'
import { RequestLimits } from '../src/node/request-limits.ts'
import { clientOf } from '../src/client.ts'
import { listenInTest } from '../../../test/support/listen-in-test.ts'
import type { CountedRequest, RequestLimitsInit } from '../src/node/request-limits.ts'
import type { Server, Socket } from 'node:net'

const STALLED_AFTER = 1000

afterEach(() => { vi.useRealTimers() })

function limitsOf (init: Partial<RequestLimitsInit>): RequestLimits {
  return new RequestLimits({ requests: 100, requestsPerAddress: 100, stalledAfter: STALLED_AFTER, ...init })
}

function enter (limits: RequestLimits, address: string, cut = (): void => {}): CountedRequest {
  const counted = limits.enter(address, cut)

  if (typeof counted === 'number') {
    throw new TypeError(`refused: ${counted}`)
  }

  return counted
}

function statusOf (limits: RequestLimits, address: string): number {
  const counted = limits.enter(address, () => {})

  return typeof counted === 'number' ? counted : 200
}

describe('the limits of requests', () => {
  it('refuse what is too many, until others have left', () => {
    const limits = limitsOf({ requests: 5, requestsPerAddress: 2 })
    const first = enter(limits, '192.0.2.1')
    enter(limits, '192.0.2.1')

    expect(statusOf(limits, '192.0.2.1')).toBe(429)
    expect(['192.0.2.2', '192.0.2.3', '192.0.2.4'].map(address => statusOf(limits, address))).toEqual([200, 200, 200])
    expect(statusOf(limits, '192.0.2.5')).toBe(503)
    first.leave()
    first.leave()
    expect(limits.requests).toBe(4)
    expect(statusOf(limits, '192.0.2.5')).toBe(200)
  })

  it('leave room for others, however many a few addresses send', () => {
    const limits = limitsOf({ requests: 4096, requestsPerAddress: 512 })
    const greedy = Array.from({ length: 16 }, (_, i) => `192.0.2.${i}`)

    for (let i = 0; i < 512; i++) {
      greedy.forEach(address => statusOf(limits, address))
    }

    expect(limits.requests).toBeGreaterThan(3800)
    expect(greedy.map(address => statusOf(limits, address))).toEqual(greedy.map(() => 429))

    for (let i = 0; i < 50; i++) {
      expect(statusOf(limits, '198.51.100.1')).toBe(200)
    }
  })

  it('let one address have all of them, if it may: it is a proxy', () => {
    const limits = limitsOf({ requests: 3, requestsPerAddress: 3 })

    expect([1, 2, 3, 4].map(() => statusOf(limits, '192.0.2.1'))).toEqual([200, 200, 200, 503])
  })

  it('give the place of the response whose client has taken nothing for longest to a new request', () => {
    vi.useFakeTimers()
    const limits = limitsOf({ requests: 3 })
    const cut: string[] = []
    const [a, b] = ['a', 'b', 'c'].map(name => enter(limits, '192.0.2.1', () => { cut.push(name) }))
    b.stall(true)
    vi.advanceTimersByTime(10)
    a.stall(true)
    vi.advanceTimersByTime(STALLED_AFTER - 20)

    // neither for long enough
    expect(statusOf(limits, '192.0.2.2')).toBe(503)
    vi.advanceTimersByTime(100)
    expect(statusOf(limits, '192.0.2.2')).toBe(200)
    expect(cut).toEqual(['b'])
    // who reads on is not cut off
    a.stall(false)
    expect(statusOf(limits, '192.0.2.2')).toBe(503)
    b.leave()
    b.stall(true)
    expect([limits.requests, statusOf(limits, '192.0.2.2')]).toEqual([3, 503])
  })

  it('give such a place to a client that has none, if each of many has one', () => {
    vi.useFakeTimers()
    const limits = limitsOf({ requests: 3, requestsPerAddress: 2 })
    const cut: string[] = []
    const many = ['192.0.2.1', '192.0.2.2', '192.0.2.3']
    many.forEach(address => { enter(limits, address, () => { cut.push(address) }).stall(true) })

    expect(statusOf(limits, '192.0.2.4')).toBe(503)
    vi.advanceTimersByTime(STALLED_AFTER)
    expect(statusOf(limits, '192.0.2.4')).toBe(200)
    expect(cut).toEqual(['192.0.2.1'])
  })

  it('give the place of one of its own to a client that has too many', () => {
    vi.useFakeTimers()
    const limits = limitsOf({ requestsPerAddress: 1 })
    const cut: string[] = []
    enter(limits, '192.0.2.1', () => { cut.push('other') }).stall(true)
    enter(limits, '192.0.2.2', () => { cut.push('own') }).stall(true)
    vi.advanceTimersByTime(STALLED_AFTER)

    expect(statusOf(limits, '192.0.2.2')).toBe(200)
    expect(cut).toEqual(['own'])
  })

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::6', '2001:db8:1:2'],
    ['2001:0db8::1', '2001:db8:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['::1', '0:0:0:0'],
    ['', '']
  ])('count %s as %s', (address, client) => {
    expect(clientOf(address)).toBe(client)
  })
})

/** What no system keeps for a client that does not read. */
const ENDLESS = new Uint8Array(64 * 1024)

describe('a server whose clients do not read', () => {
  it.each([
    ['as many of one address as there may be', { requests: 40, requestsPerAddress: 40 }],
    ['as many as there may be connections', { maxConnections: 80, requestsPerAddress: 4096 }]
  ])('answers others, with %s', async (_, init) => {
    const port = await listenInTest(createNodeServer(async ({ url }) => url.endsWith('/small')
      ? new Response('small')
      : new Response(new ReadableStream({ pull: controller => { controller.enqueue(ENDLESS.slice()) } })), {
      ...init, stalledAfter: 100
    }) as Server)
    const ask = (path: string): Socket => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)

      return socket
    }
    const slow = Array.from({ length: 40 }, () => ask('/endless'))
    await Promise.all(slow.map(async socket => once(socket, 'readable')))
    const answer = async (): Promise<string> => {
      const socket = ask('/small')
      const [text] = await once(socket, 'data').catch(() => ['reset'])
      socket.destroy()

      return String(text).slice(0, 12)
    }

    // refused until one of them counts as stalled
    await expect.poll(answer).toBe('HTTP/1.1 200')
    expect(slow.filter(({ destroyed }) => !destroyed).length).toBeGreaterThan(30)
    slow.forEach(socket => { socket.destroy() })
  })
})
