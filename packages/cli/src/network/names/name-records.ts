import { createIPNSRecord, IPNSEntry, ipnsSelector, ipnsValidator, multihashToIPNSRoutingKey } from '@helia/ipns'
import { isMarked, mark, unmark } from '@ipfsz/core'
import { publicKeyFromProtobuf } from '@libp2p/crypto/keys'
import { peerIdFromString } from '@libp2p/peer-id'
import { decode } from 'cborg'
import { base36 } from 'multiformats/bases/base36'
import { CID } from 'multiformats/cid'
import { NameError } from '../../errors.ts'
import type { ResolvedName } from '../network.ts'
import type { PrivateKey } from '@libp2p/interface'
import type { MultihashDigest } from 'multiformats/hashes/interface'

/**
 * Where in the signed data of a record its CID's marker code is. The value itself is
 * the plain twin, which any node can follow. Fields of one's own begin with `_`
 * (IPNS record specification, section "Extensible Data").
 */
const MARKER_FIELD = '_ipfsz'

/** How long a record is good for, 48 hours, and may be kept without asking again, 5 minutes. */
export const DEFAULT_LIFETIME = 48 * 60 * 60 * 1000
const TTL = 5n * 60n * 1_000_000_000n

/** How deep names may lead to names. */
export const MAX_NAMES = 8

type Keychain = Parameters<typeof ipnsValidator>[2]
type RecordKey = Parameters<typeof createIPNSRecord>[0]

/** All of a keychain that checking a record needs. */
const keychain = { loadPublicKeyFromProtobuf: async (bytes: Uint8Array) => publicKeyFromProtobuf(bytes) } as unknown as Keychain

/** What DHTs need to keep the records of others. */
export const ipnsRecords = {
  validators: {
    ipns: async (key: Uint8Array, value: Uint8Array): Promise<void> => { await checkRecord(key, value) }
  },
  selectors: {
    ipns: (key: Uint8Array, values: Uint8Array[]): number => ipnsSelector(key, values.map(value => IPNSEntry.decode(value)))
  }
}

/** A record that has been checked. */
export interface NameRecord {
  sequence: bigint
  /** A name or a CID, with a path. */
  value: { name: MultihashDigest } | ResolvedName
}

/**
 * The name of a public key, from `k51...`, a peer id, or either behind `/ipns/`.
 *
 * @throws {NameError} it is none
 */
export function parseName (text: string): MultihashDigest {
  const bare = text.replace(/^(?:ipns:\/\/|\/ipns\/)/, '').replace(/\/$/, '')

  try {
    return peerIdFromString(bare).toMultihash()
  } catch {
    try {
      return CID.parse(bare, bare.startsWith('k') ? base36 : undefined).multihash
    } catch (err) {
      throw new NameError(`"${text}" is not a name: give one as ipfsz name publish prints it`, { cause: err })
    }
  }
}

export function formatName (digest: MultihashDigest): string {
  return CID.createV1(LIBP2P_KEY, digest).toString(base36)
}

const LIBP2P_KEY = 0x72

export function recordKey (digest: MultihashDigest): Uint8Array {
  return multihashToIPNSRoutingKey(digest)
}

/** A signed record, whose value any node can follow. */
export async function makeRecord (key: PrivateKey, cid: CID, path: string, sequence: bigint, lifetime: number): Promise<Uint8Array> {
  const value = `/ipfs/${unmark(cid)}${path === '' ? '' : `/${path}`}`

  return IPNSEntry.encode(await createIPNSRecord(key as unknown as RecordKey, value, sequence, lifetime, {
    ttlNs: TTL,
    ...isMarked(cid) ? { data: { [MARKER_FIELD]: cid.code } } : {}
  }))
}

/**
 * Check the signature and the validity of a record, and read what it leads to.
 *
 * @throws {NameError} it is not good
 */
export async function readRecord (key: Uint8Array, bytes: Uint8Array): Promise<NameRecord> {
  const { data } = await checkRecord(key, bytes)

  try {
    const { Value, Sequence, [MARKER_FIELD]: marker } = decode(data ?? new Uint8Array(0)) as Record<string, unknown>

    return { sequence: BigInt(Sequence as number | bigint), value: parseValue(new TextDecoder().decode(Value as Uint8Array), marker) }
  } catch (err) {
    throw err instanceof NameError ? err : new NameError(`The record of the name cannot be read: ${messageOf(err)}`, { cause: err })
  }
}

async function checkRecord (key: Uint8Array, bytes: Uint8Array): Promise<IPNSEntry> {
  try {
    return await ipnsValidator(key, bytes, keychain) as IPNSEntry
  } catch (err) {
    throw new NameError(`The record of the name is not good: ${messageOf(err)}`, { cause: err })
  }
}

function parseValue (value: string, marker: unknown): NameRecord['value'] {
  const [, kind, first, path = ''] = /^\/(ipfs|ipns)\/([^/]+)(?:\/(.*))?$/s.exec(value) ?? []

  if (kind === 'ipns' && path === '') {
    return { name: parseName(first) }
  }

  if (kind !== 'ipfs') {
    throw new NameError(`The name leads to ${JSON.stringify(value)}, which is no CID`)
  }

  const cid = CID.parse(first)

  return { cid: typeof marker === 'number' ? mark(unmark(cid).toV1(), marker) : cid, path }
}

function messageOf (err: unknown): string {
  return err instanceof Error ? err.message : String(err)
}
