import { NamedError } from '@ipfsz/utils/named-error'
import { hideSecrets } from '@ipfsz/utils/hide-secrets'
import { messageOf } from '@ipfsz/utils/message-of'
import type { CID } from 'multiformats/cid'

/** Thrown when a text is not the URL of a gateway. */
export class InvalidGatewayUrlError extends NamedError {
  static override readonly name = 'InvalidGatewayUrlError'
  /** Without what may be a secret. */
  readonly url: string

  constructor (given: string, reason: string, options?: ErrorOptions) {
    const url = hideSecrets(given)
    super(`${url} is not the URL of a gateway: ${reason}`, options)
    this.url = url
  }
}

class GatewayError extends NamedError {
  /** The URL of the gateway. */
  readonly gateway: string

  constructor (gateway: string, reason: string, options?: ErrorOptions) {
    super(`${gateway} ${reason}`, options)
    this.gateway = gateway
  }
}

/** Thrown when a gateway cannot be reached, or cuts its response. */
export class GatewayConnectionError extends GatewayError {
  static override readonly name = 'GatewayConnectionError'
  /** Bytes of the response that had arrived when it was cut. Undefined: there was none. */
  readonly received: number | undefined
  /** How often in a row the gateway has cut a response. */
  readonly times: number
  readonly #reason: string

  /** @param reason - without the gateway, and for a response that was cut without that */
  constructor (
    gateway: string,
    reason: string,
    { received, times = 1, ...options }: ErrorOptions & { received?: number | undefined, times?: number } = {}
  ) {
    const often = times === 1 ? '' : `, ${times} times in a row`
    const early = `cut its response short after ${received} bytes${often}: ${reason}`
    super(gateway, received == null ? reason : early, options)
    this.received = received
    this.times = times
    this.#reason = reason
  }

  /** The same, by a gateway that has cut so many responses. */
  after (times: number): GatewayConnectionError {
    const { gateway, received, cause } = this

    return new GatewayConnectionError(gateway, this.#reason, { received, times, cause })
  }
}

/** Whether a gateway has begun a response, and not ended it. */
export function isCut (err: Error): err is GatewayConnectionError {
  return err instanceof GatewayConnectionError && err.received != null
}

/** Thrown when a gateway answers too late, or stops sending. */
export class GatewayStalledError extends GatewayError {
  static override readonly name = 'GatewayStalledError'
  /** How long it sent next to nothing, in milliseconds. */
  readonly time: number

  constructor (gateway: string, time: number, options?: ErrorOptions) {
    super(gateway, `sent nothing for ${Math.round(time / 100) / 10} s`, options)
    this.time = time
  }
}

/** Thrown when a gateway is overloaded or broken for the moment (status 408, 425, 429 and 5xx). */
export class GatewayBusyError extends GatewayError {
  static override readonly name = 'GatewayBusyError'
  readonly status: number
  /** How long it asks to be left alone, in milliseconds, if it says so. */
  readonly retryAfter: number | undefined

  constructor (gateway: string, status: number, retryAfter: number | undefined, options?: ErrorOptions) {
    super(gateway, `answered with the status ${status}`, options)
    this.status = status
    this.retryAfter = retryAfter
  }
}

/** Thrown when a gateway does not send what it is asked for: it answers that it has none, or with something else. */
export class GatewayRefusedError extends GatewayError {
  static override readonly name = 'GatewayRefusedError'
  readonly status: number

  constructor (gateway: string, status: number, reason: string, options?: ErrorOptions) {
    super(gateway, reason, options)
    this.status = status
  }
}

/** Thrown when a gateway sends wrong bytes. It is not asked again. */
export class GatewayContentError extends GatewayError {
  static override readonly name = 'GatewayContentError'

  constructor (gateway: string, reason: string, options?: ErrorOptions) {
    super(gateway, `sent wrong bytes: ${reason}`, options)
  }
}

/** Thrown when no gateway sends a block. */
export class GatewaysFailedError extends NamedError {
  static override readonly name = 'GatewaysFailedError'
  readonly cid: CID
  /** What each gateway that was asked did. Empty if all of them are out of use for now. */
  readonly failures: readonly Error[]

  constructor (cid: CID, failures: readonly Error[], options?: ErrorOptions) {
    super(`No gateway sent the block ${cid}${failures.length === 0 ? '' : `: ${failures.map(messageOf).join('; ')}`}`, {
      cause: failures[0],
      ...options
    })
    this.cid = cid
    this.failures = failures
  }
}
