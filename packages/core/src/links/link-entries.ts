/**
 * The datastore entries of links. Keys use the plain CIDv1, so that all forms of a CID share
 * an entry: version 0 and 1, marked and plain. Keys keep the codec, because a raw CID with a
 * root's hash names the root's bytes, not the file. Values are concatenated CIDs, exactly as
 * they were given.
 *
 * A forward entry's third CID is an identity CID whose digest says what is known about the
 * link, as a word. Older versions of IPFSz read only the first two.
 */
import { concat } from '@ipfsz/utils/bytes'
import { decodeCids } from '@ipfsz/utils/decode-cids'
import * as dagPb from '@ipld/dag-pb'
import { Key } from 'interface-datastore/key'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { create as createDigest } from 'multiformats/hashes/digest'
import { identity } from 'multiformats/hashes/identity'
import { isLayout } from '../content-cid/content-layouts.ts'
import { InvalidLinkError } from '../errors.ts'
import { decodeNode } from '../dag/node.ts'
import { fileSize } from '../dag/read.ts'
import { TREE_CODE, unmark } from '../marker.ts'
import type { LinkEntry } from './link-query.ts'
import type { Link, LinkDatastore } from './links.ts'
import type { Pair } from 'interface-datastore'

/** The `check` of a link that was added without a comparison. */
export const UNCHECKED = 'unchecked'

export interface LinkRecord extends Omit<Link, 'checked'> {
  /** The layout that the comparison found, or `unchecked`. */
  check?: string
}

/** Prefix of the forward entries: original -> compressed, original, and the check. */
export const FORWARD = '/ipfsz/links/original'

/** Prefix of the reverse entries: compressed -> compressed, originals, newest last. */
export const REVERSE = '/ipfsz/links/compressed'

export interface InlineFile {
  /** In bytes. */
  size: number
  /** Undefined: at least some are in other blocks. */
  bytes?: Uint8Array | undefined
}

/** Whether two CIDs name the same file, ignoring version and marker. */
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

export async function writeForward (
  datastore: LinkDatastore,
  { original, compressed, check }: LinkRecord
): Promise<void> {
  const cids = [compressed, original]

  if (check != null) {
    cids.push(CID.createV1(raw.code, createDigest(identity.code, new TextEncoder().encode(check))))
  }

  await datastore.put(toKey(FORWARD, original), concat(cids.map(cid => cid.bytes)))
}

/** @throws {InvalidLinkError} */
export function decodeForward (entry: LinkEntry): LinkRecord {
  const [compressed, original, known] = decodeEntry(entry, 2)
  const check = known?.multihash.code === identity.code ? new TextDecoder().decode(known.multihash.digest) : ''

  // ignore a word that a later version of IPFSz wrote
  return { original, compressed, ...check === UNCHECKED || isLayout(check) ? { check } : {} }
}

/**
 * Whether a CID can be that of a file, and of a directory if `compressed` is one: then nothing but the bytes can tell
 * whether it is an original of `compressed`.
 */
export function canBeOriginal (original: CID, compressed: CID): boolean {
  return original.code === dagPb.code || (original.code === raw.code && compressed.code !== TREE_CODE)
}

/** The file whose root block an identity CID contains: of 0 bytes if that is no file. Undefined: another CID. */
export function inlineFile (cid: CID): InlineFile | undefined {
  if (cid.code !== dagPb.code || cid.multihash.code !== identity.code) {
    return undefined
  }

  try {
    const node = decodeNode(cid, cid.multihash.digest)

    return { size: fileSize(node), bytes: node.links.length === 0 ? node.unixfs.data : undefined }
  } catch {
    return { size: 0 }
  }
}

/** Whether a comparison found the compressed file to hold the original's bytes. */
export function isChecked ({ check }: Pick<LinkRecord, 'check'>): boolean {
  return check != null && check !== UNCHECKED
}

export async function deleteForward (datastore: LinkDatastore, original: CID): Promise<void> {
  await datastore.delete(toKey(FORWARD, original))
}

/** The originals in a compressed file's reverse entry, whether or not they count. */
export async function readReverse (datastore: LinkDatastore, compressed: CID): Promise<CID[]> {
  const pair = await read(datastore, toKey(REVERSE, compressed))

  return pair == null ? [] : decodeEntry(pair, 1).slice(1)
}

/** Write the reverse entry of a compressed file, or delete it if there are no originals. */
export async function writeReverse (
  datastore: LinkDatastore,
  compressed: CID,
  originals: readonly CID[]
): Promise<void> {
  const key = toKey(REVERSE, compressed)

  if (originals.length === 0) {
    await datastore.delete(key)
  } else {
    await datastore.put(key, concat([compressed, ...originals].map(cid => cid.bytes)))
  }
}

/** The originals whose forward entry leads to the compressed file. */
export async function keepConfirmed (
  datastore: LinkDatastore,
  originals: readonly CID[],
  compressed: CID
): Promise<CID[]> {
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
 * Decode the CIDs of an entry.
 *
 * @param least - how many are required
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
  // CIDv1 prints as base32, which is safe on case-insensitive file systems
  return new Key(`${prefix}/${unmark(cid).toV1()}`)
}

/** An entry of a datastore, if it is there. */
export async function read (datastore: Pick<LinkDatastore, 'get'>, key: Key): Promise<Pair | undefined> {
  try {
    return { key, value: await datastore.get(key) }
  } catch (err) {
    if (err instanceof Error && err.name === 'NotFoundError') {
      return undefined
    }

    throw err
  }
}
