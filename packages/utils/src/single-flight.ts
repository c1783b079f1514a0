import { raceAbort } from './race-abort.ts'

interface Flight<T> {
  result: Promise<T>
  waiting: number
  isOver: boolean
  unneeded: AbortController
}

/** Why work ends. Made once: an abort without a reason makes an error, with its stack, each time. */
const UNNEEDED = new DOMException('Nobody waits for it any more', 'AbortError')

/**
 * Does each thing once for all who want it at the same time. Whoever aborts stops waiting at once, and the last one who
 * does ends the work. Nothing is remembered once the work is over.
 */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Flight<T>>()

  /** Whether no work goes on. */
  get isIdle (): boolean {
    return this.#flights.size === 0
  }

  /** Whether work of this key goes on, which `run` would join. */
  has (key: string): boolean {
    return this.#flights.has(key)
  }

  /** The keys of all work that goes on, the first that began first. */
  keys (): MapIterator<string> {
    return this.#flights.keys()
  }

  /**
   * @param work - is not called if such work goes on. Its signal aborts once nobody waits for it
   * @throws what the work throws, or the reason of the caller's signal
   */
  async run (key: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal | null): Promise<T> {
    signal?.throwIfAborted()

    const flight = this.#flights.get(key) ?? this.#start(key, work)
    flight.waiting++

    try {
      return await raceAbort(flight.result, signal)
    } finally {
      flight.waiting--

      if (flight.waiting === 0 && !flight.isOver) {
        this.#end(key, flight)
        flight.unneeded.abort(UNNEEDED)
      }
    }
  }

  #start (key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const unneeded = new AbortController()
    const flight: Flight<T> = { result: work(unneeded.signal), waiting: 0, isOver: false, unneeded }
    const end = (): void => { this.#end(key, flight) }

    this.#flights.set(key, flight)
    // before those who wait learn of it. They get its error
    flight.result.then(end, end)

    return flight
  }

  /** Whoever comes next starts anew. */
  #end (key: string, flight: Flight<T>): void {
    flight.isOver = true

    if (this.#flights.get(key) === flight) {
      this.#flights.delete(key)
    }
  }
}
