import { committed, done, openDatabase } from './database.ts'

/**
 * The name of the database says its format. A worker of another version that knows the same format shares it, also at
 * the same time; one that knows another format uses another database.
 */
export const DATABASE = 'ipfsz-blocks-1'

/** Object stores: bytes by key, what is known of them by key, and the bytes of all blocks together. */
const BYTES = 'bytes'
const ENTRIES = 'entries'
const TOTAL = 'total'
const STORES = [BYTES, ENTRIES, TOTAL]

/** The index by which the block is found that was used longest ago. */
const USED = 'used'

/** The use of a block is written down again after an hour, in milliseconds: a read costs no write. */
const USE_STEP = 3_600_000

/** What a block takes besides its bytes. */
const OVERHEAD = 200

/** How long a read may take, in milliseconds. If it takes longer, blocks are fetched, and not looked for here again. */
const PATIENCE = 10_000

interface Entry {
  size: number
  /** When it was used, in milliseconds since 1970. */
  used: number
}

/**
 * Blocks in IndexedDB, within some bytes. Those that were used longest ago make room for others. Every change is one
 * transaction, so that the total is right whichever worker or tab is killed when, and however many share it.
 *
 * Nothing here throws, and no reader waits for long: a browser that stores nothing, such as one in private mode, that
 * has no more room, or whose database does not answer, is a cache that holds nothing.
 */
export class StoredBlocks {
  #maxSize: number
  readonly #touched = new Set<string>()
  #opening: Promise<IDBDatabase | undefined> | undefined
  #isFull = false
  #isSilent = false

  /** @param maxSize - in bytes. With 0, nothing is stored or read */
  constructor (maxSize: number) {
    this.#maxSize = maxSize
  }

  async get (key: string): Promise<Uint8Array | undefined> {
    if (this.#isSilent) {
      return undefined
    }

    let timer: ReturnType<typeof setTimeout> | undefined
    const silence = new Promise<undefined>(resolve => {
      timer = setTimeout(() => {
        this.#isSilent = true
        resolve(undefined)
      }, PATIENCE)
    })

    try {
      return await Promise.race([this.#read(key), silence])
    } finally {
      clearTimeout(timer)
    }
  }

  async #read (key: string): Promise<Uint8Array | undefined> {
    return this.#run(async database => {
      const transaction = database.transaction([BYTES, ENTRIES])
      const [bytes, entry] = await Promise.all([
        done<unknown>(transaction.objectStore(BYTES).get(key)),
        done<Entry | undefined>(transaction.objectStore(ENTRIES).get(key))
      ])

      if (entry != null && Date.now() - entry.used > USE_STEP) {
        this.#touched.add(key)
      }

      return bytes instanceof Uint8Array ? bytes : undefined
    })
  }

  /** Store blocks, and write down which others were used. */
  async put (blocks: ReadonlyMap<string, Uint8Array>): Promise<void> {
    if (this.#isFull) {
      return
    }

    const stored = await this.#run(async database => this.#putWithin(database, blocks, this.#maxSize))

    if (stored === false) {
      // others of this origin need room too: make some, and leave it at that if this does not help
      this.#maxSize = (await this.#run(readTotal) ?? 0) / 2
      this.#isFull = await this.#run(async database => this.#putWithin(database, blocks, this.#maxSize)) === false
    }
  }

  /** @returns false if there is no room left */
  async #putWithin (
    database: IDBDatabase,
    blocks: ReadonlyMap<string, Uint8Array>,
    maxSize: number
  ): Promise<boolean> {
    // losing the last writes in a power cut loses nothing but cache
    const transaction = database.transaction(STORES, 'readwrite', { durability: 'relaxed' })
    const end = committed(transaction)

    try {
      await Promise.all([end, writeBlocks(transaction, blocks, [...this.#touched], maxSize)])
      this.#touched.clear()

      return true
    } catch (err) {
      end.catch(() => {})

      if (isQuotaExceeded(err) || isQuotaExceeded(transaction.error)) {
        return false
      }

      throw err
    }
  }

  /** Work with the database. Undefined: there is none, or it failed. */
  async #run<T> (work: (database: IDBDatabase) => Promise<T>): Promise<T | undefined> {
    const opening = this.#opening ??= this.#open()
    const database = await opening

    try {
      return database == null ? undefined : await work(database)
    } catch {
      // the user or the browser may have removed it: the next call opens another one
      if (this.#opening === opening) {
        this.#opening = undefined
      }

      database?.close()

      return undefined
    }
  }

  async #open (): Promise<IDBDatabase | undefined> {
    if (this.#maxSize <= 0) {
      return undefined
    }

    try {
      const database = await openDatabase(DATABASE, database => {
        database.createObjectStore(BYTES)
        database.createObjectStore(ENTRIES).createIndex(USED, USED)
        database.createObjectStore(TOTAL)
      })

      database.addEventListener('versionchange', () => { database.close() })

      return database
    } catch {
      // private mode, or a page that may store nothing: not asked again
      return undefined
    }
  }
}

/** The bytes of all blocks. */
async function readTotal (database: IDBDatabase): Promise<number> {
  return await done<number | undefined>(database.transaction(TOTAL).objectStore(TOTAL).get(0)) ?? 0
}

async function writeBlocks (
  transaction: IDBTransaction,
  blocks: ReadonlyMap<string, Uint8Array>,
  touched: readonly string[],
  maxSize: number
): Promise<void> {
  const [bytesOf, entries, totals] = STORES.map(name => transaction.objectStore(name))
  const used = Date.now()
  let total = await done<number | undefined>(totals.get(0)) ?? 0

  for (const key of touched) {
    const entry = await done<Entry | undefined>(entries.get(key))

    if (entry != null) {
      entries.put({ ...entry, used }, key)
    }
  }

  for (const [key, bytes] of blocks) {
    const size = bytes.byteLength + OVERHEAD

    if (size <= maxSize && await done(entries.getKey(key)) == null) {
      bytesOf.put(bytes, key)
      entries.put({ size, used } satisfies Entry, key)
      total += size
    }
  }

  total -= await evict(entries, bytesOf, total - maxSize)
  totals.put(total, 0)
}

/** Remove the blocks that were used longest ago, until so many bytes are free. Returns how many were freed. */
async function evict (entries: IDBObjectStore, bytesOf: IDBObjectStore, needed: number): Promise<number> {
  let freed = 0

  if (needed <= 0) {
    return freed
  }

  const request = entries.index(USED).openCursor()

  for (let cursor = await done(request); cursor != null && freed < needed; cursor = await done(request)) {
    freed += (cursor.value as Entry).size
    bytesOf.delete(cursor.primaryKey)
    cursor.delete()
    cursor.continue()
  }

  return freed
}

function isQuotaExceeded (err: unknown): boolean {
  return err instanceof Error && err.name === 'QuotaExceededError'
}
