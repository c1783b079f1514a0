import { array, assert, constantFrom, property, string } from 'fast-check'
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { formatLink, isLocalPeer, isSamePlace, parseLink } from '../../examples/web-app/src/ipfs/link.ts'

const CID_TEXT = 'bagc3j7ibciqftfeehedf6klbt32bfaglxezl4uwfnwm4lftlmxqbcerz6cmlx3y'
const cid = CID.parse(CID_TEXT)
const ID = '12D3KooWKnDdG3iXw9eTFijk3EWSunZcFi54Zka4wmtqtt6rPxc8'
const PEER = `/tcp/443/wss/p2p/${ID}`
const PEERS = [
  `/ip4/127.0.0.1/tcp/4102/ws/p2p/${ID}`,
  `/dns4/peer.example.com/tcp/443/tls/ws/p2p/${ID}`,
  `/ip6/2001:db8::1/tcp/443/tls/sni/peer.example.com/ws/p2p/${ID}`,
  `/dns/peer.example.com${PEER}`
]

describe('a link to the demo page', () => {
  it('says what is open and where it is, readably', () => {
    expect(formatLink({ address: { cid, path: 'a b/c.csv' }, peers: PEERS.slice(0, 1) }))
      .toBe(`#/ipfs/${CID_TEXT}/a%20b/c.csv?peer=/ip4/127.0.0.1/tcp/4102/ws/p2p/${ID}`)
    expect(formatLink({ peers: PEERS.slice(0, 1) })).toBe(`#/?peer=${PEERS[0]}`)
    expect(parseLink('')).toEqual({ peers: [] })
  })

  it('is read as it was written, whatever the names', () => {
    assert(property(array(string({ unit: 'grapheme', minLength: 1 }).filter(name => !name.includes('/')), {
      maxLength: 5
    }), string({ minLength: 1, maxLength: 99 }), constantFrom(0, 1, 4), (names, filename, peers) => {
      const link = { address: { cid, path: names.join('/') }, peers: PEERS.slice(0, peers), filename }
      const hash = formatLink(link)

      expect(parseLink(hash)).toEqual(link)
      // an address bar changes none of it
      expect(new URL(hash, 'http://localhost/').hash).toBe(hash)
    }))
  })

  it('leaves out peers that a page cannot dial, and more than four', () => {
    const peers = [`/ip4/127.0.0.1/tcp/4102/p2p/${ID}`, ...PEERS, PEERS[0].replace('4102', '4103')]

    expect(parseLink(formatLink({ peers })).peers).toEqual(PEERS)
  })

  it('opens the same place with other peers or names', () => {
    const address = { cid, path: 'a' }

    expect(isSamePlace({ address, peers: PEERS }, { address: { cid, path: '/a/' }, peers: [], filename: 'b' }))
      .toBe(true)
    expect(isSamePlace({ address, peers: [] }, { address: { cid, path: 'b' }, peers: [] })).toBe(false)
    expect(isSamePlace({ address, peers: [] }, { peers: [] })).toBe(false)
  })

  it.each([
    ['other text', '#nonsense'],
    ['no CID', '#/ipfs/'],
    ['a bad CID', '#/ipfs/bafy'],
    ['markup for a CID', '#/ipfs/<img src=x onerror=alert(1)>'],
    ['another namespace', `#/ipns/${CID_TEXT}`],
    ['a bare percent sign', `#/ipfs/${CID_TEXT}/100%`],
    ['bytes that are not UTF-8', `#/ipfs/${CID_TEXT}/%ff`],
    ['an endless path', `#/ipfs/${CID_TEXT}${'/a'.repeat(300)}`],
    ['endless text', `#/ipfs/${CID_TEXT}/${'a'.repeat(1_000_000)}`],
    ['too many peers', `#/ipfs/${CID_TEXT}?${[1, 2, 3, 4, 5].map(i => `peer=/dns4/${'a'.repeat(i)}${PEER}`).join('&')}`]
  ])('is refused with %s', (_, hash) => {
    expect(() => parseLink(hash)).toThrow(expect.objectContaining({ name: 'InvalidLinkError', link: hash }))
  })

  it.each([
    `/ip4/127.0.0.1/tcp/4102/p2p/${ID}`,
    '/ip4/127.0.0.1/tcp/4102/ws',
    `/ip4/127.0.0.1/udp/4102/quic-v1/p2p/${ID}`,
    `/ip4/0177.0.0.1/tcp/4102/ws/p2p/${ID}`,
    `/dns4/2130706433/tcp/4102/ws/p2p/${ID}`,
    `/dns4/0x7f.1/tcp/4102/ws/p2p/${ID}`,
    `/dns4/a b/tcp/4102/ws/p2p/${ID}`,
    `/dns4/user@a.com/tcp/4102/ws/p2p/${ID}`,
    `${PEERS[0]}/p2p-circuit/p2p/${ID}`,
    `/dns4/${'a.'.repeat(3000)}com/tcp/1/ws/p2p/`,
    'javascript:alert(1)',
    '<img src=x onerror=alert(1)>',
    ''
  ])('is refused with the peer %s', peer => {
    expect(() => parseLink(`#/ipfs/${CID_TEXT}?peer=${encodeURIComponent(peer)}`))
      .toThrow(expect.objectContaining({ name: 'UnsafePeerError', peer }))
  })

  it('tells peers of a private network from others', () => {
    const hosts = [
      'ip4/127.0.0.1', 'ip4/10.1.2.3', 'ip4/192.168.0.1', 'ip4/172.16.0.1', 'ip4/169.254.1.1', 'ip4/100.64.0.1',
      'ip6/::1', 'ip6/fe80::1', 'ip6/fd00::1', 'dns4/localhost', 'dns/router', 'dns/printer.local'
    ]
    const others = ['ip4/172.32.0.1', 'ip4/8.8.8.8', 'ip6/2001:db8::1', 'dns4/fedora.org', 'dns4/10.example.com']

    expect([...hosts, ...others].filter(host => isLocalPeer(`/${host}/tcp/1/ws/p2p/${ID}`))).toEqual(hosts)
  })
})
