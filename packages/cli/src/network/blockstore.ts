import { setMaxListeners } from 'node:events'
import { CorruptBlockError } from '@ipfsz/core'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import { decode } from 'multiformats/hashes/digest'
import { identity } from 'multiformats/hashes/identity'
import { isDamage } from '../damage.ts'
import { keyOf } from '../dag-walk.ts'
import { NotFetchedError } from '../errors.ts'
import type { FetchedBlock, Network } from './network.ts'
import type { IpfszComponents } from '@ipfsz/core'

/** The sha2-256 of nothing, which a file without bytes has as a raw block. */
const NOTHING = CID.parse('bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku')

type Store = IpfszComponents['blockstore']
type GetOptions = NonNullable<Parameters<Store['get']>[1]> & { offline?: boolean, damaged?: boolean, expectedSize?: number, onProgress?: (event: { type: string, detail: unknown }) => void }

/** As Helia calls it. */
class MissingBlockOfflineError extends Error {
  static override readonly name = 'BlockNotFoundWhileOfflineError'
  override readonly name = 'BlockNotFoundWhileOfflineError'
}

/** What came from where. */
export interface FetchedStats {
  blocks: number
  bytes: number
  /** How many of the blocks were in the repo and damaged: they have been replaced. */
  replaced: number
  /** Of each peer, by its id. */
  peers: Map<string, { blocks: number, bytes: number }>
}

/** What the blockstores of one command share. */
export class NetworkState {
  readonly fetched: FetchedStats = { blocks: 0, bytes: 0, replaced: 0, peers: new Map() }
  /** Whether nothing came though it was waited for, and nobody was connected: to wait again for another root would be the same. */
  alone = false
}

export interface NetworkBlockstoreInit {
  blockstore: Store
  /** Asked for when the first block is missing. */
  network: () => Promise<Network>
  /** What is read: who has it is asked for all below it. */
  root: CID
  /** How long to wait for anything to arrive, in milliseconds. */
  timeout: number
  signal: AbortSignal
  /** With other blockstores of the same command. */
  shared?: NetworkState
}

/**
 * The blocks of a repo, and those of others where they are not in it, or are damaged.
 * What comes is kept in the repo.
 *
 * Peers are searched for until nothing has arrived for the timeout. From then on blocks
 * are asked for only of peers that are known: thousands of blocks that nobody has would
 * otherwise each take the timeout.
 */
export class NetworkBlockstore implements Store {
  readonly #init: NetworkBlockstoreInit
  /** When blocks that have not come were first asked for. */
  readonly #asked = new Map<string, number>()
  readonly #shared: NetworkState
  #lastArrival = 0
  /** Whether peers have been searched for in vain. */
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
   * @throws {NotFetchedError} nothing arrived within the timeout
   * @throws {CorruptBlockError} the same, where the repo has the block and it is damaged
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
        // a repo that compresses its blocks finds this by itself, and a disk that has lost them
        damaged = isDamage(err)

        if (!damaged && !(err instanceof Error && err.name === 'NotFoundError')) {
          throw err
        }

        cause = err
      }
    }

    if (keyOf(cid) === keyOf(NOTHING)) {
      // Kubo 0.42 sends a block without bytes to nobody, and there is nothing to ask for
      const block = new Uint8Array(0)
      await this.#init.blockstore.put(cid, block)
      yield block
      return
    }

    if (options.offline === true) {
      // so @ipfsz/core knows a blockstore that can ask others, and asks again
      throw new MissingBlockOfflineError(`The block ${cid} is not in this repo, or damaged`, { cause })
    }

    yield await this.#fetch(cid, options, damaged)
  }

  put (...args: Parameters<Store['put']>): ReturnType<Store['put']> {
    return this.#init.blockstore.put(...args)
  }

  /** Of the repo alone: nobody else is asked. */
  has (...args: Parameters<Store['has']>): ReturnType<Store['has']> {
    return this.#init.blockstore.has(...args)
  }

  async #fetch (cid: CID, { signal: callSignal, expectedSize: size, onProgress }: GetOptions, damaged: boolean): Promise<Uint8Array> {
    const { root, timeout, signal } = this.#init
    const key = keyOf(cid)
    // whoever asks again has waited before
    const asked = this.#asked.get(key) ?? Date.now()
    this.#asked.set(key, asked)
    const network = await this.#init.network()
    const search = !this.#searched && !(this.#shared.alone && await isAlone(network))
    const left = timeout - (Date.now() - Math.max(asked, this.#lastArrival))

    try {
      const block = await network.fetch(cid, { root, ...size == null ? {} : { size }, search, timeout: Math.max(left, 1), signal: callSignal == null ? signal : AbortSignal.any([signal, callSignal]) })

      this.#asked.delete(key)
      this.#lastArrival = Date.now()
      this.#count(block, damaged)
      onProgress?.({ type: 'helia:block-broker:receive-block', detail: { broker: 'bitswap', type: 'receive-block', provider: peerCid(block.peerId), cid } })

      return block.bytes
    } catch (err) {
      if (!(err instanceof NotFetchedError)) {
        throw err
      }

      if (search) {
        this.#searched = true
        this.#shared.alone = await isAlone(network)
      }

      const notFetched = new NotFetchedError(cid, timeout, err.providers, { cause: err })

      throw damaged ? new CorruptBlockError(cid, { cause: notFetched }) : notFetched
    }
  }

  #count ({ bytes: { byteLength }, peerId }: FetchedBlock, damaged: boolean): void {
    const { peers } = this.fetched
    const of = peers.get(peerId) ?? { blocks: 0, bytes: 0 }

    peers.set(peerId, { blocks: of.blocks + 1, bytes: of.bytes + byteLength })
    this.fetched.blocks++
    this.fetched.replaced += damaged ? 1 : 0
    this.fetched.bytes += byteLength
  }
}

/** Whether no peer is connected, as far as the network tells. */
async function isAlone (network: Network): Promise<boolean> {
  return network.peers().then(peers => peers.length === 0, () => false)
}

const LIBP2P_KEY = 0x72

/** A peer id as Helia's events have it. */
function peerCid (peerId: string): CID {
  return CID.createV1(LIBP2P_KEY, decode(base58btc.decode(`z${peerId}`)))
}
