import type { GatewayPool, HttpSource, HttpSourceInit, ReadPlan } from '@ipfsz/core/http'
import type { CID } from 'multiformats/cid'

interface GatewayAccessInit {
  /** Whether there is no network besides the gateways. */
  isOnlySource: boolean
}

/** The HTTP gateways of one command. */
export class GatewayAccess {
  readonly #makeSource: (init: Pick<HttpSourceInit, 'root' | 'plan'>) => HttpSource
  readonly #sources: HttpSource[] = []

  private constructor (makeSource: (init: Pick<HttpSourceInit, 'root' | 'plan'>) => HttpSource) {
    this.#makeSource = makeSource
  }

  /**
   * Loads the client if there are gateways to ask. Asks none of them.
   *
   * @returns undefined if there are none
   * @throws {InvalidGatewayUrlError}
   */
  static async open (urls: readonly string[], { isOnlySource }: GatewayAccessInit): Promise<GatewayAccess | undefined> {
    if (urls.length === 0) {
      return undefined
    }

    const { GatewayPool, HttpSource } = await import('@ipfsz/core/http')
    const pool: GatewayPool = new GatewayPool(urls)

    return new GatewayAccess(init => new HttpSource({ ...init, pool, isOnlySource }))
  }

  /** What fetches the blocks below a root. */
  source (root: CID, plan: ReadPlan | undefined): HttpSource {
    const source = this.#makeSource({ root, plan })
    this.#sources.push(source)

    return source
  }

  close (): void {
    this.#sources.forEach(source => { source.close() })
  }
}
