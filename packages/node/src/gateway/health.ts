import { access } from 'node:fs/promises'
import { messageOf } from '@ipfsz/utils/message-of'
import { raceSignal } from 'race-signal'
import type { FetchNetwork } from './fetch-network.ts'
import type { Repo } from '../repo/repo.ts'

/** How long the store may take to answer, in milliseconds: less than those who ask usually wait. */
const STORE_TIMEOUT = 5000
/** How long what was found out stays good, in milliseconds: whoever asks all the time makes no requests. */
const LIFETIME = 1000

/** Whether a gateway can do its work. */
export interface Health {
  store: { name: string, isReachable: boolean, error?: string }
  /** Undefined: it fetches nothing. Without peers it still serves all that the store has. */
  network?: { peers: number, error?: string }
}

export interface HealthInit {
  repo: Pick<Repo, 'path' | 'shared'>
  network?: Pick<FetchNetwork, 'peers'> | undefined
  /** @default 5000 */
  timeout?: number | undefined
}

/** Looks whether the store answers, and how many peers are connected. */
export class HealthCheck {
  readonly #init: HealthInit
  /** A look at the store that has not ended. A file system that hangs keeps a thread of Node for each. */
  #looking: Promise<void> | undefined
  #store: { value: Promise<Health['store']>, until: number } | undefined

  constructor (init: HealthInit) {
    this.#init = init
  }

  /** Never rejects. */
  async check (): Promise<Health> {
    const now = performance.now()

    if (this.#store == null || this.#store.until < now) {
      this.#store = { value: this.#checkStore(), until: now + LIFETIME }
    }

    const { network } = this.#init

    return {
      store: await this.#store.value,
      ...network == null ? {} : { network: await peersOf(network) }
    }
  }

  async #checkStore (): Promise<Health['store']> {
    const { repo: { path, shared }, timeout = STORE_TIMEOUT } = this.#init
    const name = shared?.name ?? path

    try {
      this.#looking ??= this.#look().finally(() => { this.#looking = undefined })
      await raceSignal(this.#looking, AbortSignal.timeout(timeout))

      return { name, isReachable: true }
    } catch (err) {
      const isLate = err instanceof Error && (err.name === 'TimeoutError' || err.name === 'AbortError')

      return { name, isReachable: false, error: isLate ? `no answer within ${timeout / 1000} s` : messageOf(err) }
    }
  }

  async #look (): Promise<void> {
    const { path, shared } = this.#init.repo

    await (shared == null ? access(path) : shared.watch.check())
  }
}

async function peersOf (network: Pick<FetchNetwork, 'peers'>): Promise<NonNullable<Health['network']>> {
  try {
    const { length } = await network.peers()

    return { peers: length }
  } catch (err) {
    return { peers: 0, error: messageOf(err) }
  }
}
