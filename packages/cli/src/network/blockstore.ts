import { setMaxListeners } from 'node:events'
import { BlockNotFoundWhileOfflineError, CorruptBlockError, FetchStalledError } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'
import { isDamage } from '../dag/damage.ts'
import { keyOf } from '../dag/dag-walk.ts'
import { NetworkState } from './network-state.ts'
import { peerCid } from './peer-cid.ts'
import type { GatewayBlocks } from './gateway-blocks.ts'
import type { ArrivedBlock, FetchOptions, Network } from './network.ts'
import type { FetchedStats } from './network-state.ts'
import type { IpfszComponents } from '@ipfsz/core'
import type { FilePart } from '@ipfsz/core/http'

/** The empty raw block, which an empty file is. */
const EMPTY_BLOCK = CID.parse('bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku')

type Store = IpfszComponents['blockstore']
type GetOptions = NonNullable<Parameters<Store['get']>[1]> & {
  offline?: boolean
  damaged?: boolean
  expectedSize?: number
  part?: FilePart
  onProgress?: (event: { type: string, detail: unknown }) => void
}

/** What blocks are fetched from. */
export interface BlockSource extends Pick<Network, 'peers'> {
  /** @throws {FetchStalledError} no block arrived within the timeout */
  fetch (cid: CID, options: FetchOptions): Promise<ArrivedBlock>
}

export interface NetworkBlockstoreInit {
  blockstore: Store
  /** Asked before the network. */
  gateways?: Pick<GatewayBlocks, 'fetch'> | undefined
  /** Opens the network. Called when the first block is missing. Undefined: there is none, only gateways. */
  network: (() => Promise<BlockSource>) | undefined
  /** The root that is read: its providers are asked for all blocks below it. */
  root: CID
  /** How long a fetch may go without any block arriving, in milliseconds. */
  timeout: number
  signal: AbortSignal
  /** With other blockstores of the same command. */
  shared?: NetworkState
}

/**
 * The blockstore of a repo that fetches missing and damaged blocks from gateways or peers. Blocks of gateways are
 * stored in the repo. The network stores those of peers, in the repo or wherever it keeps them.
 *
 * It searches for peers until nothing has arrived for the timeout. After that it asks only known
 * peers: otherwise thousands of lost blocks would each take the timeout.
 */
export class NetworkBlockstore implements Store {
  readonly #init: NetworkBlockstoreInit
  /** When each block that has not arrived was first asked for, by key. */
  readonly #asked = new Map<string, number>()
  readonly #shared: NetworkState
  #lastArrival = 0
  /** Whether a search for peers ended without the block. */
  #searched = false

  constructor (init: NetworkBlockstoreInit) {
    this.#init = init
    this.#shared = init.shared ?? new NetworkState()
    setMaxListeners(0, init.signal)
  }

  get fetched (): FetchedStats {
    return this.#shared.fetched
  }

  /**
   * @throws {FetchStalledError} the block is missing, and none arrived within the timeout
   * @throws {GatewaysFailedError} the block is missing, and no gateway sent it; there is no network
   * @throws {CorruptBlockError} the block is damaged, and none arrived within the timeout
   */
  async * get (cid: CID, options: GetOptions = {}): AsyncGenerator<Uint8Array> {
    if (cid.multihash.code === identity.code) {
      // the CID holds the block
      yield cid.multihash.digest
      return
    }

    let { damaged = false } = options
    let cause: unknown

    if (!damaged) {
      try {
        yield * this.#init.blockstore.get(cid, options)
        return
      } catch (err) {
        // a compressed block that does not decode, or a disk error
        damaged = isDamage(err)

        if (!damaged && !(err instanceof Error && err.name === 'NotFoundError')) {
          throw err
        }

        cause = err
      }
    }

    if (keyOf(cid) === keyOf(EMPTY_BLOCK)) {
      // Kubo 0.42 never sends an empty block, and its bytes are known
      const block = new Uint8Array(0)
      await this.#init.blockstore.put(cid, block)
      yield block
      return
    }

    if (options.offline === true) {
      // @ipfsz/core takes this name for a blockstore that can fetch, and calls again without `offline`
      throw new BlockNotFoundWhileOfflineError(cid, 'this repo', { cause })
    }

    yield await this.#fetch(cid, options, damaged)
  }

  put (...args: Parameters<Store['put']>): ReturnType<Store['put']> {
    return this.#init.blockstore.put(...args)
  }

  /** Whether the repo has the block. Never uses the network. */
  has (...args: Parameters<Store['has']>): ReturnType<Store['has']> {
    return this.#init.blockstore.has(...args)
  }

  async #fetch (cid: CID, options: GetOptions, damaged: boolean): Promise<Uint8Array> {
    const { network } = this.#init
    let failed: unknown

    try {
      const bytes = await this.#fetchFromGateway(cid, options, damaged)

      if (bytes != null) {
        return bytes
      }
    } catch (err) {
      if (!(err instanceof Error && err.name === 'GatewaysFailedError')) {
        throw err
      }

      failed = err
    }

    if (network == null) {
      throw damaged ? new CorruptBlockError(cid, { cause: failed }) : failed
    }

    return this.#fetchFromPeers(cid, options, damaged, await network())
  }

  /** Undefined: there are no gateways, or none that is waited for any longer. */
  async #fetchFromGateway (
    cid: CID,
    { part, expectedSize: size, signal, onProgress }: GetOptions,
    damaged: boolean
  ): Promise<Uint8Array | undefined> {
    const block = await this.#init.gateways?.fetch(cid, { part, size, signal: this.#signal(signal) })

    if (block != null) {
      this.#lastArrival = Date.now()
      this.#count(block.bytes, block.gateway, damaged)
      onProgress?.({
        type: 'helia:block-broker:receive-block',
        detail: { broker: 'trustless-gateway', type: 'receive-block', cid }
      })
    }

    return block?.bytes
  }

  async #fetchFromPeers (
    cid: CID,
    { signal, expectedSize: size, onProgress }: GetOptions,
    damaged: boolean,
    network: BlockSource
  ): Promise<Uint8Array> {
    const { root, timeout } = this.#init
    const key = keyOf(cid)
    // a retry goes on with the timeout of the first attempt
    const asked = this.#asked.get(key) ?? Date.now()
    this.#asked.set(key, asked)
    const search = !this.#searched && !(this.#shared.alone && await isAlone(network))
    const left = timeout - (Date.now() - Math.max(asked, this.#lastArrival))

    try {
      const block = await network.fetch(cid, {
        root,
        ...size == null ? {} : { size },
        search,
        timeout: Math.max(left, 1),
        signal: this.#signal(signal)
      })

      this.#asked.delete(key)
      this.#lastArrival = Date.now()
      this.#count(block.bytes, block.peerId, damaged)

      if (block.peerId != null) {
        onProgress?.({
          type: 'helia:block-broker:receive-block',
          detail: { broker: 'bitswap', type: 'receive-block', provider: peerCid(block.peerId), cid }
        })
      }

      return block.bytes
    } catch (err) {
      if (!(err instanceof FetchStalledError)) {
        throw err
      }

      if (search) {
        this.#searched = true
        this.#shared.alone = await isAlone(network)
      }

      const stalled = new FetchStalledError(cid, timeout, { providers: err.providers, cause: err })

      throw damaged ? new CorruptBlockError(cid, { cause: stalled }) : stalled
    }
  }

  #signal (signal: AbortSignal | null | undefined): AbortSignal {
    return signal == null ? this.#init.signal : AbortSignal.any([this.#init.signal, signal])
  }

  #count ({ byteLength }: Uint8Array, sender: string | undefined, damaged: boolean): void {
    const { peers } = this.fetched

    if (sender != null) {
      const of = peers.get(sender) ?? { blocks: 0, bytes: 0 }
      peers.set(sender, { blocks: of.blocks + 1, bytes: of.bytes + byteLength })
    }

    this.fetched.blocks++
    this.fetched.replaced += damaged ? 1 : 0
    this.fetched.bytes += byteLength
  }
}

/** Whether the network reports that no peer is connected. */
async function isAlone (network: Pick<BlockSource, 'peers'>): Promise<boolean> {
  return network.peers().then(peers => peers.length === 0, () => false)
}
