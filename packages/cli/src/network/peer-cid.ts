import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import { decode } from 'multiformats/hashes/digest'

const LIBP2P_KEY = 0x72

/** A peer id as a CID, as in Helia's events. */
export function peerCid (peerId: string): CID {
  return CID.createV1(LIBP2P_KEY, decode(base58btc.decode(`z${peerId}`)))
}
