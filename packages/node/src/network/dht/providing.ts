import { setMaxListeners } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { Queue } from '@libp2p/utils'
import { usableDhts } from './dhts.ts'
import type { Services } from './dhts.ts'
import type { Libp2p } from '@libp2p/interface'
import type { CID } from 'multiformats/cid'

/** Provider records last 48 hours. They are renewed after 22, as Kubo does. */
export const DEFAULT_PROVIDE_INTERVAL = 22 * 60 * 60 * 1000
/** How many CIDs are provided at a time, and how many may wait for that. */
const CONCURRENCY = 8
const MAX_WAITING = 1024
/** How long providing one CID may take, in milliseconds. */
const TIMEOUT = 60_000
/** How often to check for a usable DHT, in milliseconds. */
const INTERVAL = 500

export interface ProvidingInit {
  libp2p: Libp2p<Services>
  /** Lists the roots to provide. Called at the start and at every interval. */
  roots: (signal: AbortSignal) => AsyncIterable<CID>
  /** The CIDs to provide for a root, by default the root alone. */
  below?: (root: CID, signal: AbortSignal) => AsyncIterable<CID>
  /** @default 79200000 (22 hours) */
  interval?: number
  onError: (err: unknown) => void
}

/** Publishes provider records in the DHTs: for new roots at once, and for all roots at every interval. */
export class Providing {
  readonly #init: ProvidingInit
  readonly #stopped = new AbortController()
  readonly #queue = new Queue({ concurrency: CONCURRENCY })
  readonly #tasks = new Set<Promise<unknown>>()

  constructor (init: ProvidingInit) {
    this.#init = init
    setMaxListeners(0, this.#stopped.signal)
  }

  start (): void {
    this.#run(this.#repeat())
  }

  /** Provides roots as soon as a DHT is usable. */
  add (roots: readonly CID[]): void {
    roots.forEach(root => { this.#run(this.#enqueue(root)) })
  }

  /** Provide some of the roots now, in the background. */
  repeatSome (isChosen: (root: CID) => boolean): void {
    this.#run(this.#enqueueRoots(isChosen))
  }

  async stop (): Promise<void> {
    this.#stopped.abort()
    await Promise.all(this.#tasks)
  }

  #run (task: Promise<unknown>): void {
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
    const { interval = DEFAULT_PROVIDE_INTERVAL } = this.#init

    while (!signal.aborted) {
      await this.#enqueueRoots(() => true)
      await wait(interval, undefined, { signal })
    }
  }

  async #enqueueRoots (isChosen: (root: CID) => boolean): Promise<void> {
    const { signal } = this.#stopped

    for await (const root of this.#init.roots(signal)) {
      try {
        if (isChosen(root)) {
          await this.#enqueue(root)
        }
      } catch (err) {
        signal.throwIfAborted()
        // a damaged root must not keep the others back
        this.#init.onError(err)
      }
    }
  }

  async #enqueue (root: CID): Promise<void> {
    const { signal } = this.#stopped
    const { below } = this.#init

    for await (const cid of below?.(root, signal) ?? [root]) {
      // another one that waits may take the room first
      while (this.#queue.size >= MAX_WAITING) {
        await this.#queue.onSizeLessThan(MAX_WAITING, { signal })
      }

      this.#run(this.#queue.add(async () => this.#provide(cid), { signal }))
    }
  }

  async #provide (cid: CID): Promise<void> {
    while (usableDhts(this.#init.libp2p).length === 0) {
      await wait(INTERVAL, undefined, { signal: this.#stopped.signal })
    }

    const signal = AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(TIMEOUT)])

    setMaxListeners(0, signal)

    await Promise.all(usableDhts(this.#init.libp2p).map(async dht => {
      try {
        for await (const _ of dht.provide(cid, { signal })) {
          // the query runs while its events are read
        }

        // `roots` decides what is renewed: kad-dht would go on renewing what is no longer pinned
        await dht.cancelReprovide(cid)
      } catch (err) {
        if (!signal.aborted) {
          this.#init.onError(err)
        }
      }
    }))
  }
}
