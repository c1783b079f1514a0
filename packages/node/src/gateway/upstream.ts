import { randomUUID } from 'node:crypto'
import { GatewaysFailedError } from '@ipfsz/core/http'
import { gatewaySources } from '../network/sources/gateway-sources.ts'
import { delegatedSources, dhtSources } from '../network/sources/routed-sources.ts'
import type { MakeSource } from '../network/sources/gateway-sources.ts'
import type { Network } from '../network/network.ts'
import type { BlockSource } from '@ipfsz/core'
import type { Fetch } from '@ipfsz/core/http'
import type { CID } from 'multiformats/cid'

interface UpstreamInit {
  /** URLs of gateways, as in `https://ipfs.example.com`. */
  gateways?: readonly string[] | undefined
  /** URLs of delegated routers, which list gateways for a root. */
  routers?: readonly string[] | undefined
  /** Whether those that routing names may be in private networks. */
  allowLocal?: boolean | undefined
  /** Opens the network. Missing: there are no peers to ask besides. */
  network?: (() => Promise<Pick<Network, 'findProviders'>>) | undefined
}

/** Other gateways, which a gateway asks before it asks peers, and those that peers advertise, which it asks last. */
export class Upstream {
  readonly #before: readonly MakeSource[]
  readonly #after: readonly MakeSource[]
  readonly #pseudonym: string

  private constructor (before: readonly MakeSource[], after: readonly MakeSource[], pseudonym: string) {
    this.#before = before
    this.#after = after
    this.#pseudonym = pseudonym
  }

  /**
   * Asks nobody.
   *
   * @returns undefined if there is nobody to ask
   * @throws {InvalidGatewayUrlError}
   * @throws {UsageError} a text is not the URL of a router
   */
  static async open (
    { gateways = [], routers = [], allowLocal, network }: UpstreamInit
  ): Promise<Upstream | undefined> {
    const pseudonym = `ipfsz-${randomUUID()}`
    const decorate = (fetch: Fetch): Fetch => async (url, init) =>
      fetch(url, { ...init, headers: { ...init.headers, via: `1.1 ${pseudonym}` } })
    // whole files at a time would hold up to 16 MiB for each root
    const init = { decorate, singleBlocks: true, allowLocal, others: gateways }
    const before = [
      gatewaySources(gateways, { ...init, isOnlySource: network == null && routers.length === 0 }),
      delegatedSources(routers, { ...init, isOnlySource: network == null })
    ].filter(make => make != null)
    const after = network == null ? [] : [dhtSources(network, init)]

    return before.length + after.length === 0 ? undefined : new Upstream(before, after, pseudonym)
  }

  /** What fetches the blocks below a root: before peers are asked, and after them. */
  sources (root: CID): { before: BlockSource[], after: BlockSource[] } {
    const open = (make: MakeSource): BlockSource => withoutUrls(make(root))

    return { before: this.#before.map(open), after: this.#after.map(open) }
  }

  /**
   * Whether a request is one of its own, perhaps through proxies: to fetch for it would be to wait for itself
   * (RFC 9110, section 7.6.3).
   */
  hasSent ({ headers }: Request): boolean {
    return headers.get('via')?.includes(this.#pseudonym) === true
  }
}

/** The same without the URLs of gateways and routers in its errors, because strangers read them. */
function withoutUrls (source: BlockSource): BlockSource {
  return {
    fetch: async (cid, options) => source.fetch(cid, options).catch((err: unknown) => {
      throw err instanceof GatewaysFailedError ? new GatewaysFailedError(cid, [], { cause: err }) : err
    })
  }
}
