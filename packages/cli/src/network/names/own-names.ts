import { CID } from 'multiformats/cid'
import { isKeyName, loadKey } from './keys.ts'
import { formatName, makeRecord, parseName } from './name-records.ts'
import { listPublished } from './published.ts'
import type { Published } from './published.ts'
import type { ResolvedName } from '../network.ts'
import type { Repo } from '../../repo/repo.ts'
import type { PrivateKey } from '@libp2p/interface'

/** How long what the repo says of its own names may be cached, in seconds: publishing shows soon. */
const TTL = 60

type NamesRepo = Pick<Repo, 'path' | 'datastore'>

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

  if (key == null || published == null) {
    return undefined
  }

  const { cid, path, sequence, lifetime } = published

  return makeRecord(key, CID.parse(cid), path, BigInt(sequence), lifetime)
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
