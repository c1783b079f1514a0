import { MUCH_FASTER, SLOW_RATE } from '../../constants.ts'
import { Gateway } from './gateway.ts'
import { parseGatewayUrl } from './gateway-url.ts'

/** The gateways that may be asked, the preferred one first. */
export class GatewayPool {
  readonly #gateways = new Map<string, Gateway>()
  readonly #shared: GatewayPool | undefined

  /**
   * @param shared - a pool with more gateways: those that are in both share what is known of them
   * @throws {InvalidGatewayUrlError}
   */
  constructor (urls: Iterable<string | URL>, shared?: GatewayPool) {
    this.#shared = shared

    for (const url of urls) {
      this.add(url)
    }
  }

  get gateways (): readonly Gateway[] {
    return [...this.#gateways.values()]
  }

  /**
   * Add a gateway, as the last one. Requests under way ask it too.
   *
   * @throws {InvalidGatewayUrlError}
   */
  add (url: string | URL): Gateway {
    const base = parseGatewayUrl(String(url))
    const gateway = this.#gateways.get(base.href) ?? this.#shared?.add(base) ?? new Gateway(base)

    this.#gateways.set(base.href, gateway)

    return gateway
  }

  /**
   * The gateway to ask next. Undefined: none may be asked now.
   *
   * @param load - how busy it is: the least busy one is asked. Without it, the preferred one
   */
  pick (excluded: (gateway: Gateway) => boolean, load: (gateway: Gateway) => number = () => 0): Gateway | undefined {
    const available = this.gateways
      .filter(gateway => gateway.pause === 0 && !excluded(gateway))
      .toSorted((a, b) => load(a) < load(b) ? -1 : Number(load(a) > load(b)))

    return available.find(({ isSlow }) => !isSlow) ?? available[0]
  }

  /** How long until one may be asked, in milliseconds. Infinity: never. */
  pause (excluded: (gateway: Gateway) => boolean): number {
    return Math.min(...this.gateways.filter(gateway => !excluded(gateway)).map(({ pause }) => pause))
  }

  /**
   * A gateway that should replace another, which sends `rate` bytes per millisecond: the fastest one that is known to
   * be much faster, or one whose rate is unknown if this one is really slow.
   */
  faster (than: Gateway, rate: number, excluded: (gateway: Gateway) => boolean): Gateway | undefined {
    const isFaster = (other?: number): boolean => other == null ? rate < SLOW_RATE : other >= rate * MUCH_FASTER

    return this.gateways
      .filter(other => other !== than && other.pause === 0 && !excluded(other) && isFaster(other.rate))
      .toSorted((a, b) => (b.rate ?? 0) - (a.rate ?? 0))
      .at(0)
  }
}
