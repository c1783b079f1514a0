import {
  DEFAULT_HEDGE_TIME,
  DEFAULT_STALL_TIMEOUT,
  FIRST_PAUSE,
  LONGEST_PAUSE_OF_KNOWN,
  LONGEST_WAIT,
  SOURCE_STALL_TIMEOUT
} from '../../constants.ts'
import { MAX_ATTEMPTS, MAX_ATTEMPTS_OF_KNOWN, MAX_REFUSALS } from './limits.ts'
import type { GatewayPool } from './gateway-pool.ts'
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
   * Whether there is nothing else to ask. Then gateways that fail for the moment are waited for: for about half a
   * minute if they have sent blocks before. Otherwise a call fails soon.
   *
   * @default true
   */
  isOnlySource?: boolean | undefined
  /**
   * Whether to ask for CARs alone, and to refuse soon what none of them brings: another source is better at that.
   *
   * @default false
   */
  carsOnly?: boolean | undefined
  /**
   * Milliseconds without an answer, or with less than 8 KiB sent, after which another gateway is asked too.
   *
   * @default 1000
   */
  hedgeTime?: number | undefined
  /**
   * Milliseconds that a gateway may take to answer, or to send 8 KiB.
   *
   * @default 10000, or 5000 if there is something else to ask
   */
  stallTimeout?: number | undefined
}

/** How the streams and requests below one root use the gateways. */
export class GatewaySettings {
  readonly pool: GatewayPool
  readonly fetch: Fetch
  readonly isOnlySource: boolean
  readonly carsOnly: boolean
  readonly hedgeTime: number
  readonly stallTimeout: number
  /**
   * How often in a row each gateway answered that it lacks a block. Infinity: it let the reader wait, and never sent
   * anything.
   */
  readonly #refusals = new Map<Gateway, number>()
  /** Of the gateways whose last response had no block. */
  readonly #failures = new Map<Gateway, Error>()

  constructor (init: GatewaySettingsInit) {
    this.pool = init.pool
    this.fetch = init.fetch ?? (async (url, options) => fetch(url, options))
    this.isOnlySource = init.isOnlySource ?? true
    this.carsOnly = init.carsOnly ?? false
    this.hedgeTime = init.hedgeTime ?? DEFAULT_HEDGE_TIME
    this.stallTimeout = init.stallTimeout ?? (this.isOnlySource ? DEFAULT_STALL_TIMEOUT : SOURCE_STALL_TIMEOUT)
  }

  /** Whether a gateway seems to have nothing below this root, or to be dead. */
  isExcluded (gateway: Gateway): boolean {
    return (this.#refusals.get(gateway) ?? 0) >= MAX_REFUSALS
  }

  /** How often one call asks a gateway. */
  attemptsOf ({ hasWorked }: Gateway): number {
    return hasWorked && this.isOnlySource ? MAX_ATTEMPTS_OF_KNOWN : MAX_ATTEMPTS
  }

  /** How long a call waits until it may ask a gateway again, in milliseconds. */
  patienceFor ({ hasWorked }: Gateway): number {
    if (this.isOnlySource) {
      return LONGEST_WAIT
    }

    return !hasWorked ? 0 : this.carsOnly ? FIRST_PAUSE : LONGEST_PAUSE_OF_KNOWN
  }

  /** Of each gateway that sent no block since, the last one. */
  get failures (): Error[] {
    return Array.from(this.#failures, ([gateway, err]) => gateway.failure ?? err)
  }

  /** Record that a gateway sent a block. */
  succeeded (gateway: Gateway): void {
    gateway.succeeded()
    this.#failures.delete(gateway)
    this.#refusals.delete(gateway)
  }

  failed (gateway: Gateway, err: Error): void {
    gateway.failed(err)
    this.#failures.set(gateway, err)

    if (err.name === 'GatewayRefusedError') {
      this.#refusals.set(gateway, (this.#refusals.get(gateway) ?? 0) + 1)
    } else if (err.name === 'GatewayStalledError' && !gateway.hasWorked && !this.isOnlySource) {
      this.#refusals.set(gateway, Number.POSITIVE_INFINITY)
    }
  }
}
