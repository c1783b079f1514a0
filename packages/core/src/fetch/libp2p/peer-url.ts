import { base36 } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'

const LIBP2P_KEY = 0x72

/**
 * The URL that stands for the gateway of a peer. Its host is the peer id as a CID: hosts have lower case, and the other
 * form of peer ids does not.
 *
 * @param peerId - as in `12D3KooW...`
 */
export function peerUrl (peerId: string): URL {
  const digest = Digest.decode(base58btc.decode(`z${peerId}`))

  return new URL(`http://${CID.createV1(LIBP2P_KEY, digest).toString(base36)}/`)
}

/** The peer id that such a URL stands for. */
export function peerIdOf ({ hostname }: URL): string {
  return base58btc.baseEncode(CID.parse(hostname, base36).multihash.bytes)
}
