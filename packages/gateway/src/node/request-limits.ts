export interface RequestLimitsInit {
  requests: number
  /** Maximum number of requests of one address that are answered at once. */
  requestsPerAddress: number
}

/** Counts the requests that are being answered. */
export class RequestLimits {
  readonly #init: RequestLimitsInit
  readonly #byAddress = new Map<string, number>()
  #requests = 0

  constructor (init: RequestLimitsInit) {
    this.#init = init
  }

  /** How many requests are being answered. */
  get requests (): number {
    return this.#requests
  }

  /**
   * Count a request.
   *
   * @returns what to call when it is answered, or the status that refuses it
   */
  enter (address: string | undefined): (() => void) | 429 | 503 {
    const key = clientOf(address ?? '')
    const ofClient = this.#byAddress.get(key) ?? 0

    if (this.#requests >= this.#init.requests) {
      return 503
    }

    if (ofClient >= this.#init.requestsPerAddress) {
      return 429
    }

    this.#requests++
    this.#byAddress.set(key, ofClient + 1)

    let entered = true

    return () => {
      if (entered) {
        entered = false
        this.#leave(key)
      }
    }
  }

  #leave (key: string): void {
    const left = (this.#byAddress.get(key) ?? 1) - 1

    this.#requests--

    if (left === 0) {
      this.#byAddress.delete(key)
    } else {
      this.#byAddress.set(key, left)
    }
  }
}

/** What one client has for itself: an address of IPv4, or the 64 bits that a network of IPv6 begins with. */
export function clientOf (address: string): string {
  const v4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]

  if (v4 != null || !address.includes(':')) {
    return v4 ?? address
  }

  const [head, tail] = address.split('%', 1)[0].split('::')
  const groups = head.split(':').filter(group => group !== '')
  const after = (tail ?? '').split(':').filter(group => group !== '')
  const zeros = tail == null ? 0 : Math.max(8 - groups.length - after.length, 0)
  const all = [...groups, ...Array.from({ length: zeros }, () => '0'), ...after]

  return all.slice(0, 4).map(group => Number.parseInt(group, 16).toString(16)).join(':')
}
