import { decode, encode } from 'cborg'
import { Key } from 'interface-datastore'
import { CID } from 'multiformats/cid'
import { isKeyName, loadKey } from './keys.ts'
import { formatName, makeRecord, parseName } from './name-records.ts'
import type { ResolvedName } from '../network.ts'
import type { Repo } from '../../repo/repo.ts'
import type { PrivateKey } from '@libp2p/interface'

/** The datastore prefix of what was last published under each key. */
const PREFIX = '/ipfsz/names'
/** How long what the repo says of its own names may be cached, in seconds: publishing shows soon. */
const TTL = 60

type NamesRepo = Pick<Repo, 'path' | 'datastore'>
type Datastore = NamesRepo['datastore']

/** What was last published under a key. */
export interface Published {
  cid: string
  path: string
  sequence: bigint | number
  /** How long the record is valid, in milliseconds. */
  lifetime: number
}

/** @param name - that of the key */
export async function readPublished (datastore: Datastore, name: string): Promise<Published | undefined> {
  return await datastore.has(keyOf(name)) ? decode(await datastore.get(keyOf(name))) as Published : undefined
}

export async function writePublished (datastore: Datastore, name: string, published: Published): Promise<void> {
  await datastore.put(keyOf(name), encode(published))
}

/** List what was published, with the names of the keys. */
export async function * listPublished (datastore: Datastore): AsyncGenerator<{ name: string, published: Published }> {
  for await (const { key, value } of datastore.query({ prefix: PREFIX })) {
    yield { name: key.baseNamespace(), published: decode(value) as Published }
  }
}

/** The record of what was published, signed now. */
export async function signPublished (
  key: PrivateKey,
  { cid, path, sequence, lifetime }: Published
): Promise<Uint8Array> {
  return makeRecord(key, CID.parse(cid), path, { sequence: BigInt(sequence), lifetime })
}

/**
 * What was last published under a name of this repo. Asks no other node.
 *
 * @returns undefined if no key of the repo has the name, or nothing was published under it
 * @throws {NameError} the text is not a name
 */
export async function resolveOwnName (repo: NamesRepo, name: string): Promise<ResolvedName | undefined> {
  const { published } = await findOwn(repo, name) ?? {}

  return published == null ? undefined : { cid: CID.parse(published.cid), path: published.path, ttl: TTL }
}

/** The name that belongs to a key of this repo: `k51...`. Undefined if the text is not the name of a key. */
export async function nameOfKey ({ path }: Pick<NamesRepo, 'path'>, key: string): Promise<string | undefined> {
  const digest = isKeyName(key) ? (await loadKey(path, key))?.publicKey.toMultihash() : undefined

  return digest == null ? undefined : formatName(digest)
}

/**
 * The record of a name of this repo, signed now.
 *
 * @throws {NameError} the text is not a name
 */
export async function signOwnRecord (repo: NamesRepo, name: string): Promise<Uint8Array | undefined> {
  const { key, published } = await findOwn(repo, name) ?? {}

  return key == null || published == null ? undefined : signPublished(key, published)
}

async function findOwn (
  { path, datastore }: NamesRepo,
  name: string
): Promise<{ key: PrivateKey, published: Published } | undefined> {
  const { bytes } = parseName(name)

  for await (const { name, published } of listPublished(datastore)) {
    const key = await loadKey(path, name)

    if (key != null && Buffer.compare(key.publicKey.toMultihash().bytes, bytes) === 0) {
      return { key, published }
    }
  }

  return undefined
}

function keyOf (name: string): Key {
  return new Key(`${PREFIX}/${name}`)
}
