import { base16, base16upper } from 'multiformats/bases/base16'
import { base32, base32hex, base32upper } from 'multiformats/bases/base32'
import { base36, base36upper } from 'multiformats/bases/base36'
import { base58btc, base58flickr } from 'multiformats/bases/base58'
import { base64url } from 'multiformats/bases/base64'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'

const DAG_PB = 0x70
/** The codec of an IPNS key. */
export const LIBP2P_KEY = 0x72

/** A DNS label holds that many characters (RFC 1035, section 2.3.4). */
const MAX_LABEL = 63
/** A DNS name holds that many characters. */
const MAX_NAME = 253
/** Decoding base36 and base58 takes quadratic time. A CID of 128 bytes of digest has 280 characters in base16. */
const MAX_CID_LENGTH = 512

const BASES = base58btc.decoder
  .or(base32.decoder)
  .or(base36.decoder)
  .or(base16.decoder)
  .or(base64url.decoder)
  .or(base32upper.decoder)
  .or(base36upper.decoder)
  .or(base16upper.decoder)
  .or(base32hex.decoder)
  .or(base58flickr.decoder)

/** The CID that a text is, in any base that a URL can hold. Undefined: it is none. */
export function parseCid (text: string): CID | undefined {
  if (text.length > MAX_CID_LENGTH) {
    return undefined
  }

  try {
    return CID.parse(text, BASES)
  } catch {
    return undefined
  }
}

/**
 * The IPNS key that a text is, as a CID with the codec libp2p-key: a peer id in base58, or a CID.
 * Older ones have the codec dag-pb (specs.ipfs.tech/ipns/ipns-record, section 2).
 */
export function parseKey (text: string): CID | undefined {
  const cid = text.startsWith('1') ? parsePeerId(text) : parseCid(text)

  return cid?.code === LIBP2P_KEY || cid?.code === DAG_PB ? CID.createV1(LIBP2P_KEY, cid.multihash) : undefined
}

function parsePeerId (text: string): CID | undefined {
  try {
    return text.length > MAX_CID_LENGTH
      ? undefined
      : CID.createV1(LIBP2P_KEY, Digest.decode(base58btc.baseDecode(text)))
  } catch {
    return undefined
  }
}

/** The DNS label of a CID: base32, or base36 where that is too long, as for marked CIDs. Undefined: both are. */
export function dnsLabel (cid: CID): string | undefined {
  const v1 = cid.toV1()

  return [v1.toString(base32), v1.toString(base36)].find(label => label.length <= MAX_LABEL)
}

/** The DNS label of an IPNS key: base36. */
export function keyLabel (key: CID): string | undefined {
  const label = key.toString(base36)

  return label.length <= MAX_LABEL ? label : undefined
}

/** Whether a text is a DNS name that can have a DNSLink: of two labels or more, and no address. */
export function isDnsName (text: string): boolean {
  const labels = text.toLowerCase().split('.')
  const top = labels[labels.length - 1]

  return text.length <= MAX_NAME && labels.length > 1 && !/^\d+$/.test(top) && top !== 'localhost' &&
    labels.every(label => label.length <= MAX_LABEL && /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/.test(label))
}

/** The one label that stands for a DNS name (specs.ipfs.tech/http-gateways/subdomain-gateway, `Host`). */
export function inlineName (name: string): string | undefined {
  const label = name.toLowerCase().replaceAll('-', '--').replaceAll('.', '-')

  return label.length <= MAX_LABEL ? label : undefined
}

/** The DNS name that a label stands for. */
export function restoreName (label: string): string {
  return label.replaceAll(/--?/g, dashes => dashes === '--' ? '-' : '.')
}
