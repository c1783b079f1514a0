import { access } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { syncDirectory } from '@ipfsz/blockstore-compressed/fs'
import { messageOf } from '@ipfsz/utils/message-of'
import { DeleteFailedError, PutFailedError } from 'interface-store'
import { makeTemporary } from '../disk/temporary-directory.ts'
import { LinksError, RepoLockedError } from '../errors.ts'
import { checkLevelFiles, copyLevel, loadLevel, reasonOf } from './load-level.ts'
import type { LinkRecords, Links } from '@ipfsz/shared-store/records'
import type { LinkDatastore } from '@ipfsz/core'
import type { LevelDatastore } from 'datastore-level'
import type { Key } from 'interface-datastore'

/** Only one process can open a LevelDB. How long to wait for another process to close it, in milliseconds. */
const LOCK_TIMEOUT = 20_000
/** How long to wait between two attempts to open it, in milliseconds. */
const RETRY_INTERVAL = 20
/** An unused database is closed after this time, in milliseconds. Opening it takes 5 ms. */
const IDLE_TIMEOUT = 50
/** A busy process closes the database after this time, in milliseconds, so that others can open it. */
const MAX_TURN = 1000
/** How long a busy process then keeps it closed: longer than the interval at which the others retry. */
const PAUSE = 2 * RETRY_INTERVAL
/** LevelDB syncs its log, so writes survive a power cut. LevelDatastore has no option for it. */
const SYNCED = { keyEncoding: 'utf8', sync: true } as const

/**
 * The links of a repo, in a LevelDB. It is opened on use and closed soon after, so that processes take turns. No other
 * process can write during a `change`.
 */
export class LinkStore implements LinkRecords {
  readonly #path: string
  readonly #writes: boolean
  readonly #signal: AbortSignal
  readonly #timeout: number
  #opened: Promise<OpenStore> | undefined
  /** When the database was opened, on the clock of `performance.now`. */
  #openedAt = 0
  #users = 0
  #idleTimer: NodeJS.Timeout | undefined
  #closing: Promise<unknown> = Promise.resolve()

  /** @param init.writes - whether anything is written; without writes, the links may lie on a read-only disk */
  constructor (
    path: string,
    { writes, signal, timeout = LOCK_TIMEOUT }: { writes: boolean, signal: AbortSignal, timeout?: number }
  ) {
    this.#path = path
    this.#writes = writes
    this.#signal = signal
    this.#timeout = timeout
  }

  async get (...args: Parameters<LinkDatastore['get']>): Promise<Uint8Array> {
    return this.#use(async store => store.get(...args))
  }

  async put (key: Key, value: Uint8Array, options?: Parameters<LinkDatastore['put']>[2]): Promise<Key> {
    return this.#use(async ({ db }) => {
      options?.signal?.throwIfAborted()
      await db.put(key.toString(), value, SYNCED).catch(
        (err: unknown) => { throw Object.assign(new PutFailedError(String(err)), { cause: err }) }
      )

      return key
    })
  }

  async delete (key: Key, options?: Parameters<LinkDatastore['delete']>[1]): Promise<void> {
    await this.#use(async ({ db }) => {
      options?.signal?.throwIfAborted()
      await db.del(key.toString(), SYNCED).catch(
        (err: unknown) => { throw Object.assign(new DeleteFailedError(String(err)), { cause: err }) }
      )
    })
  }

  async * query (...args: Parameters<LinkDatastore['query']>): ReturnType<LinkDatastore['query']> {
    // read all before the first yield: the caller may change links between two
    yield * await this.#use(async store => {
      const pairs = []

      for await (const pair of store.query(...args)) {
        pairs.push(pair)
      }

      return pairs
    })
  }

  /** Run a read and a write that belong together, without any other process between them. */
  async change<T> (work: () => Promise<T>): Promise<T> {
    return this.#use(work)
  }

  async close (): Promise<void> {
    clearTimeout(this.#idleTimer)
    const opened = this.#opened
    this.#opened = undefined
    this.#closing = Promise.all([this.#closing, opened?.then(async store => store.close(), () => {})])
    await this.#closing
  }

  async #use<T> (work: (store: LevelDatastore) => Promise<T>): Promise<T> {
    clearTimeout(this.#idleTimer)
    this.#users++

    try {
      const { store } = await (this.#opened ??= this.#open())

      return await work(store)
    } finally {
      this.#users--

      if (this.#users === 0) {
        await this.#closeSoon()
      }
    }
  }

  /** Called when the last user is done. */
  async #closeSoon (): Promise<void> {
    if (performance.now() - this.#openedAt > MAX_TURN) {
      await this.close()
      this.#closing = sleep(PAUSE)
    } else {
      this.#idleTimer = setTimeout(() => { this.close().catch(() => {}) }, IDLE_TIMEOUT)
    }
  }

  async #open (): Promise<OpenStore> {
    await this.#closing

    try {
      const opened = await openLevel(this.#path, this.#signal, this.#timeout)

      if (this.#writes) {
        // LevelDB syncs the content of its directory, not the directory's entry in its parent
        await syncDirectory(dirname(this.#path))
      }

      return opened
    } catch (err) {
      if (this.#writes || levelCode(err) !== 'LEVEL_IO_ERROR') {
        throw err
      }

      return await openCopy(this.#path, this.#signal, this.#timeout)
    } finally {
      this.#openedAt = performance.now()
    }
  }
}

interface OpenStore {
  store: LevelDatastore
  close (): Promise<void>
}

async function openLevel (path: string, signal: AbortSignal, timeout: number): Promise<OpenStore> {
  const LevelDatastore = await loadLevel()
  // before it is made, which begins to open it
  await checkLevelFiles(path).catch((err: unknown) => {
    throw new LinksError(`Cannot open the links in ${path}: ${messageOf(err)}`, { cause: err })
  })
  const store = new LevelDatastore(path)
  const deadline = Date.now() + timeout

  for (;;) {
    try {
      // not `store.open()`: that loses the error code
      await store.db.open({ createIfMissing: true, compression: false })

      return { store, close: async () => store.close() }
    } catch (err) {
      if (levelCode(err) !== 'LEVEL_LOCKED') {
        throw new LinksError(`Cannot open the links in ${path}: ${reasonOf(err)}`, { cause: err })
      }

      if (Date.now() > deadline) {
        throw new RepoLockedError(dirname(path), { kind: 'links', path: join(path, 'LOCK') }, { cause: err })
      }
    }

    await sleep(RETRY_INTERVAL, undefined, { signal })
  }
}

/** LevelDB writes into its directory even to read. On a read-only disk, read a copy in the temporary directory. */
async function openCopy (path: string, signal: AbortSignal, timeout: number): Promise<OpenStore> {
  const copy = await makeTemporary(join(tmpdir(), 'ipfsz-links'))
  const remove = async (): Promise<void> => copy.remove().finally(async () => copy.close())

  try {
    await copyLevel(path, copy.directory.path, signal)
    const { store, close } = await openLevel(copy.directory.path, signal, timeout)

    return { store, close: async () => close().finally(remove) }
  } catch (err) {
    await remove()
    throw err
  }
}

/** The directory of a repo's links. */
export function linksIn (repo: string): string {
  return join(repo, 'links')
}

/** The links that a repo keeps itself. */
export function linksOf (repo: string): Links {
  const path = linksIn(repo)

  return {
    // opening them would create their directory
    exist: async () => access(path).then(() => true, () => false),
    open: init => new LinkStore(path, init)
  }
}

/** The error code of abstract-level that says why the database did not open, from the chain of causes. */
function levelCode (err: unknown): unknown {
  for (let at = err; at instanceof Error; at = at.cause) {
    if ('code' in at && at.code !== 'LEVEL_DATABASE_NOT_OPEN') {
      return at.code
    }
  }

  return undefined
}
