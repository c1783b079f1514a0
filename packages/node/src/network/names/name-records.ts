import { createIPNSRecord, IPNSEntry, ipnsSelector, ipnsValidator } from '@helia/ipns'
import { isMarked, mark, unmark } from '@ipfsz/core'
import { hidePlaceSecrets } from '@ipfsz/utils/hide-secrets'
import { messageOf } from '@ipfsz/utils/message-of'
import { quoteName } from '@ipfsz/utils/quote-name'
import { peerIdFromString } from '@libp2p/peer-id'
import { decode } from 'cborg'
import { base36 } from 'multiformats/bases/base36'
import { CID } from 'multiformats/cid'
import { NameError } from '../../errors.ts'
import { ipnsKeychain } from '../helia-internals/ipns-keychain.ts'
import type { ResolvedName } from '../network.ts'
import type { PrivateKey } from '@libp2p/interface'
import type { MultihashDigest } from 'multiformats/hashes/interface'

/**
 * The field of a record's signed data that holds the marker code. The record's value is the plain twin, which every
 * node can follow. Names of private fields begin with `_` (IPNS record specification, section "Extensible Data").
 */
const MARKER_FIELD = '_ipfsz'

/** How long a record is valid, 48 hours in milliseconds. */
export const DEFAULT_LIFETIME = 48 * 60 * 60 * 1000
/** How long a resolver may cache a record, 5 minutes in nanoseconds. */
const TTL = 5n * 60n * 1_000_000_000n
const NANOSECONDS = 1e9

/** How many names a name may lead through. */
export const MAX_NAMES = 8

/** Maximum number of characters of a name or CID: decoding takes quadratic time. */
const MAX_NAME = 512

/** What to do about a record that cannot be used. */
const PUBLISH_AGAIN = 'ask its owner to publish it again'

export { multihashToIPNSRoutingKey as recordKey } from '@helia/ipns'

type RecordKey = Parameters<typeof createIPNSRecord>[0]

/** How a DHT checks records of others, and chooses the newest. */
export const ipnsRecords = {
  validators: {
    async ipns (key: Uint8Array, value: Uint8Array): Promise<void> {
      await checkRecord(key, value)
    }
  },
  selectors: {
    ipns (key: Uint8Array, values: Uint8Array[]): number {
      return ipnsSelector(key, values.map(value => IPNSEntry.decode(value)))
    }
  }
}

/** What a checked record holds. */
export interface NameRecord {
  sequence: bigint
  /** Another name, or a CID with a path. */
  value: { name: MultihashDigest } | ResolvedName
}

/**
 * Parses a name: `k51...` or a peer id, with or without `/ipns/` or `ipns://` before it.
 *
 * @returns the multihash of the public key
 */
export function parseName (text: string): MultihashDigest {
  const bare = text.replace(/^(?:ipns:\/\/|\/ipns\/)/, '').replace(/\/$/, '')

  if (bare.length > MAX_NAME) {
    throw new NameError(`"${bare.slice(0, MAX_NAME)}..." is too long for a name`)
  }

  try {
    return peerIdFromString(bare).toMultihash()
  } catch {
    try {
      return CID.parse(bare, bare.startsWith('k') ? base36 : undefined).multihash
    } catch (err) {
      const shown = hidePlaceSecrets(text)

      throw new NameError(`"${shown}" is not a name`, { cause: err, reason: 'not-a-name' })
    }
  }
}

export function isIpnsName (text: string): boolean {
  try {
    parseName(text)

    return true
  } catch {
    return false
  }
}

/** Formats the multihash of a public key as `k51...`. */
export function formatName (digest: MultihashDigest): string {
  return CID.createV1(LIBP2P_KEY, digest).toString(base36)
}

const LIBP2P_KEY = 0x72

/** Makes a signed record with a value that every node can follow. */
export async function makeRecord (
  key: PrivateKey,
  cid: CID,
  path: string,
  { sequence, lifetime }: { sequence: bigint, lifetime: number }
): Promise<Uint8Array> {
  const value = `/ipfs/${unmark(cid)}${path === '' ? '' : `/${path}`}`

  return IPNSEntry.encode(await createIPNSRecord(key as unknown as RecordKey, value, sequence, lifetime, {
    ttlNs: TTL,
    ...isMarked(cid) ? { data: { [MARKER_FIELD]: cid.code } } : {}
  }))
}

/** Checks the signature and the validity of a record, and reads its value. */
export async function readRecord (key: Uint8Array, bytes: Uint8Array): Promise<NameRecord> {
  const { data } = await checkRecord(key, bytes)

  try {
    const decoded = decode(data ?? new Uint8Array(0)) as Record<string, unknown>
    const { Value, Sequence, TTL: ttl, [MARKER_FIELD]: marker } = decoded
    const value = parseValue(new TextDecoder().decode(Value as Uint8Array), marker)

    return {
      sequence: BigInt(Sequence as number | bigint),
      value: 'name' in value ? value : { ...value, ...parseTtl(ttl) }
    }
  } catch (err) {
    throw err instanceof NameError
      ? err
      : new NameError(`The record of the name cannot be decoded (${messageOf(err)}): ${PUBLISH_AGAIN}`, { cause: err })
  }
}

async function checkRecord (key: Uint8Array, bytes: Uint8Array): Promise<IPNSEntry> {
  try {
    return await ipnsValidator(key, bytes, ipnsKeychain) as IPNSEntry
  } catch (err) {
    throw new NameError(`The record of the name is not valid (${messageOf(err)}): ${PUBLISH_AGAIN}`, { cause: err })
  }
}

function parseTtl (ttl: unknown): Pick<ResolvedName, 'ttl'> {
  return (typeof ttl === 'number' || typeof ttl === 'bigint') && ttl >= 0 ? { ttl: Number(ttl) / NANOSECONDS } : {}
}

function parseValue (value: string, marker: unknown): NameRecord['value'] {
  const [, kind, first, path = ''] = /^\/(ipfs|ipns)\/([^/]+)(?:\/(.*))?$/s.exec(value) ?? []

  if (kind === 'ipns' && path === '') {
    return { name: parseName(first) }
  }

  if (kind !== 'ipfs') {
    throw new NameError(`The name points to ${quoteName(value)}, which is not a CID: ${PUBLISH_AGAIN}`)
  }

  if (first.length > MAX_NAME) {
    throw new NameError(`The name resolves to a CID of ${first.length} characters: ${PUBLISH_AGAIN}`)
  }

  const cid = CID.parse(first)

  if (marker !== undefined && typeof marker !== 'number') {
    throw new NameError(`The marker of the name is not a number: ${PUBLISH_AGAIN}`)
  }

  // a code that is no marker, and a CID that cannot be marked, are errors
  return { cid: marker === undefined ? cid : mark(cid, marker), path }
}
