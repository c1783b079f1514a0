import { CODE_P2P, multiaddr } from '@multiformats/multiaddr'
import { readObject } from '../objects/read-object.ts'
import type { ObjectStore } from '../objects/object-store.ts'

/** The objects of the nodes of a store: the prefix, and behind it the peer id. */
export const NODES = 'nodes/'
/** A node's object has at most this many bytes. */
const MAX_RECORD_BYTES = 4096

/** A node says at most this many addresses, of at most this many characters. */
const MAX_ADDRESSES = 16
const MAX_ADDRESS_LENGTH = 160
/** The longest name of a host (RFC 1035, section 2.3.4), and the longest text of a version. */
const MAX_HOST_LENGTH = 255
const MAX_VERSION_LENGTH = 64
/** Peer ids of Ed25519 and RSA keys in base58. */
const PEER_ID = /^(?:12D3KooW|Qm)[1-9A-HJ-NP-Za-km-z]{44}$/
const LOOPBACK = /^\/ip4\/127\.|^\/ip6\/::1\//

/** What a node of a store says of itself. */
export interface NodeRecord {
  peerId: string
  /** Multiaddrs that it can be reached at. */
  addresses: string[]
  /** The name of its machine: addresses of loopback are only good there. */
  host: string
  /** Of ipfsz. */
  version: string
  /** Raised each time that it writes this. */
  counter: number
}

export function nodeKey (peerId: string): string {
  return `${NODES}${peerId}`
}

/** The peer id in a key such as `nodes/12D3KooW...`, or undefined for a foreign object. */
export function parseNodeKey (key: string): string | undefined {
  const peerId = key.slice(NODES.length)

  return key.startsWith(NODES) && PEER_ID.test(peerId) ? peerId : undefined
}

/** The bytes of a node's object, or undefined if there is none. Of one that is too long, too many to decode. */
export async function readNode (
  store: ObjectStore,
  peerId: string,
  signal: AbortSignal
): Promise<Uint8Array | undefined> {
  return readObject(store, nodeKey(peerId), { offset: 0, length: MAX_RECORD_BYTES + 1, signal })
}

export function encodeNode (record: NodeRecord): Uint8Array {
  const addresses = record.addresses
    .filter(address => address.length <= MAX_ADDRESS_LENGTH)
    .slice(0, MAX_ADDRESSES)

  return Buffer.from(`${JSON.stringify({ ...record, addresses })}\n`)
}

/**
 * Read what a node says of itself. Whoever can write to the store can write this, and a disk can damage it.
 *
 * @param peerId - from its key
 * @throws {TypeError} it is not such an object
 */
export function decodeNode (bytes: Uint8Array, peerId: string): NodeRecord {
  if (bytes.byteLength > MAX_RECORD_BYTES) {
    throw new TypeError(`it exceeds the limit of ${MAX_RECORD_BYTES} bytes`)
  }

  const value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Partial<NodeRecord> | null
  const { addresses, host, version, counter } = value ?? {}

  if (value?.peerId !== peerId) {
    throw new TypeError('its peer ID does not match its key')
  }

  if (!Array.isArray(addresses) || addresses.length > MAX_ADDRESSES) {
    throw new TypeError(`it has no list of at most ${MAX_ADDRESSES} addresses`)
  }

  if (!isText(host, MAX_HOST_LENGTH) || !isText(version, MAX_VERSION_LENGTH) || !Number.isSafeInteger(counter)) {
    throw new TypeError('it lacks a host, a version or a counter')
  }

  addresses.forEach(address => { checkAddress(address, peerId) })

  return { peerId, addresses: addresses as string[], host, version, counter: counter as number }
}

/** The addresses at which this machine can reach a node: those of loopback lead to the machine itself. */
export function usableAddresses ({ addresses, host }: NodeRecord, ownHost: string): string[] {
  return host === ownHost ? addresses : addresses.filter(address => !LOOPBACK.test(address))
}

function isText (value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value.length <= maxLength
}

function checkAddress (address: unknown, peerId: string): void {
  if (!isText(address, MAX_ADDRESS_LENGTH)) {
    throw new TypeError(`an address is not a string of at most ${MAX_ADDRESS_LENGTH} characters`)
  }

  const last = multiaddr(address).getComponents().findLast(({ code }) => code === CODE_P2P)

  // a connection to another peer would be one to a stranger
  if (last?.value !== peerId) {
    throw new TypeError('an address does not end with its peer id')
  }
}
