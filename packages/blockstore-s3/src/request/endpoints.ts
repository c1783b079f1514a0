import { ENDPOINT_REST } from '../constants.ts'

interface Endpoint {
  origin: string
  /** When it may be asked again, in milliseconds by a monotonic clock. 0 while it works. */
  restsUntil: number
}

/** The endpoints of a store. Requests go to the first that works. One that cannot be reached rests for a while. */
export class Endpoints {
  readonly #endpoints: readonly Endpoint[]
  readonly #now: () => number

  /**
   * @param origins - the preferred one first
   * @param now - a monotonic clock
   */
  constructor (origins: readonly string[], now: () => number = () => performance.now()) {
    this.#endpoints = origins.map(origin => ({ origin, restsUntil: 0 }))
    this.#now = now
  }

  /**
   * Choose an endpoint for an attempt: one that works, or the one that has rested longest.
   *
   * @param avoid - those that failed to answer this request: asked only if there is no other
   */
  choose (avoid: ReadonlySet<string>): string {
    const now = this.#now()
    const working = this.#endpoints.filter(({ restsUntil }) => restsUntil <= now)
    const chosen = working.find(({ origin }) => !avoid.has(origin)) ?? working[0] ??
      this.#endpoints.toSorted((a, b) => a.restsUntil - b.restsUntil)[0]

    // one request finds out whether it is back. The others go elsewhere until it is
    if (chosen.restsUntil > 0) {
      chosen.restsUntil = now + ENDPOINT_REST
    }

    return chosen.origin
  }

  /** Whether an endpoint works that is not to be avoided. */
  hasOther (avoid: ReadonlySet<string>): boolean {
    const now = this.#now()

    return this.#endpoints.some(({ origin, restsUntil }) => !avoid.has(origin) && restsUntil <= now)
  }

  /** It answered, be it with an error. */
  answered (origin: string): void {
    this.#set(origin, 0)
  }

  /** It could not be reached. */
  unreachable (origin: string): void {
    this.#set(origin, this.#now() + ENDPOINT_REST)
  }

  #set (origin: string, restsUntil: number): void {
    const endpoint = this.#endpoints.find(endpoint => endpoint.origin === origin)

    if (endpoint != null) {
      endpoint.restsUntil = restsUntil
    }
  }
}
