import { askInTurn } from '../ask-in-turn.ts'
import { GatewaysFailedError, isCut } from './errors.ts'
import { MAX_CUTS } from './limits.ts'
import type { Gateway } from './gateway.ts'
import type { GatewaySettings } from './settings.ts'
import type { CID } from 'multiformats/cid'

export interface AskOptions {
  /** The block that is needed, for the error. */
  cid: CID
  settings: GatewaySettings
  /** How busy a gateway is: the least busy one is asked first. By default the preferred one. */
  load?: ((gateway: Gateway) => number) | undefined
  signal: AbortSignal
}

/**
 * Ask one gateway after the other until one gives a result. If a gateway takes long, the next one is asked as well. The
 * first result counts, and the other requests are stopped.
 *
 * @param work - asks a gateway; ends when `stop` is aborted. That of the result is not aborted
 * @throws {GatewaysFailedError} all of them failed
 */
export async function askGateways<T> (
  work: (gateway: Gateway, stop: AbortController) => Promise<T>,
  { cid, settings, load, signal }: AskOptions
): Promise<{ gateway: Gateway, value: T }> {
  const { pool, hedgeTime } = settings
  const attempts = new Map<Gateway, number>()
  const errors = new Map<Gateway, Error>()
  const cuts = new CutResponses()
  const cannotAsk = (gateway: Gateway): boolean =>
    settings.isExcluded(gateway) || cuts.of(gateway) >= MAX_CUTS ||
    errors.get(gateway)?.name === 'GatewayRefusedError' ||
    (attempts.get(gateway) ?? 0) >= settings.attemptsOf(gateway)

  const { candidate: gateway, value } = await askInTurn<Gateway, T>({
    next: asked => pool.pick(gateway => asked.has(gateway) || cannotAsk(gateway), load),
    async ask (gateway, stop) {
      attempts.set(gateway, (attempts.get(gateway) ?? 0) + 1)

      return work(gateway, stop)
    },
    onFailed (gateway, err) {
      settings.failed(gateway, err)
      errors.set(gateway, isCut(err) ? gateway.failure ?? err : err)
      cuts.note(gateway, err)
    },
    onSilent (asked) {
      for (const gateway of asked) {
        gateway.isSlow = true
      }
    },
    onNobody () {
      const pause = pool.pause(gateway => cannotAsk(gateway) || gateway.pause > settings.patienceFor(gateway))

      if (pause === Number.POSITIVE_INFINITY) {
        throw new GatewaysFailedError(
          cid,
          pool.gateways.map(gateway => errors.get(gateway) ?? gateway.failure).filter(err => err != null)
        )
      }

      return pause
    },
    pause: hedgeTime,
    signal
  })

  gateway.isSlow = false

  return { gateway, value }
}

/** How often in a row gateways ended responses early, without sending any block in between. */
export class CutResponses {
  readonly #counts = new Map<Gateway, { count: number, blocks: number }>()

  of (gateway: Gateway): number {
    const { count, blocks } = this.#counts.get(gateway) ?? { count: 0, blocks: 0 }

    // a slow link that is cut now and then brings some
    return blocks === gateway.blocks ? count : 0
  }

  note (gateway: Gateway, err: Error): void {
    if (isCut(err)) {
      this.#counts.set(gateway, { count: this.of(gateway) + 1, blocks: gateway.blocks })
    }
  }
}
