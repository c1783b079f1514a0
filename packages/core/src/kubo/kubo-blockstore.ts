import { collectBytes } from '@ipfsz/utils/bytes'
import { identity } from 'multiformats/hashes/identity'
import { BlockNotFoundWhileOfflineError } from '../errors.ts'
import { callKubo, isNotHere } from './call.ts'
import { checkAnswer } from './check-answer.ts'
import { KuboUnsupportedCidError, NotKuboError } from './errors.ts'
import type { KuboClient } from './client.ts'
import type { CID } from 'multiformats/cid'

/** Kubo's names for codecs and hash functions. */
const CODECS: Record<number, string> = { 0x55: 'raw', 0x70: 'dag-pb' }
const HASHES: Record<number, string> = { 0x12: 'sha2-256', 0x13: 'sha2-512', 0x1e: 'blake3', 0xb220: 'blake2b-256' }

interface CallOptions {
  signal?: AbortSignal | null
  offline?: boolean
}

/** The blocks of a Kubo node, through its RPC API. Kubo fetches missing blocks unless `offline` is set. */
export class KuboBlockstore {
  readonly #client: KuboClient
  readonly #timeout: number

  /** @param timeout - how long a call for a block that Kubo has may take, in milliseconds */
  constructor (client: KuboClient, timeout: number) {
    this.#client = client
    this.#timeout = timeout
  }

  /**
   * @throws {KuboCidMismatchError} Kubo gave the block another CID
   * @throws {KuboUnsupportedCidError} Kubo does not support the CID's codec or hash function
   */
  async put (cid: CID, source: unknown, { signal }: CallOptions = {}): Promise<CID> {
    const block = source instanceof Uint8Array ? source : await collectBytes(source as AsyncIterable<Uint8Array>)

    if (cid.multihash.code === identity.code) {
      return cid
    }

    const cidCodec = CODECS[cid.code]
    const mhtype = HASHES[cid.multihash.code]

    if (cidCodec == null || mhtype == null) {
      throw new KuboUnsupportedCidError(cid)
    }

    // not the deprecated `format`: the client would send the block a second time
    const options = { cidCodec, mhtype, mhlen: cid.multihash.size, pin: false }
    const put = async (signal: AbortSignal): Promise<CID> => this.#client.block.put(block, { ...options, signal })
    const actual = await callKubo(put, this.#timeout, signal)

    checkAnswer(cid, actual)

    return cid
  }

  async * get (cid: CID, { signal, offline = false }: CallOptions = {}): AsyncGenerator<Uint8Array> {
    if (cid.multihash.code === identity.code) {
      yield cid.multihash.digest
      return
    }

    let block: Uint8Array

    try {
      // the caller decides how long fetching may take
      const time = offline ? this.#timeout : Number.POSITIVE_INFINITY
      block = await callKubo(async signal => this.#client.block.get(cid, { signal, offline }), time, signal)
    } catch (err) {
      throw offline && isNotHere(err)
        ? new BlockNotFoundWhileOfflineError(cid, 'Kubo', { cause: err })
        : err
    }

    if (!(block instanceof Uint8Array)) {
      throw new NotKuboError(`its answer for the block ${cid} is not bytes`)
    }

    yield block
  }

  /** Whether Kubo has a block. Does not ask the network. */
  async has (cid: CID, { signal }: CallOptions = {}): Promise<boolean> {
    if (cid.multihash.code === identity.code) {
      return true
    }

    try {
      const { block } = this.#client
      await callKubo(async signal => block.stat(cid, { signal, offline: true }), this.#timeout, signal)
      return true
    } catch (err) {
      if (isNotHere(err)) {
        return false
      }

      throw err
    }
  }
}
