import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { LinksError } from './errors.ts'
import type { LinkDatastore } from '@ipfsz/core'
import type { LevelDatastore } from 'datastore-level'
import type { Key } from 'interface-datastore'

/** LevelDB is for one process at a time: others are waited for so long, 20 seconds. */
const PATIENCE = 20_000
/** How often it is tried, in milliseconds. */
const INTERVAL = 20

/**
 * The links of a repo, opened when they are first asked for. Who writes has them
 * until `close`, as a change reads first what it writes. Who reads gives them back
 * at once, so that a long read keeps nobody from writing.
 */
export class LinkStore implements LinkDatastore {
  readonly #path: string
  readonly #writes: boolean
  readonly #signal: AbortSignal
  #opened: Promise<LevelDatastore> | undefined
  #users = 0

  constructor (path: string, { writes, signal }: { writes: boolean, signal: AbortSignal }) {
    this.#path = path
    this.#writes = writes
    this.#signal = signal
  }

  async get (...args: Parameters<LinkDatastore['get']>): Promise<Uint8Array> {
    return this.#use(async store => store.get(...args))
  }

  async put (...args: Parameters<LinkDatastore['put']>): Promise<Key> {
    return this.#use(async store => store.put(...args))
  }

  async delete (...args: Parameters<LinkDatastore['delete']>): Promise<void> {
    return this.#use(async store => store.delete(...args))
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

  async close (): Promise<void> {
    const opened = this.#opened
    this.#opened = undefined
    await (await opened?.catch(() => undefined))?.close()
  }

  async #use<T> (work: (store: LevelDatastore) => Promise<T>): Promise<T> {
    this.#users++

    try {
      return await work(await (this.#opened ??= this.#open()))
    } finally {
      this.#users--

      if (!this.#writes && this.#users === 0) {
        await this.close()
      }
    }
  }

  async #open (): Promise<LevelDatastore> {
    const { LevelDatastore } = await import('datastore-level')
    const store = new LevelDatastore(this.#path)
    const deadline = Date.now() + PATIENCE

    for (;;) {
      try {
        // not its own open: that loses which error it was
        await store.db.open({ createIfMissing: true, compression: false })

        return store
      } catch (err) {
        if (!isLocked(err)) {
          throw new LinksError(`The links in ${this.#path} cannot be opened: ${reason(err)}`, { cause: err })
        }

        if (Date.now() > deadline) {
          throw new LinksError(`The links in ${this.#path} are being changed by another process: try again when it is done`, { cause: err })
        }
      }

      await setTimeout(INTERVAL, undefined, { signal: this.#signal })
    }
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

function isLocked (err: unknown): boolean {
  return err instanceof Error && err.cause instanceof Error && 'code' in err.cause && err.cause.code === 'LEVEL_LOCKED'
}

function reason (err: unknown): string {
  const { message } = (err instanceof Error && err.cause instanceof Error ? err.cause : err) as Error

  return message
}
