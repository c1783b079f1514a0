import { readObject } from '../objects/read-object.ts'
import { mapOrdered } from '@ipfsz/utils/map-ordered'
import { messageOf } from '@ipfsz/utils/message-of'
import { BaseDatastore } from 'datastore-core'
import { Key } from 'interface-datastore'
import { NotFoundError } from 'interface-store'
import all from 'it-all'
import { StoreError } from '../errors.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { LinkRecords, Records } from './records.ts'
import type { KeyQuery, Pair, Query } from 'interface-datastore'

/** How many objects are read or written at a time. */
const CONCURRENCY = 32
/** Maximum number of bytes of a record: far more than those of pins, histories and links have. */
const MAX_SIZE = 16 * 1024 * 1024

interface Options {
  signal?: AbortSignal | null | undefined
}

/** Records as objects of a store: each is durable, and visible to all nodes, once it is put. */
export class ObjectDatastore extends BaseDatastore implements Records, LinkRecords {
  readonly #objects: ObjectStore
  readonly #prefix: string
  readonly #name: string

  /** `prefix` is that of the keys of all objects, `name` the store, for messages. */
  constructor (objects: ObjectStore, { prefix, name }: { prefix: string, name: string }) {
    super()
    this.#objects = objects
    this.#prefix = prefix
    this.#name = name
  }

  override async put (key: Key, value: Uint8Array, options: Options = {}): Promise<Key> {
    await this.#objects.put(this.#keyOf(key), value, signalOf(options))

    return key
  }

  /** @throws {NotFoundError} */
  override async get (key: Key, options: Options = {}): Promise<Uint8Array> {
    const value = await this.#read(key, MAX_SIZE, options)

    if (value == null) {
      throw new NotFoundError(`There is no record ${key} in the store ${this.#name}`)
    }

    return value
  }

  override async has (key: Key, options: Options = {}): Promise<boolean> {
    return await this.#objects.stat(this.#keyOf(key), signalOf(options)) != null
  }

  override async delete (key: Key, options: Options = {}): Promise<void> {
    await this.#objects.delete([this.#keyOf(key)], signalOf(options))
  }

  async putEach (records: readonly Pair[]): Promise<Array<Error | undefined>> {
    return all(mapOrdered(
      records,
      async ({ key, value }) => this.put(key, value).then(() => undefined, (err: unknown) => toError(err)),
      { concurrency: CONCURRENCY }
    ))
  }

  async read (key: Key, maxSize: number): Promise<Uint8Array | undefined> {
    return this.#read(key, maxSize, {})
  }

  async * keys (prefix: string, signal: AbortSignal): AsyncGenerator<Key> {
    const below = `${prefix}/`

    for await (const key of this.queryKeys({ prefix: below }, { signal })) {
      if (!key.toString().slice(below.length).includes('/')) {
        yield key
      }
    }
  }

  async modified (key: Key): Promise<Date> {
    const info = await this.#objects.stat(this.#keyOf(key))

    if (info == null) {
      throw new NotFoundError(`There is no record ${key} in the store ${this.#name}`)
    }

    return info.modified
  }

  placeOf (key: Key): string {
    return `${this.#keyOf(key)} in ${this.#name}`
  }

  async close (): Promise<void> {
    // holds nothing
  }

  override async * _all ({ prefix }: Query, options: Options = {}): AsyncGenerator<Pair> {
    const pairs = mapOrdered(
      this.queryKeys({ prefix }, signalOf(options)),
      async key => ({ key, value: await this.#read(key, MAX_SIZE, options) }),
      { concurrency: CONCURRENCY, ...signalOf(options) }
    )

    for await (const { key, value } of pairs) {
      // another node may have deleted it meanwhile
      if (value != null) {
        yield { key, value }
      }
    }
  }

  override async * _allKeys ({ prefix = '/' }: KeyQuery, options: Options = {}): AsyncGenerator<Key> {
    for await (const page of this.#objects.list(`${this.#prefix}${prefix}`, signalOf(options))) {
      for (const { key } of page) {
        yield new Key(key.slice(this.#prefix.length), false)
      }
    }
  }

  async #read (key: Key, maxSize: number, options: Options): Promise<Uint8Array | undefined> {
    const value = await readObject(this.#objects, this.#keyOf(key), { length: maxSize + 1, ...signalOf(options) })

    if (value != null && value.byteLength > maxSize) {
      throw new TypeError(`it exceeds the limit of ${maxSize} bytes`)
    }

    return value
  }

  #keyOf (key: Key): string {
    return `${this.#prefix}${key}`
  }
}

function signalOf ({ signal }: Options): { signal?: AbortSignal } {
  return signal == null ? {} : { signal }
}

function toError (err: unknown): Error {
  return err instanceof Error ? err : new StoreError(messageOf(err))
}
