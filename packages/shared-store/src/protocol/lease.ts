import { readObject } from '../objects/read-object.ts'
import type { Clock } from '../clock.ts'
import type { ObjectStore } from '../objects/object-store.ts'

/** A lease is renewed this many times within its timeout. */
const RENEWALS = 3
/** Who waits for others looks this many times within the timeout. */
const POLLS = 60
/** A lease, and what says who made a session, have at most this many bytes. */
const MAX_BYTES = 4096
/** The longest text about a process that is shown, in characters. */
const MAX_SHOWN = 200

/** Milliseconds between renewals of a lease. */
export function renewalInterval (leaseTimeout: number): number {
  return leaseTimeout / RENEWALS
}

/** Milliseconds between looks at the store while somebody waits. */
export function pollInterval (leaseTimeout: number): number {
  return leaseTimeout / POLLS
}

/** Watches an object that a living process changes: by the watcher's own clock, as no two clocks agree. */
export class LeaseWatch {
  readonly #store: ObjectStore
  readonly #key: string
  readonly #clock: Clock
  /** What was read last: undefined before the first time, '' if there is no such object. */
  #value: string | undefined
  #since = 0

  constructor (store: ObjectStore, key: string, clock: Clock) {
    this.#store = store
    this.#key = key
    this.#clock = clock
  }

  /**
   * Read the lease.
   *
   * @returns for how many milliseconds it has not changed. A lease that is not there does not change.
   */
  async unchanged (signal?: AbortSignal): Promise<number> {
    // from before it is read: it may have changed while the answer was on its way
    const now = this.#clock.now()
    const bytes = await readObject(this.#store, this.#key, { offset: 0, length: MAX_BYTES, signal })
    const value = Buffer.from(bytes ?? []).toString('latin1')

    if (value !== this.#value) {
      this.#value = value
      this.#since = this.#clock.now()
    }

    return Math.max(0, now - this.#since)
  }

  /** What was read last. */
  get text (): string {
    return Buffer.from(this.#value ?? '', 'latin1').toString()
  }
}

/** Who made a session or a collection, for people. */
export interface Owner {
  command: string
  host: string
  pid: number
}

export function encodeOwner (owner: Owner & { state?: string, renewed?: number }): Uint8Array {
  return Buffer.from(`${JSON.stringify(owner)}\n`)
}

/** The owner as a text for people, without characters that would steer their terminal. */
export function describeOwner (text: string): string {
  try {
    const { command, host, pid } = JSON.parse(text) as Partial<Owner>

    if (typeof command === 'string' && typeof host === 'string' && typeof pid === 'number') {
      return printable(`${command} (process ${pid} on ${host})`)
    }
  } catch {
    // no JSON
  }

  return 'an unknown process'
}

/** Read who made a session. */
export async function readOwner (store: ObjectStore, key: string, signal?: AbortSignal): Promise<string> {
  const bytes = await readObject(store, key, { offset: 0, length: MAX_BYTES, signal })

  return describeOwner(Buffer.from(bytes ?? []).toString())
}

function printable (text: string): string {
  return text.replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '?').slice(0, MAX_SHOWN)
}
