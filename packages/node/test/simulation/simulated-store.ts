import { NotFoundError } from 'interface-store'
import type { EventQueue } from './event-queue.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import type { Random } from '../../../../test/support/random.ts'
import type { AbortOptions, GetObjectOptions, ListObjectsOptions, ObjectInfo, ObjectStore, PutObjectOptions } from
  '@ipfsz/shared-store/objects'

/** Keys on a page of a list. */
const PAGE = 3
/** How long a process waits for an answer. */
const TIMEOUT = 20_000
/** How much later a request may arrive than it was sent. */
const LATE = [30_000, 90_000, 3_600_000]
/** For how long a process stands still. */
const STALLS = [45_000, 90_000, 300_000]
/** For how long a delete of a pin is carried out after it was sent: then the store refuses it. */
const VALIDITY = 15_000

/** What goes wrong, each as a probability for a request, and how long one takes at most. */
export interface NetworkFaults {
  /** The request, or its answer, is lost. */
  lost: number
  /** What was given up arrives later. */
  late: number
  /** It arrives once more, later, if it may be sent twice. */
  twice: number
  /** The process stands still before it writes a pin, or deletes a pack. */
  stalled: number
  milliseconds: number
}

export const NO_FAULTS: NetworkFaults = { lost: 0, late: 0, twice: 0, stalled: 0, milliseconds: 10 }

type Effect<T> = () => T

interface Request<T> {
  effect: Effect<T>
  /** Whether it may be carried out more than once, and whenever. Reads have no effect. */
  kind: 'read' | 'once' | 'again' | 'expires'
  signal?: AbortSignal | undefined
  /** Called once no effect of it can come any more. */
  onOver?: () => void
}

/** Objects that all nodes see at once, behind a network that delays, loses and repeats requests. */
export class SimulatedStore {
  faults: NetworkFaults = NO_FAULTS
  readonly objects = new Map<string, Uint8Array>()
  /** Deletes of records that may still be carried out, by key. */
  readonly pendingDeletes = new Map<string, number>()
  onPut: (key: string, bytes: Uint8Array) => void = () => {}
  onDelete: (key: string) => void = () => {}
  readonly #events: EventQueue
  readonly #random: Random

  constructor (events: EventQueue, random: Random) {
    this.#events = events
    this.#random = random
  }

  /** The store as a process sees it. */
  of (process: SimulatedProcess): ObjectStore {
    return {
      get: async (key, { offset = 0, length = Infinity, signal }: GetObjectOptions = {}) =>
        this.#send(process, { kind: 'read', signal, effect: () => this.#read(key).slice(offset, offset + length) }),
      put: async (key, bytes, { isSentOnce = false, signal }: PutObjectOptions = {}) => {
        const sent = Uint8Array.from(bytes)
        await this.#maybeStall(process, key.startsWith('records/'))
        await this.#send(process, {
          kind: isSentOnce ? 'once' : 'again', signal, effect: () => { this.#put(key, sent) }
        })
      },
      stat: async (key, { signal }: AbortOptions = {}) => this.#send(process, {
        kind: 'read', signal, effect: () => this.#info(key)
      }),
      delete: async (keys, { signal }: AbortOptions = {}) => {
        await this.#maybeStall(process, keys.some(key => key.startsWith('packs/')))
        await Promise.all(keys.map(async key => this.#delete(process, key, signal)))
      },
      list: (prefix, options) => this.#list(process, prefix, options)
    }
  }

  /** Between the look that says whether a process may do something, and that. */
  async #maybeStall (process: SimulatedProcess, isCritical: boolean): Promise<void> {
    if (isCritical && this.#random.chance(this.faults.stalled)) {
      process.suspend(this.#random.pick(STALLS), this.#random.chance(0.5))
      await new Promise<void>(resolve => { process.at(this.#events.now, resolve) })
    }
  }

  async #delete (process: SimulatedProcess, key: string, signal: AbortSignal | undefined): Promise<void> {
    const effect = (): void => {
      this.objects.delete(key)
      this.onDelete(key)
    }

    if (!key.startsWith('records/')) {
      return this.#send(process, { kind: 'again', signal, effect })
    }

    const add = (n: number): void => { this.pendingDeletes.set(key, (this.pendingDeletes.get(key) ?? 0) + n) }
    add(1)

    await this.#send(process, { kind: 'expires', signal, effect, onOver: () => { add(-1) } })
  }

  async * #list (
    process: SimulatedProcess,
    prefix: string,
    { after = '', signal }: ListObjectsOptions = {}
  ): AsyncGenerator<ObjectInfo[]> {
    let last = after
    let page: ObjectInfo[]

    do {
      const behind = last
      page = await this.#send(process, {
        kind: 'read',
        signal,
        effect: () => Array.from(this.objects.keys()).filter(key => key.startsWith(prefix) && key > behind).toSorted()
          .slice(0, PAGE).flatMap(key => this.#info(key) ?? [])
      })
      yield page
      last = page.at(-1)?.key ?? ''
    } while (page.length === PAGE)
  }

  async #send<T> (process: SimulatedProcess, { effect, kind, signal, onOver }: Request<T>): Promise<T> {
    signal?.throwIfAborted()
    const random = this.#random
    const { lost, late, twice, milliseconds } = this.faults
    const sent = this.#events.now
    const isLost = random.chance(lost)
    const time = (): number => 1 + random.below(random.chance(0.9) ? milliseconds / 10 : milliseconds)
    const arrival = sent + (isLost && random.chance(late) ? random.pick(LATE) : time())
    const isNever = isLost && random.chance(0.3)

    return new Promise<T>((resolve, reject) => {
      const giveUp = (): void => { reject(networkError()) }
      const cancel = process.at(sent + (isLost ? random.below(TIMEOUT) : TIMEOUT), giveUp)
      const answer = (tell: () => void): void => {
        process.at(arrival + time(), () => {
          cancel()
          tell()
        })
      }
      signal?.addEventListener('abort', () => {
        cancel()
        reject(signal.reason as Error)
      }, { once: true })

      this.#events.at(arrival, () => {
        onOver?.()

        if (isNever || (kind === 'expires' && arrival > sent + VALIDITY)) {
          answer(giveUp)
          return
        }

        try {
          const value = effect()
          answer(() => { resolve(value) })
        } catch (err) {
          answer(() => { reject(err as Error) })
        }
      })

      if (kind === 'again' && random.chance(twice)) {
        this.#events.at(sent + random.pick([random.below(TIMEOUT), ...LATE]), effect)
      }
    })
  }

  #read (key: string): Uint8Array {
    const bytes = this.objects.get(key)

    if (bytes == null) {
      throw new NotFoundError(`there is no object ${key}`)
    }

    return bytes
  }

  #info (key: string): ObjectInfo | undefined {
    const bytes = this.objects.get(key)

    return bytes && { key, size: bytes.byteLength, modified: new Date(0) }
  }

  #put (key: string, bytes: Uint8Array): void {
    this.objects.set(key, bytes)
    this.onPut(key, bytes)
  }
}

/** What says that a store did not answer. */
function networkError (): Error {
  return Object.assign(new Error('the store does not answer'), { name: 'S3NetworkError' })
}
