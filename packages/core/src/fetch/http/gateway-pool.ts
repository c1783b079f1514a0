import { Gateway } from './gateway.ts'
import { parseGatewayUrl } from './gateway-url.ts'
import { MUCH_FASTER, SLOW_RATE } from './limits.ts'

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

  /** The gateway to ask next. Undefined: none may be asked now. */
  pick (excluded: (gateway: Gateway) => boolean): Gateway | undefined {
    const available = this.gateways.filter(gateway => gateway.pause === 0 && !excluded(gateway))

    return available.find(({ isSlow }) => !isSlow) ?? available[0]
  }

  /** How long until one may be asked, in milliseconds. Infinity: never. */
  pause (excluded: (gateway: Gateway) => boolean): number {
    return Math.min(...this.gateways.filter(gateway => !excluded(gateway)).map(({ pause }) => pause))
  }

  /**
   * A gateway that should replace another, which sends `rate` bytes per millisecond: one that is known to be much
   * faster, or one whose rate is unknown if the other is really slow.
   */
  faster (than: Gateway, rate: number, excluded: (gateway: Gateway) => boolean): Gateway | undefined {
    const others = this.gateways.filter(gateway => gateway !== than && gateway.pause === 0 && !excluded(gateway))
    const fastest = others.toSorted((a, b) => (b.rate ?? 0) - (a.rate ?? 0)).at(0)

    if (fastest?.rate != null && fastest.rate >= rate * MUCH_FASTER) {
      return fastest
    }

    return rate < SLOW_RATE ? others.find(gateway => gateway.rate == null) : undefined
  }
}
