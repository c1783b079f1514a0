import { access, cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { syncDirectory } from '@ipfsz/blockstore-compressed/fs'
import { DeleteFailedError, PutFailedError } from 'interface-store'
import { LinksError } from '../errors.ts'
import type { LinkDatastore } from '@ipfsz/core'
import type { LevelDatastore } from 'datastore-level'
import type { Key } from 'interface-datastore'

/** LevelDB is for one process at a time: others are waited for so long, 20 seconds. */
const PATIENCE = 20_000
/** How often it is tried, in milliseconds. */
const INTERVAL = 20
/** When nobody has used it for so long it is closed, in milliseconds. To open it takes five. */
const IDLE = 50
/** So long a process keeps it that uses it all the time, in milliseconds. */
const TURN = 1000
/** Then it leaves it to others for this long: longer than the interval at which they try. */
const PAUSE = 2 * INTERVAL
/** What is written survives a loss of power: LevelDB syncs its log. LevelDatastore has no option for it. */
const SYNCED = { keyEncoding: 'utf8', sync: true } as const

/**
 * The links of a repo: a LevelDB that is opened when it is used, and closed soon
 * after, so that processes take turns. A change is not interrupted by others.
 */
export class LinkStore implements LinkDatastore {
  readonly #path: string
  readonly #writes: boolean
  readonly #signal: AbortSignal
  #opened: Promise<OpenStore> | undefined
  #since = 0
  #users = 0
  #idle: NodeJS.Timeout | undefined
  #closing: Promise<unknown> = Promise.resolve()

  /**
   * @param init.writes - whether anything is written: who only reads may do so from a disk that cannot be written to
   */
  constructor (path: string, { writes, signal }: { writes: boolean, signal: AbortSignal }) {
    this.#path = path
    this.#writes = writes
    this.#signal = signal
  }

  async get (...args: Parameters<LinkDatastore['get']>): Promise<Uint8Array> {
    return this.#use(async store => store.get(...args))
  }

  /** @throws {PutFailedError} */
  async put (key: Key, value: Uint8Array, options?: Parameters<LinkDatastore['put']>[2]): Promise<Key> {
    return this.#use(async ({ db }) => {
      options?.signal?.throwIfAborted()
      await db.put(key.toString(), value, SYNCED).catch((err: unknown) => { throw Object.assign(new PutFailedError(String(err)), { cause: err }) })

      return key
    })
  }

  /** @throws {DeleteFailedError} */
  async delete (key: Key, options?: Parameters<LinkDatastore['delete']>[1]): Promise<void> {
    await this.#use(async ({ db }) => {
      options?.signal?.throwIfAborted()
      await db.del(key.toString(), SYNCED).catch((err: unknown) => { throw Object.assign(new DeleteFailedError(String(err)), { cause: err }) })
    })
  }

  async * query (...args: Parameters<LinkDatastore['query']>): ReturnType<LinkDatastore['query']> {
    // all of them at once: the caller may do other things to them between two
    yield * await this.#use(async store => {
      const pairs = []

      for await (const pair of store.query(...args)) {
        pairs.push(pair)
      }

      return pairs
    })
  }

  /** Do what reads first and writes then, while no other process does anything. */
  async change<T> (work: () => Promise<T>): Promise<T> {
    return this.#use(work)
  }

  async close (): Promise<void> {
    clearTimeout(this.#idle)
    const opened = this.#opened
    this.#opened = undefined
    this.#closing = Promise.all([this.#closing, opened?.then(async store => store.close(), () => {})])
    await this.#closing
  }

  async #use<T> (work: (store: LevelDatastore) => Promise<T>): Promise<T> {
    clearTimeout(this.#idle)
    this.#users++

    try {
      const { store } = await (this.#opened ??= this.#open())

      return await work(store)
    } finally {
      this.#users--

      if (this.#users === 0) {
        await this.#leave()
      }
    }
  }

  /** Nobody uses it just now. */
  async #leave (): Promise<void> {
    if (performance.now() - this.#since > TURN) {
      await this.close()
      this.#closing = sleep(PAUSE)
    } else {
      this.#idle = setTimeout(() => { this.close().catch(() => {}) }, IDLE)
    }
  }

  async #open (): Promise<OpenStore> {
    await this.#closing

    try {
      const opened = await openLevel(this.#path, this.#signal)

      if (this.#writes) {
        // LevelDB syncs what is in its directory, not the name of that
        await syncDirectory(dirname(this.#path))
      }

      return opened
    } catch (err) {
      if (this.#writes || levelCode(err) !== 'LEVEL_IO_ERROR') {
        throw err
      }

      return await openCopy(this.#path, this.#signal)
    } finally {
      this.#since = performance.now()
    }
  }
}

interface OpenStore {
  store: LevelDatastore
  close (): Promise<void>
}

async function openLevel (path: string, signal: AbortSignal): Promise<OpenStore> {
  const { LevelDatastore } = await import('datastore-level')
  const store = new LevelDatastore(path)
  const deadline = Date.now() + PATIENCE

  for (;;) {
    try {
      // not its own open: that loses which error it was
      await store.db.open({ createIfMissing: true, compression: false })

      return { store, close: async () => store.close() }
    } catch (err) {
      if (levelCode(err) !== 'LEVEL_LOCKED') {
        throw new LinksError(`The links in ${path} cannot be opened: ${reason(err)}`, { cause: err })
      }

      if (Date.now() > deadline) {
        throw new LinksError(`The links in ${path} are being changed by another process: try again when it is done`, { cause: err })
      }
    }

    await sleep(INTERVAL, undefined, { signal })
  }
}

/** LevelDB writes where it only reads: where it cannot, it reads a copy. */
async function openCopy (path: string, signal: AbortSignal): Promise<OpenStore> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-links-'))
  const remove = async (): Promise<void> => rm(directory, { recursive: true, force: true })

  try {
    await cp(path, directory, { recursive: true, filter: source => !source.endsWith('LOCK') })
    const { store, close } = await openLevel(directory, signal)

    return { store, close: async () => close().finally(remove) }
  } catch (err) {
    await remove()
    throw err
  }
}

/** Where the links of a repo are. */
export function linksIn (repo: string): string {
  return join(repo, 'links')
}

/** Whether a repo has had links. */
export async function hasLinks (repo: string): Promise<boolean> {
  return access(linksIn(repo)).then(() => true, () => false)
}

/** What abstract-level calls the failure to open a database, below what wraps it. */
function levelCode (err: unknown): unknown {
  for (let at = err; at instanceof Error; at = at.cause) {
    if ('code' in at && at.code !== 'LEVEL_DATABASE_NOT_OPEN') {
      return at.code
    }
  }

  return undefined
}

function reason (err: unknown): string {
  const { message } = (err instanceof Error && err.cause instanceof Error ? err.cause : err) as Error

  return message
}
