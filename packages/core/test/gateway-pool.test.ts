import { describe, expect, it } from 'vitest'
import { GatewayBusyError, GatewayConnectionError, GatewayContentError } from '../src/fetch/http/errors.ts'
import { GatewayPool, parseGatewayUrl } from '../src/fetch/http/index.ts'

const none = (): boolean => false

describe('parseGatewayUrl', () => {
  it.each([
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/'],
    ['https://example.com/a/gateway', 'https://example.com/a/gateway/'],
    ['http://localhost:8080/', 'http://127.0.0.1:8080/'],
    ['https://localhost', 'https://localhost/'],
    ['HTTP://[::1]:80', 'http://[::1]/']
  ])('reads %s as %s', (text, url) => { expect(parseGatewayUrl(text).href).toBe(url) })

  it.each([
    '', 'gateway', '127.0.0.1:8080', 'ftp://127.0.0.1', 'file:///etc/passwd', 'http://', 'http://a:b@127.0.0.1',
    'http://127.0.0.1/?a=b', 'http://127.0.0.1/#a', '/ip4/127.0.0.1/tcp/80/http'
  ])('refuses %s', text => {
    expect(() => parseGatewayUrl(text)).toThrow(expect.objectContaining({ name: 'InvalidGatewayUrlError' }) as Error)
  })
})

describe('GatewayPool', () => {
  it('holds each gateway once', () => {
    expect(new GatewayPool(['http://a', 'http://a/', 'http://b']).gateways.map(({ url }) => url))
      .toEqual(['http://a/', 'http://b/'])
  })

  it('takes more gateways later, and shares with another pool what is known of them', () => {
    const all = new GatewayPool([])
    const [one, other] = [new GatewayPool(['http://a'], all), new GatewayPool([], all)]

    expect(one.add('http://b/').url).toBe('http://b/')
    expect(other.add(new URL('http://b'))).toBe(one.gateways[1])
    expect(other.gateways).toHaveLength(1)
    expect(all.gateways).toEqual(one.gateways)
    expect(() => one.add('ftp://c')).toThrow(expect.objectContaining({ name: 'InvalidGatewayUrlError' }) as Error)
  })

  it('prefers gateways in their order, those that are slow last', () => {
    const pool = new GatewayPool(['http://a', 'http://b'])
    const [a, b] = pool.gateways

    expect(pool.pick(none)).toBe(a)
    a.isSlow = true
    expect(pool.pick(none)).toBe(b)
    expect(pool.pick(gateway => gateway === b)).toBe(a)
  })

  it('leaves a gateway alone that failed, for longer if it asks for that, for ever if it sent wrong bytes', () => {
    const pool = new GatewayPool(['http://a', 'http://b', 'http://c'])
    const [a, b, c] = pool.gateways

    a.failed(new GatewayConnectionError(a.url, 'is gone'))
    b.failed(new GatewayBusyError(b.url, 429, 60_000))
    c.failed(new GatewayContentError(c.url, 'no'))

    expect(pool.pick(none)).toBeUndefined()
    expect(a.pause).toBeLessThanOrEqual(250)
    expect(b.pause).toBeGreaterThan(250)
    expect(c.pause).toBe(Number.POSITIVE_INFINITY)
    expect(pool.pause(gateway => gateway === a)).toBeGreaterThan(250)
    expect(pool.pause(() => true)).toBe(Number.POSITIVE_INFINITY)
  })

  it('does not leave a gateway alone for days, whatever it asks for', () => {
    const { gateways: [gateway] } = new GatewayPool(['http://a'])
    gateway.failed(new GatewayBusyError(gateway.url, 503, 1e9))

    expect(gateway.pause).toBeLessThanOrEqual(300_000)
  })

  it('replaces a gateway by one that is known to be much faster, or by an unknown one if it is really slow', () => {
    const pool = new GatewayPool(['http://a', 'http://b', 'http://c'])
    const [a, b, c] = pool.gateways

    expect(pool.faster(a, 10_000, none)).toBeUndefined()
    expect(pool.faster(a, 100, none)).toBe(b)
    b.rate = 150
    expect(pool.faster(a, 100, none)).toBe(c)
    c.rate = 250
    expect(pool.faster(a, 100, none)).toBe(c)
    expect(pool.faster(a, 100, gateway => gateway === c)).toBeUndefined()
  })
})
