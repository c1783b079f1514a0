import { shorten } from './columns.ts'
import { RecentRate } from './recent-rate.ts'

/** A sender counts for this long after its last block, in milliseconds. */
const RECENT = 10_000
/** Another sender is named instead once it is this many times as fast. */
const FASTER = 2
const PEER_COLUMNS = 13

/** Who sends what arrives at the moment. */
export interface CurrentArrivals {
  /** The host of a gateway or a short peer id, and how many others send too. */
  from: string
  /** Bytes per second, of all of them. */
  rate: number
}

/** What a command fetches: how much, how fast, and from where. */
export class Arrivals {
  readonly #now: () => number
  readonly #senders = new Map<string, RecentRate>()
  #named: string | undefined
  #bytes = 0

  constructor (now: () => number) {
    this.#now = now
  }

  /** Bytes of all blocks so far. */
  get bytes (): number {
    return this.#bytes
  }

  /**
   * Call when a block has arrived.
   *
   * @param sender - a peer id, or the URL of a gateway
   * @param waited - since it was asked for, in milliseconds
   */
  add (sender: string, bytes: number, waited: number): void {
    const now = this.#now()
    const rate = this.#senders.get(sender) ?? new RecentRate(now - waited)

    this.#senders.set(sender, rate)
    rate.update(rate.total + bytes, now)
    this.#bytes += bytes
  }

  /** Undefined: nothing arrives. */
  current (now: number): CurrentArrivals | undefined {
    const active = [...this.#senders]
      .filter(([, { lastTime }]) => lastTime > now - RECENT)
      .map(([sender, rate]) => ({ sender, rate: rate.at(now) }))
      .toSorted((a, b) => b.rate - a.rate)
    const [fastest] = active

    if (fastest == null) {
      return undefined
    }

    const named = active.find(({ sender }) => sender === this.#named)

    // a name that changed with every block could not be read
    this.#named = named != null && fastest.rate < named.rate * FASTER ? named.sender : fastest.sender

    return {
      from: `${shortName(this.#named)}${active.length === 1 ? '' : ` +${active.length - 1}`}`,
      rate: active.reduce((sum, { rate }) => sum + rate, 0)
    }
  }
}

/** The host of a URL, or a peer id without its middle. */
export function shortName (sender: string): string {
  return URL.parse(sender)?.host ?? shorten(sender, PEER_COLUMNS)
}
