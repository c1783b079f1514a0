import { NotFoundError } from 'interface-store'
import type {
  AbortOptions, GetObjectOptions, ListObjectsOptions, ObjectInfo, ObjectStore, PutObjectOptions
} from '@ipfsz/shared-store/objects'

/** An operation of a store, as a scheduler or a fault sees it. */
export interface StoreOperation {
  kind: 'get' | 'put' | 'stat' | 'delete' | 'list'
  key: string
}

export interface MemoryObjectsInit {
  /** Objects in a page of a list. */
  pageSize?: number
  /** Awaited before each operation, and before each page: a scheduler lets it go on, a fault rejects. */
  before?: (operation: StoreOperation) => Promise<void>
}

/** The objects of a store in memory, and the nodes' views of it. */
export class MemoryObjects implements ObjectStore {
  readonly objects: Map<string, { bytes: Uint8Array, modified: Date }>
  readonly #pageSize: number
  readonly #before: (operation: StoreOperation) => Promise<void>

  /** @param shared - the store whose objects this one shows too, as another node */
  constructor ({ pageSize = 1000, before = async () => {} }: MemoryObjectsInit = {}, shared?: MemoryObjects) {
    this.objects = shared?.objects ?? new Map()
    this.#pageSize = pageSize
    this.#before = before
  }

  async get (key: string, { offset = 0, length = Infinity, signal }: GetObjectOptions = {}): Promise<Uint8Array> {
    await this.#enter({ kind: 'get', key }, signal)
    const object = this.objects.get(key)

    if (object == null) {
      throw new NotFoundError(`there is no object ${key}`)
    }

    return object.bytes.slice(offset, offset + length)
  }

  async put (key: string, bytes: Uint8Array, { signal }: PutObjectOptions = {}): Promise<void> {
    const copy = new Uint8Array(bytes)
    await this.#enter({ kind: 'put', key }, signal)
    this.objects.set(key, { bytes: copy, modified: new Date(0) })
  }

  async stat (key: string, { signal }: AbortOptions = {}): Promise<ObjectInfo | undefined> {
    await this.#enter({ kind: 'stat', key }, signal)

    return this.#info(key)
  }

  async delete (keys: readonly string[], { signal }: AbortOptions = {}): Promise<void> {
    for (const key of keys) {
      await this.#enter({ kind: 'delete', key }, signal)
      this.objects.delete(key)
    }
  }

  async * list (prefix: string, { after = '', signal }: ListObjectsOptions = {}): AsyncGenerator<ObjectInfo[]> {
    let last = after

    while (true) {
      await this.#enter({ kind: 'list', key: prefix }, signal)
      const keys = Array.from(this.objects.keys())
        .filter(key => key.startsWith(prefix) && compare(key, last) > 0)
        .toSorted(compare)
        .slice(0, this.#pageSize)

      if (keys.length > 0) {
        yield keys.flatMap(key => this.#info(key) ?? [])
      }

      if (keys.length < this.#pageSize) {
        return
      }

      last = keys[keys.length - 1]
    }
  }

  /** The keys that are there, for assertions. */
  keys (prefix = ''): string[] {
    return Array.from(this.objects.keys()).filter(key => key.startsWith(prefix)).toSorted(compare)
  }

  #info (key: string): ObjectInfo | undefined {
    const object = this.objects.get(key)

    return object && { key, size: object.bytes.byteLength, modified: object.modified }
  }

  async #enter (operation: StoreOperation, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    await this.#before(operation)
    signal?.throwIfAborted()
  }
}

/** By the bytes of UTF-8, as S3 lists keys. */
function compare (a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
