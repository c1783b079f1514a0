import { GatewayBlocks } from './gateway-blocks.ts'
import type { GatewayPool, HttpSource, HttpSourceInit, ReadPlan } from '@ipfsz/core/http'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

interface GatewayAccessInit {
  /** Whether there is no network besides the gateways. */
  isOnlySource: boolean
  /** How long a fetch may go without any block arriving, in milliseconds. Half of it is for gateways. */
  timeout: number
}

/** The HTTP gateways of one command. */
export class GatewayAccess {
  readonly #makeSource: (init: Pick<HttpSourceInit, 'root' | 'plan'>) => HttpSource
  readonly #sources: HttpSource[] = []
  /** How long gateways may send nothing before peers are asked, in milliseconds. */
  readonly #patience: number

  private constructor (
    makeSource: (init: Pick<HttpSourceInit, 'root' | 'plan'>) => HttpSource,
    { isOnlySource, timeout }: GatewayAccessInit
  ) {
    this.#makeSource = makeSource
    this.#patience = isOnlySource ? Number.POSITIVE_INFINITY : timeout / 2
  }

  /**
   * Loads the client if there are gateways to ask. Asks none of them.
   *
   * @returns undefined if there are none
   * @throws {InvalidGatewayUrlError}
   */
  static async open (urls: readonly string[], init: GatewayAccessInit): Promise<GatewayAccess | undefined> {
    if (urls.length === 0) {
      return undefined
    }

    const { GatewayPool, HttpSource } = await import('@ipfsz/core/http')
    const pool: GatewayPool = new GatewayPool(urls)

    const { isOnlySource } = init

    return new GatewayAccess(read => new HttpSource({ ...read, pool, isOnlySource }), init)
  }

  /** What fetches the blocks below a root, and stores them. */
  blocks (blockstore: Pick<Blockstore, 'put'>, root: CID, plan: ReadPlan | undefined): GatewayBlocks {
    const source = this.#makeSource({ root, plan })
    this.#sources.push(source)

    return new GatewayBlocks(source, blockstore, this.#patience)
  }

  close (): void {
    this.#sources.forEach(source => { source.close() })
  }
}
