import { delay } from '../../util/delay.ts'
import { firstOf } from '../../util/first-of.ts'
import { GatewaysFailedError } from './errors.ts'
import type { Gateway } from './gateway.ts'
import type { GatewaySettings } from './settings.ts'
import type { CID } from 'multiformats/cid'

export interface AskOptions {
  /** The block that is needed, for the error. */
  cid: CID
  settings: GatewaySettings
  signal: AbortSignal
}

export interface Answer<T> {
  gateway: Gateway
  value: T
}

/** A request under way. `outcome` never rejects. */
interface Attempt<T> {
  stop: AbortController
  outcome: Promise<Answer<T> | { gateway: Gateway, err: Error }>
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
  { cid, settings, signal }: AskOptions
): Promise<Answer<T>> {
  const { pool, hedgeTime } = settings
  const running = new Map<Gateway, Attempt<T>>()
  const asked = new Map<Gateway, number>()
  const errors = new Map<Gateway, Error>()
  const cannotAsk = (gateway: Gateway): boolean =>
    running.has(gateway) || settings.isExcluded(gateway) || errors.get(gateway)?.name === 'GatewayRefusedError' ||
    (asked.get(gateway) ?? 0) >= settings.attemptsOf(gateway)

  const start = (gateway: Gateway): void => {
    const stop = new AbortController()
    const outcome = work(gateway, stop).then(value => ({ gateway, value }), (err: Error) => ({ gateway, err }))

    asked.set(gateway, (asked.get(gateway) ?? 0) + 1)
    running.set(gateway, { stop, outcome })
  }

  try {
    for (;;) {
      signal.throwIfAborted()
      const next = pool.pick(cannotAsk)

      if (running.size === 0) {
        if (next != null) {
          start(next)
          continue
        }

        const pause = pool.pause(gateway => cannotAsk(gateway) || gateway.pause > settings.patienceFor(gateway))

        if (pause === Number.POSITIVE_INFINITY) {
          throw new GatewaysFailedError(
            cid,
            pool.gateways.map(gateway => errors.get(gateway) ?? gateway.failure).filter(err => err != null)
          )
        }

        await delay(pause, signal)
        continue
      }

      const outcomes = [...running.values()].map(({ outcome }) => outcome)
      const outcome = await firstOf(outcomes, next == null ? undefined : hedgeTime, signal)

      if (outcome == null) {
        running.forEach((_, gateway) => { gateway.isSlow = true })
        start(next as Gateway)
        continue
      }

      const { gateway } = outcome
      running.delete(gateway)

      if ('value' in outcome) {
        gateway.isSlow = false

        return outcome
      }

      errors.set(gateway, outcome.err)
      settings.failed(gateway, outcome.err)
    }
  } finally {
    running.forEach(({ stop }) => { stop.abort() })
  }
}
