import { GatewayPool } from './gateway-pool.ts'
import { DEFAULT_HEDGE_TIME, DEFAULT_STALL_TIMEOUT, MAX_ATTEMPTS, MAX_REFUSALS } from './limits.ts'
import type { Gateway } from './gateway.ts'
import type { Fetch } from './open-response.ts'

export interface GatewaySettingsInit {
  /** The gateways. Sources that share a pool share what is known of each gateway. */
  pool: GatewayPool
  /**
   * Used instead of the global `fetch`.
   *
   * @default fetch
   */
  fetch?: Fetch | undefined
  /**
   * How often one call asks a gateway that fails for the moment, with pauses of up to a second, if it has sent blocks
   * before. Others are asked three times. Choose more if there is nothing else to ask.
   *
   * @default 3
   */
  attempts?: number | undefined
  /**
   * Milliseconds without an answer after which the next gateway is asked too.
   *
   * @default 2000
   */
  hedgeTime?: number | undefined
  /**
   * Milliseconds that a gateway may take to answer, or to send 8 KiB.
   *
   * @default 10000
   */
  stallTimeout?: number | undefined
}

/** How the streams and requests below one root use the gateways. */
export class GatewaySettings {
  readonly pool: GatewayPool
  readonly fetch: Fetch
  readonly attempts: number
  readonly hedgeTime: number
  readonly stallTimeout: number
  /** How often in a row each gateway answered that it lacks a block. */
  readonly #refusals = new Map<Gateway, number>()

  constructor (init: GatewaySettingsInit) {
    this.pool = init.pool
    this.fetch = init.fetch ?? (async (url, options) => fetch(url, options))
    this.attempts = init.attempts ?? MAX_ATTEMPTS
    this.hedgeTime = init.hedgeTime ?? DEFAULT_HEDGE_TIME
    this.stallTimeout = init.stallTimeout ?? DEFAULT_STALL_TIMEOUT
  }

  /** Whether a gateway seems to have nothing below this root. */
  isExcluded (gateway: Gateway): boolean {
    return (this.#refusals.get(gateway) ?? 0) >= MAX_REFUSALS
  }

  /** Record that a gateway sent a block. */
  succeeded (gateway: Gateway): void {
    gateway.succeeded()
    this.#refusals.delete(gateway)
  }

  /** Record that a gateway failed. */
  failed (gateway: Gateway, err: Error): void {
    gateway.failed(err)

    if (err.name === 'GatewayRefusedError') {
      this.#refusals.set(gateway, (this.#refusals.get(gateway) ?? 0) + 1)
    }
  }
}
