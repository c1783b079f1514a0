import { CID } from 'multiformats/cid'
import type { Address } from './read.ts'

/** What the address of the page says: what is open, and which peers have it. */
export interface Link {
  /** Undefined if nothing is open. */
  address?: Address | undefined
  /** Multiaddrs of peers that a page can dial, with their ids. */
  peers: string[]
  /** The name to show a file with that is opened by its CID. */
  filename?: string | undefined
}

/** The longest link that is read, in characters. */
const MAX_LINK = 8192
/** The most names in a path. */
const MAX_NAMES = 256
/** The most peers in a link. */
const MAX_PEERS = 4
/** The longest name of a file, in characters. */
const MAX_FILENAME = 255
/** How much of a bad link an error repeats. */
const SHOWN = 80

// without a leading zero: browsers take such a number for an octal one
const BYTE = '(?:0|[1-9]\\d{0,2})'
// the last label begins with a letter: browsers take 127.1 and 0x7f.1 for IPv4
const NAME = '(?:[a-z0-9_-]+\\.)*[a-z][a-z0-9-]*\\.?'
const HOST = `/(?:ip4/(?:${BYTE}\\.){3}${BYTE}|ip6/[0-9a-f:.]{2,45}|dns[46]?/${NAME})`
const SOCKET = `(?:/ws|/wss|/tls/ws|/tls/sni/${NAME}/ws)`
/** The addresses that browsers dial, with the id of the peer: it proves that it is the one that is meant. */
const PEER = new RegExp(`^${HOST}/tcp/\\d{1,5}${SOCKET}/p2p/[a-z0-9]{20,128}$`, 'i')

/** Hosts of this machine and of networks that the internet does not reach. */
const LOCAL = [
  /^(?:0|10|127)\.[\d.]+$/,
  /^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.[\d.]+$/,
  /^169\.254\.[\d.]+$/,
  /^172\.(?:1[6-9]|2\d|3[01])\.[\d.]+$/,
  /^192\.168\.[\d.]+$/,
  /^::/,
  /^f[cde][0-9a-f]{2}:/i,
  /(?:^|\.)(?:localhost|local|internal|lan|home\.arpa)\.?$/i,
  // a name without a domain
  /^[a-z0-9_-]+\.?$/i
]

/** Thrown when the address of the page is not a link that the page makes. */
export class InvalidLinkError extends Error {
  static override readonly name = 'InvalidLinkError'
  override readonly name = 'InvalidLinkError'
  readonly link: string

  constructor (link: string, reason: string, options?: ErrorOptions) {
    super(`This link cannot be opened: ${reason}`, options)
    this.link = link
  }
}

/** Thrown when a link names a peer that a page must not dial. */
export class UnsafePeerError extends Error {
  static override readonly name = 'UnsafePeerError'
  override readonly name = 'UnsafePeerError'
  readonly peer: string

  constructor (peer: string) {
    super(
      `This link cannot be opened: “${peer.slice(0, SHOWN)}” is not the address of a peer for a page. ` +
      'It must have a host, /tcp, and /ws or /wss, and end with /p2p and the id of the peer'
    )
    this.peer = peer
  }
}

/**
 * Read `#/ipfs/CID/path?peer=MULTIADDR&filename=NAME`, the part of the address of the page after its path. `peer` may
 * occur several times. A link comes from anybody: all of it is checked before anything is dialed or read.
 *
 * @throws {InvalidLinkError}
 * @throws {UnsafePeerError}
 */
export function parseLink (hash: string): Link {
  if (hash.length > MAX_LINK) {
    throw new InvalidLinkError(hash, `it is longer than ${MAX_LINK} characters`)
  }

  const [place = '', ...rest] = hash.replace(/^#/, '').split('?')
  const parameters = new URLSearchParams(rest.join('?'))
  const peers = [...new Set(parameters.getAll('peer'))]
  const unsafe = peers.find(peer => !isDialable(peer))
  const filename = parameters.get('filename')?.slice(0, MAX_FILENAME)

  if (peers.length > MAX_PEERS) {
    throw new InvalidLinkError(hash, `it has more than ${MAX_PEERS} peers`)
  }

  if (unsafe != null) {
    throw new UnsafePeerError(unsafe)
  }

  return { address: parsePlace(place, hash), peers, filename: filename === '' ? undefined : filename }
}

/** The link of what is open. `parseLink` reads it. Peers beyond the most that a link can have are left out. */
export function formatLink ({ address, peers, filename }: Link): string {
  const path = address == null
    ? '/'
    : `/ipfs/${[address.cid, ...address.path.split('/').filter(name => name !== '')].map(encode).join('/')}`
  const parameters = [
    // slashes need no escape in a query, and people read these addresses
    ...peers.filter(isDialable).slice(0, MAX_PEERS).map(peer => `peer=${encode(peer).replaceAll('%2F', '/')}`),
    ...filename == null ? [] : [`filename=${encode(filename.slice(0, MAX_FILENAME))}`]
  ]

  return `#${path}${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`
}

/** Whether two links open the same. */
export function isSamePlace (a: Link, b: Link): boolean {
  return formatLink({ address: a.address, peers: [] }) === formatLink({ address: b.address, peers: [] })
}

/** Whether a peer is on this machine, or in a private network. */
export function isLocalPeer (peer: string): boolean {
  return isLocalHost(peer.split('/')[2] ?? '')
}

/** Whether a host is this machine, or in a private network. */
export function isLocalHost (host: string): boolean {
  return LOCAL.some(pattern => pattern.test(host.replace(/^\[(.*)\]$/, '$1')))
}

function isDialable (peer: string): boolean {
  return PEER.test(peer)
}

function parsePlace (place: string, hash: string): Address | undefined {
  if (place === '' || place === '/') {
    return undefined
  }

  const [, cid = '', ...names] = place.replace(/^\/ipfs(?=\/)/, '').split('/').map(unescape(hash))

  if (cid === '' || !place.startsWith('/ipfs/')) {
    throw new InvalidLinkError(hash, 'it does not begin with #/ipfs/ and a CID')
  }

  if (names.length > MAX_NAMES) {
    throw new InvalidLinkError(hash, `it has a path of more than ${MAX_NAMES} names`)
  }

  try {
    return { cid: CID.parse(cid), path: names.filter(name => name !== '').join('/') }
  } catch (err) {
    throw new InvalidLinkError(hash, `“${cid.slice(0, SHOWN)}” is not a CID`, { cause: err })
  }
}

function unescape (hash: string): (text: string) => string {
  return text => {
    try {
      return decodeURIComponent(text)
    } catch (cause) {
      throw new InvalidLinkError(hash, `“${text.slice(0, SHOWN)}” has an invalid percent-encoding`, { cause })
    }
  }
}

function encode (value: CID | string): string {
  return encodeURIComponent(value.toString().toWellFormed())
}
