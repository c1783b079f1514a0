import { describe, expect, it } from 'vitest'
import {
  checkHostName,
  checkReach,
  formatAddress,
  isLocalhost,
  isLoopback,
  otherUrls,
  parseListenAddress,
  urlOf
} from '../src/gateway/listen-address.ts'

describe('an address to listen on', () => {
  it.each([
    ['127.0.0.1:8080', '127.0.0.1', 8080],
    ['localhost:0', 'localhost', 0],
    ['[::1]:65535', '::1', 65_535],
    ['[::ffff:127.0.0.1]:80', '::ffff:127.0.0.1', 80],
    ['gateway.example:80', 'gateway.example', 80]
  ])('is parsed from %s, and formatted as it was', (text, host, port) => {
    const address = parseListenAddress(text)

    expect(address).toEqual({ host, port })
    expect(formatAddress(address)).toBe(text)
  })

  it.each([
    '', '8080', ':8080', '127.0.0.1', '127.0.0.1:', '127.0.0.1:65536', '127.0.0.1:-1', '127.0.0.1:8o', '::1:80',
    '[127.0.0.1]:80', '[::g]:80', 'http://127.0.0.1:80', '127.0.0.1:80/', 'a b:80', 'a\nb:80'
  ])('refuses %j', text => {
    expect(() => parseListenAddress(text)).toThrow(expect.objectContaining({ name: 'UsageError' }))
  })

  it.each<[string, boolean]>([
    ['127.0.0.1:1', true],
    ['127.8.9.10:1', true],
    ['[::1]:1', true],
    ['[0:0:0:0:0:0:0:1]:1', true],
    ['[::ffff:127.0.0.1]:1', true],
    ['localhost:1', true],
    ['LocalHost:1', true],
    ['0.0.0.0:1', false],
    ['[::]:1', false],
    ['192.168.1.2:1', false],
    ['128.0.0.1:1', false],
    ['[::ffff:192.0.2.1]:1', false],
    ['[fe80::1]:1', false],
    ['127.0.0.1.example.com:1', false],
    ['localhost.example.com:1', false]
  ])('%s reaches only this machine: %j', (text, expected) => {
    const address = parseListenAddress(text)
    const refused = (isPublic: boolean): unknown => {
      try {
        return checkReach(address, isPublic)
      } catch (err) {
        return err
      }
    }

    expect(isLoopback(address)).toBe(expected)
    expect(refused(true)).toBeUndefined()
    expect(refused(false)).toEqual(expected ? undefined : expect.objectContaining({ name: 'UsageError' }))
  })

  it.each([
    ['0.0.0.0:81', 'http://127.0.0.1:81', true],
    ['[::]:81', 'http://[::1]:81', true],
    ['[0:0::0]:81', 'http://[::1]:81', true],
    ['[::1]:81', 'http://[::1]:81', true],
    ['127.0.0.1:81', 'http://127.0.0.1:81', true],
    ['127.0.0.2:81', 'http://127.0.0.2:81', false],
    ['192.0.2.1:81', 'http://192.0.2.1:81', false]
  ])('%s is %s on this machine', (text, url, localhost) => {
    expect(urlOf(parseListenAddress(text))).toBe(url)
    expect(isLocalhost(parseListenAddress(text))).toBe(localhost)
  })
})

describe('the URLs for other machines', () => {
  const INTERFACES = {
    lo: [{ address: '127.0.0.1', family: 'IPv4', internal: true }, { address: '::1', family: 'IPv6', internal: true }],
    eth0: [
      { address: '2001:db8::2', family: 'IPv6', internal: false },
      { address: 'fe80::1', family: 'IPv6', internal: false },
      { address: '192.168.1.20', family: 'IPv4', internal: false }
    ],
    gone: undefined
  } as const

  it.each([
    ['127.0.0.1:81', []],
    ['[::1]:81', []],
    ['localhost:81', []],
    ['0.0.0.0:81', ['http://192.168.1.20:81']],
    ['[::]:81', ['http://192.168.1.20:81', 'http://[2001:db8::2]:81']],
    ['192.168.1.20:81', ['http://192.168.1.20:81']],
    ['gateway.lan:81', ['http://gateway.lan:81']]
  ])('of %s are %j', (text, urls) => {
    expect(otherUrls(parseListenAddress(text), INTERFACES)).toEqual(urls)
  })
})

describe('a host with subdomains', () => {
  it.each(['gateway.example.com', 'LAN', 'a.b-c.1d', 'gateway.example.com:8443', `${'a'.repeat(63)}.example`])(
    'may be %s',
    host => {
      expect(() => { checkHostName(host) }).not.toThrow()
    }
  )

  it.each([
    '', ' ', 'a b', 'https://gateway.example.com', 'gateway.example.com/', '*.example.com', '192.0.2.1', '192.0.2.1:80',
    '[::1]', '::1', 'a..b', '.a', 'a.', '-a', 'a-', 'a:', 'a:65536', 'a:8o', `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(127)}a`
  ])('refuses %j', host => {
    expect(() => { checkHostName(host) }).toThrow(expect.objectContaining({ name: 'UsageError' }))
  })
})
