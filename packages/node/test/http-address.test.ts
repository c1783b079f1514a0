import { describe, expect, it } from 'vitest'
import { httpUrl } from '../src/network/sources/http-address.ts'

const PEER = '12D3KooWEsKGiTKJKz6WAJcYhs9C2n2Fwbf8Mo4AiZyF72H8P1gQ'

describe('httpUrl', () => {
  it.each([
    ['/dns4/gateway.example/tcp/443/https', 'https://gateway.example/'],
    ['/dns/gateway.example/tcp/443/tls/http', 'https://gateway.example/'],
    ['/dns6/gateway.example/tcp/8443/tls/sni/gateway.example/http', 'https://gateway.example:8443/'],
    [`/dns4/gateway.example./tcp/80/http/p2p/${PEER}`, 'http://gateway.example./'],
    ['/ip4/1.1.1.1/tcp/8080/http', 'http://1.1.1.1:8080/'],
    ['/ip6/2606:4700::1111/tcp/443/https', 'https://[2606:4700::1111]/'],
    ['/dns4/xn--bcher-kva.example/tcp/443/https', 'https://xn--bcher-kva.example/']
  ])('makes a URL of %s', (address, url) => {
    expect(httpUrl(address, false)?.href).toBe(url)
    expect(httpUrl(address, true)?.href).toBe(url)
  })

  it.each([
    '',
    '/ip4/1.1.1.1/tcp/4001',
    `/ip4/1.1.1.1/tcp/4001/p2p/${PEER}`,
    '/ip4/1.1.1.1/udp/443/quic-v1/webtransport',
    '/ip4/1.1.1.1/tcp/443/tls/ws',
    '/dns4/gateway.example/tcp/443/https/http-path/a%2Fb',
    '/dns4/gateway.example/tcp/443/https/p2p-circuit',
    '/dns4/gateway.example/tcp/443/tls/sni/other.example/http',
    '/dnsaddr/gateway.example/tcp/443/https',
    '/dns4/user:password@gateway.example/tcp/443/https',
    '/dns4/gateway.example:80@1.1.1.1/tcp/443/https',
    '/dns4/gateway.example?a/tcp/443/https',
    '/dns4/gateway.example#a/tcp/443/https',
    '/dns4/gateway.example\\a/tcp/443/https',
    '/dns4/gateway.example%2fa/tcp/443/https',
    '/dns4/gateway..example/tcp/443/https',
    '/dns4/a b/tcp/443/https',
    '/dns4/[::1]/tcp/443/https',
    `/dns4/${'a'.repeat(254)}/tcp/443/https`,
    `/dns4/gateway.example/tcp/443/https/p2p/${'a'.repeat(1000)}`,
    '/ip4/gateway.example/tcp/443/https',
    '/ip4/1.1.1/tcp/443/https',
    '/ip6/1.1.1.1/tcp/443/https',
    '/ip6/2606:4700::1111%25eth0/tcp/443/https',
    '/dns4/gateway.example/tcp/0/https',
    '/dns4/gateway.example/tcp/65536/https',
    '/dns4/gateway.example/tcp/-1/https',
    'https://gateway.example/',
    'file:///etc/passwd'
  ])('knows that this is no address of a gateway: %s', address => {
    expect(httpUrl(address, false)).toBeUndefined()
    expect(httpUrl(address, true)).toBeUndefined()
  })

  it.each([
    ['/ip4/127.0.0.1/tcp/8080/http', '127.0.0.1'],
    ['/ip4/0.1.2.3/tcp/8080/http', '0.1.2.3'],
    ['/ip4/10.0.0.1/tcp/8080/http', '10.0.0.1'],
    ['/ip4/169.254.169.254/tcp/80/http', '169.254.169.254'],
    ['/ip6/::1/tcp/8080/http', '::1'],
    ['/ip6/::ffff:10.0.0.1/tcp/8080/http', '::ffff:a00:1'],
    ['/ip6/64:ff9b::7f00:1/tcp/8080/http', '64:ff9b::7f00:1'],
    ['/ip6/fd00::1/tcp/443/https', 'fd00::1'],
    // URLs take names of digits for addresses
    ['/dns4/2130706433/tcp/8080/http', '127.0.0.1'],
    ['/dns4/0x7f.1/tcp/8080/http', '127.0.0.1'],
    ['/dns4/0177.0.0.1/tcp/8080/http', '127.0.0.1'],
    ['/dns4/127.0.0.1./tcp/8080/http', '127.0.0.1']
  ])('refuses %s, unless private networks are allowed', (text, address) => {
    expect(() => httpUrl(text, false)).toThrow(expect.objectContaining({ name: 'PrivateAddressError', address }))
    expect(httpUrl(text, true)?.hostname).toContain(address)
  })

  it.each([22, 25, 53, 110, 143, 993])('refuses port %i, which is that of another service', port => {
    expect(httpUrl(`/dns4/gateway.example/tcp/${port}/http`, false)).toBeUndefined()
    expect(httpUrl(`/dns4/gateway.example/tcp/${port}/http`, true)?.port).toBe(String(port))
  })
})
