import { describe, expect, it } from 'vitest'
import { bootstrapTexts } from '../src/network/environment.ts'
import { parseMultiaddr } from '../src/network/node/parse-multiaddr.ts'
import { defaultListen, loadTransports } from '../src/network/node/transports.ts'
import type { NetworkInterfaceInfo } from 'node:os'

const v4 = { family: 'IPv4', address: '127.0.0.1' } as NetworkInterfaceInfo
const v6 = { family: 'IPv6', address: '::1' } as NetworkInterfaceInfo

describe('defaultListen', () => {
  it('returns TCP, WebSockets and WebRTC, on IPv6 only if the machine has it', () => {
    expect(defaultListen({ lo: [v4] }))
      .toEqual(['/ip4/0.0.0.0/tcp/4101', '/ip4/0.0.0.0/tcp/4102/ws', '/ip4/0.0.0.0/udp/4103/webrtc-direct'])
    expect(defaultListen({ lo: [v4], eth0: [v6] })).toHaveLength(6)
    expect(defaultListen({ lo: [v4], eth0: [v6] }, false)).toEqual(defaultListen({ lo: [v4] }))
  })

  it('returns valid multiaddrs', () => {
    expect(defaultListen({ lo: [v4, v6] }).map(text => parseMultiaddr(text).toString()))
      .toEqual(defaultListen({ lo: [v4, v6] }))
  })
})

describe('loadTransports', () => {
  it('leaves addresses without WebRTC as they are', async () => {
    const loaded = await loadTransports(['/ip4/127.0.0.1/tcp/0', '/ip4/127.0.0.1/tcp/0/ws'], [])

    expect(loaded).toMatchObject({ listen: ['/ip4/127.0.0.1/tcp/0', '/ip4/127.0.0.1/tcp/0/ws'] })
    expect(loaded.missing).toBeUndefined()
  })

  it('loads WebRTC when an address needs it, or says why it is missing', async () => {
    const [without, withWebRtc] = await Promise.all([
      loadTransports([], []),
      loadTransports(['/ip4/127.0.0.1/udp/0/webrtc-direct'], [])
    ])

    if (withWebRtc.missing == null) {
      expect(withWebRtc.transports).toHaveLength(without.transports.length + 1)
      expect(withWebRtc.listen).toEqual(['/ip4/127.0.0.1/udp/0/webrtc-direct'])
    } else {
      expect(withWebRtc.missing).toContain('node-datachannel')
      expect(withWebRtc.listen).toEqual([])
    }
  })
})

describe('the bootstrap peers', () => {
  it.each<[string | undefined, readonly string[] | undefined, string[]]>([
    ['none', undefined, []],
    ['', undefined, []],
    ['/ip4/127.0.0.1/tcp/1, /ip4/127.0.0.1/tcp/2', undefined, ['/ip4/127.0.0.1/tcp/1', '/ip4/127.0.0.1/tcp/2']],
    ['/ip4/127.0.0.1/tcp/1', ['/ip4/127.0.0.1/tcp/3'], ['/ip4/127.0.0.1/tcp/3']],
    ['/ip4/127.0.0.1/tcp/1', ['none'], []]
  ])('are, with %j in $IPFSZ_BOOTSTRAP and %j as options, %j', (variable, given, expected) => {
    expect(bootstrapTexts(given, { IPFSZ_BOOTSTRAP: variable })).toEqual(expected)
  })

  it('are those of the public network by default', () => {
    expect(bootstrapTexts(undefined, {}).map(text => parseMultiaddr(text).toString()))
      .toEqual(expect.arrayContaining([expect.stringContaining('bootstrap.libp2p.io')]))
  })

  it('are refused if they are not multiaddrs', () => {
    expect(() => parseMultiaddr('nobody')).toThrow(expect.objectContaining({ name: 'UsageError' }))
  })
})
