import { randomUUID } from 'node:crypto'
import { DEFAULT_STALL_TIMEOUT } from '@ipfsz/core'
import type { BlockSource } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/**
 * How long a gateway may keep silent if there are peers to ask, in milliseconds. Less than the time after which all are
 * asked at once: that would end each request to it before it counts as silent, and every read would wait for it anew.
 */
const PATIENCE = DEFAULT_STALL_TIMEOUT / 2

interface UpstreamInit {
  /** Whether there is nothing to ask besides these gateways. */
  isOnlySource: boolean
}

/** Other gateways, which a gateway asks before it asks peers. */
export class Upstream {
  readonly #makeSource: (root: CID) => BlockSource
  readonly #pseudonym: string

  private constructor (makeSource: (root: CID) => BlockSource, pseudonym: string) {
    this.#makeSource = makeSource
    this.#pseudonym = pseudonym
  }

  /**
   * Loads the client if there are gateways to ask. Asks none of them.
   *
   * @param urls - where the gateways are, as in `https://ipfs.example.com`
   * @returns undefined if there are none
   * @throws {InvalidGatewayUrlError}
   */
  static async open (urls: readonly string[], { isOnlySource }: UpstreamInit): Promise<Upstream | undefined> {
    if (urls.length === 0) {
      return undefined
    }

    const { GatewayPool, GatewaysFailedError, HttpSource } = await import('@ipfsz/core/http')
    const pool = new GatewayPool(urls)
    const pseudonym = `ipfsz-${randomUUID()}`
    const fetchVia = async (url: URL, init: RequestInit): Promise<Response> => {
      const headers = new Headers(init.headers)
      headers.set('via', `1.1 ${pseudonym}`)

      return fetch(url, { ...init, headers })
    }

    const init = {
      pool,
      fetch: fetchVia,
      isOnlySource,
      stallTimeout: isOnlySource ? undefined : PATIENCE,
      // whole files at a time would hold up to 16 MiB for each root
      singleBlocks: true
    }
    const makeSource = (root: CID): BlockSource => {
      const source = new HttpSource({ ...init, root })

      return {
        fetch: async (cid, options) => source.fetch(cid, options).catch((err: unknown) => {
          // without the URLs of the gateways, because strangers read it
          throw err instanceof GatewaysFailedError ? new GatewaysFailedError(cid, [], { cause: err }) : err
        })
      }
    }

    return new Upstream(makeSource, pseudonym)
  }

  /** What fetches the blocks below a root. */
  source (root: CID): BlockSource {
    return this.#makeSource(root)
  }

  /**
   * Whether a request is one of its own, perhaps through proxies: to fetch for it would be to wait for itself
   * (RFC 9110, section 7.6.3).
   */
  hasSent ({ headers }: Request): boolean {
    return headers.get('via')?.includes(this.#pseudonym) === true
  }
}
