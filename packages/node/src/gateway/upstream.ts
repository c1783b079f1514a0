import { randomUUID } from 'node:crypto'
import { GatewaysFailedError } from '@ipfsz/core/http'
import { httpSources } from '../network/sources/routed-sources.ts'
import type { MakeSource } from '../network/sources/gateway-sources.ts'
import type { HttpSourcesInit } from '../network/sources/routed-sources.ts'
import type { BlockSource } from '@ipfsz/core'
import type { Fetch } from '@ipfsz/core/http'
import type { CID } from 'multiformats/cid'

type UpstreamInit = Pick<HttpSourcesInit, 'gateways' | 'routers' | 'allowLocal' | 'network'>

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

  /** Asks nobody. Returns undefined if there is nobody to ask. */
  static async open (
    { gateways, routers, allowLocal, network }: UpstreamInit
  ): Promise<Upstream | undefined> {
    const pseudonym = `ipfsz-${randomUUID()}`
    const decorate = (fetch: Fetch): Fetch => async (url, init) =>
      fetch(url, { ...init, headers: { ...init.headers, via: `1.1 ${pseudonym}` } })
    // whole files at a time would hold up to 16 MiB for each root
    const { before, after } = httpSources({ gateways, routers, allowLocal, network, decorate, singleBlocks: true })

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
