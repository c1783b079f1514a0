import { identity } from 'multiformats/hashes/identity'
import { concat } from '../util/bytes.ts'
import { callKubo, isNotHere } from './call.ts'
import { checkAnswer } from './check-answer.ts'
import { KuboUnsupportedCidError, NotKuboError } from './errors.ts'
import type { KuboClient } from './client.ts'
import type { CID } from 'multiformats/cid'

/** Kubo's names of what the CIDs of blocks are made of. */
const CODECS: Record<number, string> = { 0x55: 'raw', 0x70: 'dag-pb' }
const HASHES: Record<number, string> = { 0x12: 'sha2-256', 0x13: 'sha2-512', 0x1e: 'blake3', 0xb220: 'blake2b-256' }

interface CallOptions {
  signal?: AbortSignal | null
  offline?: boolean
}

/** As Helia calls it: reading then asks for it again, and bounds what is fetched at one time. */
class NotInKuboError extends Error {
  static override readonly name = 'BlockNotFoundWhileOfflineError'
  override readonly name = 'BlockNotFoundWhileOfflineError'
}

/** The blocks of a Kubo node, through its RPC API. What it has not got it fetches, unless it is told not to. */
export class KuboBlockstore {
  readonly #client: KuboClient
  readonly #timeout: number

  /** @param timeout - how long a call for a block that is there may take, in milliseconds */
  constructor (client: KuboClient, timeout: number) {
    this.#client = client
    this.#timeout = timeout
  }

  /**
   * @throws {KuboCidMismatchError} Kubo made another CID of the block
   * @throws {KuboUnsupportedCidError} it makes no CIDs of that codec or hash function
   */
  async put (cid: CID, source: unknown, { signal }: CallOptions = {}): Promise<CID> {
    const block = await toBytes(source)

    if (cid.multihash.code === identity.code) {
      // the CID holds the block
      return cid
    }

    const cidCodec = CODECS[cid.code]
    const mhtype = HASHES[cid.multihash.code]

    if (cidCodec == null || mhtype == null) {
      throw new KuboUnsupportedCidError(cid)
    }

    // not `format`, which is out of date: the client sends the block a second time for it
    const options = { cidCodec, mhtype, mhlen: cid.multihash.size, pin: false }
    const actual = await callKubo(async signal => this.#client.block.put(block, { ...options, signal }), this.#timeout, signal)

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
      // how long others may take is for whoever reads to say
      block = await callKubo(async signal => this.#client.block.get(cid, { signal, offline }), offline ? this.#timeout : Number.POSITIVE_INFINITY, signal)
    } catch (err) {
      throw offline && isNotHere(err) ? new NotInKuboError(`Kubo does not have the block ${cid}`, { cause: err }) : err
    }

    if (!(block instanceof Uint8Array)) {
      throw new NotKuboError(`for the block ${cid} it sent no bytes`)
    }

    yield block
  }

  /** Whether Kubo has a block, without asking others. */
  async has (cid: CID, { signal }: CallOptions = {}): Promise<boolean> {
    if (cid.multihash.code === identity.code) {
      return true
    }

    try {
      await callKubo(async signal => this.#client.block.stat(cid, { signal, offline: true }), this.#timeout, signal)
      return true
    } catch (err) {
      if (isNotHere(err)) {
        return false
      }

      throw err
    }
  }
}

async function toBytes (source: unknown): Promise<Uint8Array> {
  if (source instanceof Uint8Array) {
    return source
  }

  const chunks: Uint8Array[] = []

  for await (const chunk of source as AsyncIterable<Uint8Array>) {
    chunks.push(chunk)
  }

  return concat(chunks)
}
