import { isMarked } from '@ipfsz/core'
import { createGateway } from '@ipfsz/gateway'
import { answerRanges } from './answer-ranges.ts'
import { followRedirects } from './follow-redirects.ts'
import { pathBelow } from './path-below.ts'
import { readerOf } from './reader.ts'
import { HOST, requestOf } from './request.ts'
import type { IpfszInit } from '@ipfsz/core'
import type {
  PluginContext,
  PluginOptions,
  VerifiedFetchPlugin,
  VerifiedFetchPluginFactory
} from '@helia/verified-fetch'

/** What one response holds of bytes that its reader has not taken, 32 MiB. */
const HELD_BYTES = 32 * 1024 * 1024
/** Milliseconds. `@helia/verified-fetch` sets no time limit: its caller has a signal. */
const NO_LIMIT = 2 ** 31 - 1
const LIMITS = { heldBytes: HELD_BYTES, startTimeout: NO_LIMIT, stallTimeout: NO_LIMIT }

/**
 * Let `@helia/verified-fetch` read marked CIDs: `fetch('ipfs://MARKED/path')` answers with the original bytes. Plain
 * CIDs are answered as before.
 *
 * @param init - how to decompress and fetch
 */
export function ipfszPlugin (init: IpfszInit = {}): VerifiedFetchPluginFactory {
  return options => new IpfszPlugin(options, init)
}

class IpfszPlugin implements VerifiedFetchPlugin {
  readonly id = 'ipfsz-plugin'
  readonly #options: PluginOptions
  readonly #init: IpfszInit

  constructor (options: PluginOptions, init: IpfszInit) {
    this.#options = options
    this.#init = init
  }

  canHandle ({ terminalElement: { cid } }: PluginContext): boolean {
    return isMarked(cid)
  }

  /**
   * @throws {AbortError} the signal of the request aborts
   * @throws {TypeError} the caller wants no redirects, or there is no end to them
   */
  async handle (context: PluginContext): Promise<Response> {
    const { helia, logger } = this.#options
    const { terminalElement: { cid }, signal } = context
    // one for each request: it reads through the session of its root
    const gateway = createGateway(readerOf(context, helia, this.#init), {
      subdomainHosts: [HOST],
      limits: LIMITS,
      onError: err => { logger.error('%s cannot be read - %e', cid, err) }
    })
    const request = requestOf(context, await pathBelow(context, this.#options))
    const response = await followRedirects(request, context, async request => answerRanges(request, gateway))

    signal?.throwIfAborted()
    leaveAsItIs(context)

    return response
  }
}

/**
 * The response is complete. `@helia/verified-fetch` would answer every HEAD with 200, and every `If-None-Match: *` with
 * 304, also if the gateway has found nothing. What it goes by belongs to this request alone.
 */
function leaveAsItIs (context: PluginContext): void {
  context.headers.delete('if-none-match')
  delete context.method
}
