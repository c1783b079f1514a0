import { clientOf } from '../client.ts'

export interface RequestLimitsInit {
  /** Maximum number of requests that are answered at once. */
  requests: number
  /** Maximum number of requests of one address that are answered at once. */
  requestsPerAddress: number
  /** Milliseconds that a client may take nothing, if there are as many requests as there may be. */
  stalledAfter: number
}

/** A request that is being answered. */
export interface CountedRequest {
  /** To be called when its client stops taking what it is sent, and when it goes on. */
  stall (isStalled: boolean): void
  /** To be called when it is answered. */
  leave (): void
}

interface Entry {
  client: string
  cut: () => void
  leave: () => void
}

/**
 * Counts the requests that are being answered. Clients that do not read what they asked for cannot keep others out:
 * if there are as many requests as there may be, a new one takes the place of the one whose client has taken nothing
 * for longest. And a client may have no more requests than there are places left, so that some are, however many a few
 * addresses send (as buffers of switches are shared: Choudhury and Hahne, Dynamic Queue Length Thresholds, 1998).
 */
export class RequestLimits {
  readonly #init: RequestLimitsInit
  readonly #byClient = new Map<string, number>()
  /** Those whose client takes nothing, and since when, on the clock of `performance.now`: the first has longest. */
  readonly #stalled = new Map<Entry, number>()
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
   * @param cut - ends its response, to make room for another one
   * @returns the request, or the status that refuses it
   */
  enter (address: string | undefined, cut: () => void): CountedRequest | 429 | 503 {
    const client = clientOf(address ?? '')
    const isFull = this.#requests >= this.#init.requests
    const hasTooMany = this.#countOf(client) >= this.#limitPerClient()

    if ((isFull || hasTooMany) && !this.#cutStalled(hasTooMany ? client : undefined)) {
      return isFull ? 503 : 429
    }

    return this.#add({ client, cut, leave: () => {} })
  }

  #limitPerClient (): number {
    const { requests, requestsPerAddress } = this.#init

    // without a limit for each, all may come from one: from a proxy. One always may: in the place of another's
    return requestsPerAddress >= requests
      ? requests
      : Math.max(1, Math.min(requestsPerAddress, requests - this.#requests))
  }

  #add (entry: Entry): CountedRequest {
    const { client } = entry
    let isCounted = true
    this.#count(client, 1)
    entry.leave = () => {
      this.#stalled.delete(entry)

      if (isCounted) {
        isCounted = false
        this.#count(client, -1)
      }
    }

    return {
      stall: isStalled => {
        this.#stalled.delete(entry)

        if (isStalled && isCounted) {
          this.#stalled.set(entry, performance.now())
        }
      },
      leave: entry.leave
    }
  }

  /**
   * Cut off the response that has waited for its client for longest: of one client, or of any.
   *
   * @returns false: none has waited for long enough
   */
  #cutStalled (client: string | undefined): boolean {
    const until = performance.now() - this.#init.stalledAfter

    for (const [entry, since] of this.#stalled) {
      if (since > until) {
        return false
      }

      if (client == null || entry.client === client) {
        // its connection takes its time to be closed
        entry.leave()
        entry.cut()

        return true
      }
    }

    return false
  }

  #countOf (client: string): number {
    return this.#byClient.get(client) ?? 0
  }

  #count (client: string, change: 1 | -1): void {
    const count = this.#countOf(client) + change

    this.#requests += change

    if (count === 0) {
      this.#byClient.delete(client)
    } else {
      this.#byClient.set(client, count)
    }
  }
}
