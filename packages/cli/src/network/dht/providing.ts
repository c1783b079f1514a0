import { setMaxListeners } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { Change } from '../auto-reset-event.ts'
import { usable } from './dhts.ts'
import type { Services } from './dhts.ts'
import type { Libp2p } from '@libp2p/interface'
import type { CID } from 'multiformats/cid'

/** Others forget after 48 hours: they are told again before, as Kubo does it, after 22. */
export const DEFAULT_PROVIDE_INTERVAL = 22 * 60 * 60 * 1000
/** How many are told of at one time, and may wait for that. */
const CONCURRENCY = 8
const MAX_WAITING = 1024
/** How long telling of one may take, in milliseconds. */
const TIMEOUT = 60_000
/** How often it is looked whether there is anybody to tell, in milliseconds. */
const INTERVAL = 500

export interface ProvidingInit {
  libp2p: Libp2p<Services>
  /** The roots that are to be provided, gone through at the start and on time. */
  roots: (signal: AbortSignal) => AsyncIterable<CID>
  /** What of a root is told of, by default it alone. */
  below?: (root: CID, signal: AbortSignal) => AsyncIterable<CID>
  /** @default 79200000 (22 hours) */
  interval?: number
  onError: (err: unknown) => void
}

/** Tells the DHTs what this node has: what is new at once, and all of it on time. */
export class Providing {
  readonly #init: ProvidingInit
  readonly #stopped = new AbortController()
  readonly #waiting: CID[] = []
  readonly #added = new Change()
  readonly #tasks = new Set<Promise<void>>()

  constructor (init: ProvidingInit) {
    this.#init = init
    setMaxListeners(0, this.#stopped.signal)
  }

  start (): void {
    this.#run(this.#tellAll())
    this.#run(this.#repeat())
  }

  /** Tell of roots as soon as there is somebody to tell. */
  add (roots: readonly CID[]): void {
    for (const root of roots) {
      this.#run(this.#enqueue(root))
    }
  }

  async stop (): Promise<void> {
    this.#stopped.abort()
    await Promise.all(this.#tasks)
  }

  #run (task: Promise<void>): void {
    const { signal } = this.#stopped
    const handled = task.catch((err: unknown) => {
      if (!signal.aborted) {
        this.#init.onError(err)
      }
    }).finally(() => { this.#tasks.delete(handled) })

    this.#tasks.add(handled)
  }

  async #repeat (): Promise<void> {
    const { signal } = this.#stopped
    const { roots, interval = DEFAULT_PROVIDE_INTERVAL } = this.#init

    while (!signal.aborted) {
      for await (const root of roots(signal)) {
        try {
          await this.#enqueue(root)
        } catch (err) {
          signal.throwIfAborted()
          // one that is damaged is no reason to keep the others back
          this.#init.onError(err)
        }
      }

      await wait(interval, undefined, { signal })
    }
  }

  async #enqueue (root: CID): Promise<void> {
    const { signal } = this.#stopped
    const { below } = this.#init

    for await (const cid of below?.(root, signal) ?? [root]) {
      while (this.#waiting.length >= MAX_WAITING) {
        await wait(INTERVAL, undefined, { signal })
      }

      this.#waiting.push(cid)
      this.#added.notify()
    }
  }

  async #tellAll (): Promise<void> {
    const { signal } = this.#stopped

    while (!signal.aborted) {
      if (this.#waiting.length > 0 && usable(this.#init.libp2p).length > 0) {
        await Promise.all(this.#waiting.splice(0, CONCURRENCY).map(async cid => this.#tell(cid)))
      } else {
        await this.#added.wait(INTERVAL, signal)
      }
    }
  }

  async #tell (cid: CID): Promise<void> {
    const signal = AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(TIMEOUT)])

    setMaxListeners(0, signal)

    await Promise.all(usable(this.#init.libp2p).map(async dht => {
      try {
        for await (const _ of dht.provide(cid, { signal })) {
          // it works as it is read
        }

        // pins say what others are told of, not the DHT's memory of what they once were
        await dht.cancelReprovide(cid)
      } catch (err) {
        if (!signal.aborted) {
          this.#init.onError(err)
        }
      }
    }))
  }
}
