import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { isPublicAddress } from '../src/network/sources/public-address.ts'
import { createPublicFetch } from '../src/network/sources/public-fetch.ts'
import type { GatewayResponse } from '@ipfsz/core/http'
import type { AddressInfo, LookupFunction } from 'node:net'

/** A server on loopback that counts its connections. */
async function startServer (): Promise<{ port: number, connections: () => number }> {
  let connections = 0
  const server = createServer(({ url, headers }, response) => {
    switch (url) {
      case '/moved':
        response.writeHead(302, { location: '/' }).end()
        break
      case '/empty':
        response.writeHead(204).end()
        break
      case '/silent':
        response.writeHead(200).flushHeaders()
        break
      default:
        response.writeHead(200, { 'content-type': headers.accept }).end('secret')
    }
  }).listen(0, '127.0.0.1')
  server.on('connection', () => { connections++ })
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })

  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

async function textOf ({ body }: GatewayResponse): Promise<string> {
  const reader = body?.getReader()
  let text = ''

  for (;;) {
    const { value } = await reader?.read() ?? {}

    if (value == null) {
      return text
    }

    text += Buffer.from(value).toString()
  }
}

/** Resolves every name to these addresses. */
function resolveTo (...addresses: string[]): LookupFunction {
  return (_, { all }, callback) => {
    const found = addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))

    if (all === true) {
      callback(null, found)
    } else {
      callback(null, found[0].address, found[0].family)
    }
  }
}

describe('isPublicAddress', () => {
  it.each(['1.1.1.1', '93.184.216.34', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001:82a::200e'])(
    'is true for %s',
    address => { expect(isPublicAddress(address)).toBe(true) }
  )

  it.each([
    // this network, loopback, private, link-local, shared (RFC 1122, 1918, 3927, 6598)
    '0.0.0.0', '0.1.2.3', '127.0.0.1', '127.255.255.254', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1',
    '169.254.169.254', '100.64.0.1', '100.127.255.255',
    // documentation, benchmarks, relays, multicast, reserved, broadcast
    '192.0.0.8', '192.0.2.1', '192.88.99.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1',
    '239.255.255.255', '240.0.0.1', '255.255.255.255',
    // unspecified, loopback, unique local, link-local, site-local, multicast
    '::', '::1', '0:0:0:0:0:0:0:1', 'fc00::1', 'fd12:3456::1', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1',
    // mapped, compatible, translated, NAT64, 6to4, Teredo: they hold addresses of IPv4
    '::ffff:127.0.0.1', '::ffff:7f00:1', '::FFFF:1.1.1.1', '::127.0.0.1', '::7f00:1', '::ffff:0:7f00:1',
    '64:ff9b::7f00:1', '64:ff9b::127.0.0.1', '64:ff9b:1::7f00:1', '2002:7f00:1::', '2001::1',
    // discarded, documentation, benchmarks, segment routing, not assigned
    '100::1', '2001:db8::1', '3fff::1', '2001:2::1', '5f00::1', '4000::1',
    // no addresses
    'localhost', '127.1', '2130706433', '0x7f.0.0.1', '1.1.1.1 ', ''
  ])('is false for %s', address => { expect(isPublicAddress(address)).toBe(false) })
})

describe('createPublicFetch', () => {
  it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', 'localhost'])(
    'refuses to connect to %s',
    async host => {
      const { port, connections } = await startServer()

      await expect(createPublicFetch()(new URL(`http://${host}:${port}/`), { headers: {} }))
        .rejects.toMatchObject({ name: 'PrivateAddressError' })
      expect(connections()).toBe(0)
    }
  )

  it.each([
    ['into a private network', ['127.0.0.1']],
    ['to a public address and a private one', ['93.184.216.34', '127.0.0.1']]
  ])('refuses a name that resolves %s', async (_, addresses) => {
    const { port, connections } = await startServer()
    const resolve = vi.fn(resolveTo(...addresses))

    await expect(createPublicFetch({ resolve })(new URL(`http://gateway.example:${port}/`), { headers: {} }))
      .rejects.toMatchObject({ name: 'PrivateAddressError', host: 'gateway.example', address: '127.0.0.1' })
    // the address that is checked is the one that is connected to: it is not resolved again
    expect(resolve).toHaveBeenCalledOnce()
    expect(connections()).toBe(0)
  })

  it('answers as fetch does, from this machine too if it is allowed', async () => {
    const { port } = await startServer()
    const fetch = createPublicFetch({ allowLocal: true, resolve: resolveTo('127.0.0.1') })
    const response = await fetch(new URL(`http://gateway.example:${port}/`), { headers: { accept: 'text/plain' } })
    const moved = await fetch(new URL(`http://127.0.0.1:${port}/moved`), { headers: {} })
    const empty = await fetch(new URL(`http://127.0.0.1:${port}/empty`), { headers: {} })

    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/plain')
    await expect(textOf(response)).resolves.toBe('secret')
    expect([moved.status, moved.headers.get('location')]).toEqual([302, '/'])
    await expect(textOf(empty)).resolves.toBe('')
    expect(empty.status).toBe(204)
  })

  it('ends a request when the signal aborts', async () => {
    const { port } = await startServer()
    const abort = new AbortController()
    const response = await createPublicFetch({ allowLocal: true })(
      new URL(`http://127.0.0.1:${port}/silent`),
      { headers: {}, signal: abort.signal }
    )
    abort.abort()

    await expect(textOf(response)).rejects.toThrow()
  })
})
