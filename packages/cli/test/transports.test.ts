import { describe, expect, it } from 'vitest'
import { bootstrapTexts } from '../src/network/node/bootstrap-texts.ts'
import { parseMultiaddr } from '../src/network/node/parse-multiaddr.ts'
import { defaultListen, loadTransports } from '../src/network/node/transports.ts'
import type { NetworkInterfaceInfo } from 'node:os'

const v4 = { family: 'IPv4', address: '127.0.0.1' } as NetworkInterfaceInfo
const v6 = { family: 'IPv6', address: '::1' } as NetworkInterfaceInfo

describe('where a daemon listens', () => {
  it('is TCP, WebSockets and WebRTC, of IPv6 only when there is any', () => {
    expect(defaultListen({ lo: [v4] }))
      .toEqual(['/ip4/0.0.0.0/tcp/4101', '/ip4/0.0.0.0/tcp/4102/ws', '/ip4/0.0.0.0/udp/4103/webrtc-direct'])
    expect(defaultListen({ lo: [v4], eth0: [v6] })).toHaveLength(6)
  })

  it('is made of multiaddrs', () => {
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

  it('loads WebRTC when an address asks for it, or says why it is left out', async () => {
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

describe('the peers to begin with', () => {
  it.each<[string | undefined, readonly string[] | undefined, string[]]>([
    ['none', undefined, []],
    ['', undefined, []],
    ['/ip4/127.0.0.1/tcp/1, /ip4/127.0.0.1/tcp/2', undefined, ['/ip4/127.0.0.1/tcp/1', '/ip4/127.0.0.1/tcp/2']],
    ['/ip4/127.0.0.1/tcp/1', ['/ip4/127.0.0.1/tcp/3'], ['/ip4/127.0.0.1/tcp/3']],
    ['/ip4/127.0.0.1/tcp/1', ['none'], []]
  ])('are, with $IPFSZ_BOOTSTRAP of %j and %j given, %j', (variable, given, expected) => {
    expect(bootstrapTexts(given, { IPFSZ_BOOTSTRAP: variable })).toEqual(expected)
  })

  it('are those of the public network when nothing is said', () => {
    expect(bootstrapTexts(undefined, {}).map(text => parseMultiaddr(text).toString()))
      .toEqual(expect.arrayContaining([expect.stringContaining('bootstrap.libp2p.io')]))
  })

  it('refuses what is no multiaddr', () => {
    expect(() => parseMultiaddr('nobody')).toThrow(expect.objectContaining({ name: 'UsageError' }))
  })
})
