import { Gateway } from './gateway.ts'
import { parseGatewayUrl } from './gateway-url.ts'
import { MUCH_FASTER, SLOW_RATE } from './limits.ts'

/** The gateways that may be asked, the preferred one first. */
export class GatewayPool {
  readonly gateways: readonly Gateway[]

  /** @throws {InvalidGatewayUrlError} */
  constructor (urls: Iterable<string | URL>) {
    const bases = new Map([...urls].map(url => {
      const base = parseGatewayUrl(String(url))

      return [base.href, base]
    }))

    this.gateways = [...bases.values()].map(url => new Gateway(url))
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
