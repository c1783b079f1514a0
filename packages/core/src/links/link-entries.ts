/**
 * The entries that links are kept in. Keys hold a CID in its plain form and as
 * version 1, so that twins find each other: version 0 and 1, marked and plain.
 * The codec stays in it: a raw CID with the hash of a root names the root's bytes,
 * not the file. Values are CIDs one behind the other, as they were given.
 *
 * What is known of a link stands behind the two CIDs of its forward entry, as a third:
 * an identity CID of a word. Versions that do not know of it read the first two.
 */
import { Key } from 'interface-datastore/key'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { create as createDigest } from 'multiformats/hashes/digest'
import { identity } from 'multiformats/hashes/identity'
import { concat } from '../util/bytes.ts'
import { isLayout } from '../content-cid/content-layouts.ts'
import { decodeCids } from './decode-cids.ts'
import { InvalidLinkError } from '../errors.ts'
import { unmark } from '../marker.ts'
import type { LinkEntry } from './link-query.ts'
import type { Link, LinkDatastore } from './links.ts'
import type { Pair } from 'interface-datastore'

/** A link that nobody compared, and nobody is to. */
export const UNCHECKED = 'unchecked'

/** A link as it is kept. */
export interface LinkRecord extends Omit<Link, 'checked'> {
  /** The layout by which a comparison found the original, or `unchecked`. */
  check?: string
}

/** Where the forward entries are: original -> compressed, original, and what is known of the link. */
export const FORWARD = '/ipfsz/links/original'

/** Where the reverse entries are: compressed -> compressed, originals, the newest last. */
export const REVERSE = '/ipfsz/links/compressed'

/** Whether two CIDs name the same file: version and marker aside. */
export function isSame (a: CID, b: CID): boolean {
  return unmark(a).toV1().equals(unmark(b).toV1())
}

export async function readForward (datastore: LinkDatastore, original: CID): Promise<LinkRecord | undefined> {
  const pair = await read(datastore, toKey(FORWARD, original))

  if (pair == null) {
    return undefined
  }

  return decodeForward(pair)
}

export async function writeForward (datastore: LinkDatastore, { original, compressed, check }: LinkRecord): Promise<void> {
  const known = check == null ? [] : [CID.createV1(raw.code, createDigest(identity.code, new TextEncoder().encode(check)))]

  await datastore.put(toKey(FORWARD, original), concat([compressed, original, ...known].map(cid => cid.bytes)))
}

/** @throws {InvalidLinkError} */
export function decodeForward (entry: LinkEntry): LinkRecord {
  const [compressed, original, known] = decodeEntry(entry, 2)
  const check = known?.multihash.code === identity.code ? new TextDecoder().decode(known.multihash.digest) : ''

  // a word of a later version tells nothing here
  return { original, compressed, ...check === UNCHECKED || isLayout(check) ? { check } : {} }
}

/** Whether the bytes of the compressed file are known to be those of the original. */
export function isChecked ({ check }: Pick<LinkRecord, 'check'>): boolean {
  return check != null && check !== UNCHECKED
}

export async function deleteForward (datastore: LinkDatastore, original: CID): Promise<void> {
  await datastore.delete(toKey(FORWARD, original))
}

/** The originals that a compressed file's entry names, whether or not they count. */
export async function readReverse (datastore: LinkDatastore, compressed: CID): Promise<CID[]> {
  const pair = await read(datastore, toKey(REVERSE, compressed))

  return pair == null ? [] : decodeEntry(pair, 1).slice(1)
}

/** Write the entry of a compressed file. One without originals is deleted. */
export async function writeReverse (datastore: LinkDatastore, compressed: CID, originals: readonly CID[]): Promise<void> {
  const key = toKey(REVERSE, compressed)

  if (originals.length === 0) {
    await datastore.delete(key)
  } else {
    await datastore.put(key, concat([compressed, ...originals].map(cid => cid.bytes)))
  }
}

/** Those originals whose forward entry leads to the compressed file. */
export async function keepBelieved (datastore: LinkDatastore, originals: readonly CID[], compressed: CID): Promise<CID[]> {
  const believed: CID[] = []

  for (const original of originals) {
    const link = await readForward(datastore, original)

    if (link != null && isSame(link.compressed, compressed)) {
      believed.push(original)
    }
  }

  return believed
}

/**
 * The CIDs of an entry.
 *
 * @param least - how many there must be
 * @throws {InvalidLinkError}
 */
export function decodeEntry ({ key, value }: LinkEntry, least: number): CID[] {
  let cids: CID[]

  try {
    cids = decodeCids(value)
  } catch (err) {
    throw new InvalidLinkError(key.toString(), { cause: err })
  }

  if (cids.length < least) {
    throw new InvalidLinkError(key.toString())
  }

  return cids
}

function toKey (prefix: string, cid: CID): Key {
  // base32, so that it is the same on a file system that takes capitals for small letters
  return new Key(`${prefix}/${unmark(cid).toV1()}`)
}

async function read (datastore: LinkDatastore, key: Key): Promise<Pair | undefined> {
  try {
    return { key, value: await datastore.get(key) }
  } catch (err) {
    if (err instanceof Error && err.name === 'NotFoundError') {
      return undefined
    }

    throw err
  }
}
