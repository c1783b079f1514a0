import { decode, encode } from 'cborg'
import { Key } from 'interface-datastore'
import type { Repo } from '../../repo/repo.ts'

/** The datastore prefix of what was last published under each key. */
const PREFIX = '/ipfsz/names'

/** What was last published under a key. */
export interface Published {
  cid: string
  path: string
  sequence: bigint | number
  /** How long the record is valid, in milliseconds. */
  lifetime: number
}

type Datastore = Pick<Repo['datastore'], 'has' | 'get' | 'put' | 'query'>

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

function keyOf (name: string): Key {
  return new Key(`${PREFIX}/${name}`)
}
