import { describe, expect, it } from 'vitest'
import { createNodeHandler } from '../src/node/index.ts'
import { clientAddress, proxiesOf, trustedProxies } from '../src/node/trusted-proxies.ts'
import type { ClientRequest, TrustedProxies } from '../src/node/index.ts'

function requestOf (remoteAddress: string | undefined, forwarded?: string): ClientRequest {
  return { socket: { remoteAddress }, headers: forwarded == null ? {} : { 'x-forwarded-for': forwarded } }
}

describe('the address of a client', () => {
  it.each<[string, string | undefined, string | undefined, TrustedProxies | undefined, string]>([
    ['the connection', '192.0.2.1', undefined, undefined, '192.0.2.1'],
    ['the connection, of IPv4 in IPv6', '::ffff:192.0.2.1', undefined, undefined, '192.0.2.1'],
    ['unknown', undefined, undefined, undefined, '-'],
    ['the connection if nobody is trusted', '127.0.0.1', '198.51.100.7', undefined, '127.0.0.1'],
    ['the connection if it is not a trusted proxy', '192.0.2.1', '198.51.100.7', 'loopback', '192.0.2.1'],
    ['what a proxy on loopback forwards', '127.0.0.1', '198.51.100.7', 'loopback', '198.51.100.7'],
    ['what a named proxy forwards', '::ffff:192.0.2.1', '198.51.100.7', ['192.0.2.1'], '198.51.100.7'],
    ['what a proxy of a range forwards', '10.20.30.40', '198.51.100.7', ['10.0.0.0/8'], '198.51.100.7'],
    ['what a proxy of a range forwards, of IPv4 in IPv6', '::ffff:10.0.0.1', '::1', ['10.0.0.0/8'], '::1'],
    ['the connection if it is outside of the range', '11.0.0.1', '198.51.100.7', ['10.0.0.0/8'], '11.0.0.1'],
    ['what a proxy of a range of IPv6 forwards', 'fd00::5', '198.51.100.7', ['loopback', 'fd00::/8'], '198.51.100.7'],
    ['the connection if it is outside of the range of IPv6', 'fe00::5', '6.6.6.6', ['fd00::/8'], 'fe00::5'],
    ['the last that is no proxy', '192.0.2.1', '6.6.6.6, 198.51.100.7,192.0.2.2', ['192.0.2.1', '192.0.2.2'],
      '198.51.100.7'],
    ['the last that is no proxy of a range', '10.0.0.1', '6.6.6.6, 198.51.100.7,10.0.0.2', ['10.0.0.0/8'],
      '198.51.100.7'],
    ['the first if all are proxies', '10.0.0.1', '10.0.0.3, 10.0.0.2', ['10.0.0.0/8'], '10.0.0.3'],
    ['what is forwarded, though it is no address', '10.0.0.1', 'unknown', ['10.0.0.0/8'], 'unknown'],
    ['the proxy if it forwards nothing', '127.0.0.1', ' , ', 'loopback', '127.0.0.1']
  ])('is %s', (_, remote, forwarded, trusted, expected) => {
    expect(clientAddress(requestOf(remote, forwarded), trustedProxies(trusted))).toBe(expected)
  })
})

describe('trusted proxies', () => {
  it('are those that a request names, as it names them', () => {
    const isTrusted = trustedProxies(['10.0.0.0/8', 'loopback'])

    expect(proxiesOf(requestOf('::ffff:10.0.0.1', '10.0.0.3, 6.6.6.6, ::ffff:10.0.0.2, ::1'), isTrusted))
      .toEqual(['::ffff:10.0.0.1', '10.0.0.3', '::ffff:10.0.0.2', '::1'])
    // who is not trusted names nobody
    expect(proxiesOf(requestOf('192.0.2.1', '10.0.0.3'), isTrusted)).toEqual([])
  })

  it.each([
    '', 'localhost', '10.0.0.0/33', '10.0.0/8', '10.0.0.0/', '10.0.0.0/-1', '10.0.0.0/8/8', 'fd00::/129', '*', '/8'
  ])('refuses %j', proxy => {
    expect(() => trustedProxies([proxy])).toThrow(expect.objectContaining({ name: 'InvalidProxyError', proxy }))
    expect(() => createNodeHandler(async () => new Response(), { trustProxy: [proxy] }))
      .toThrow(expect.objectContaining({ name: 'InvalidProxyError' }))
  })
})
