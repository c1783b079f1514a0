import { keyOf } from '../dag/dag-walk.ts'
import type { HttpSource, SourceBlock, SourceFetchOptions } from '@ipfsz/core/http'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

/** The longest time that a timer takes, in milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1

/** Fetches blocks from HTTP gateways, and stores them in the repo. */
export class GatewayBlocks {
  readonly #source: Pick<HttpSource, 'fetch'>
  readonly #blockstore: Pick<Blockstore, 'put'>
  readonly #patience: number
  readonly #storing = new Map<string, Promise<SourceBlock>>()
  /** When each block that has not arrived was first asked for, by key: a read asks again for one that is late. */
  readonly #asked = new Map<string, number>()
  readonly #givenUp = new AbortController()
  #lastArrival = 0

  /**
   * @param patience - milliseconds without any block after which gateways are given up. A gateway that sends a byte
   * now and then would otherwise keep a read from its peers
   */
  constructor (source: Pick<HttpSource, 'fetch'>, blockstore: Pick<Blockstore, 'put'>, patience: number) {
    this.#source = source
    this.#blockstore = blockstore
    this.#patience = patience
  }

  /**
   * Undefined: gateways are given up.
   *
   * @throws {GatewaysFailedError} no gateway sends it
   */
  async fetch (cid: CID, options: SourceFetchOptions): Promise<SourceBlock | undefined> {
    const key = keyOf(cid)
    // it has arrived for another caller, and is not in the repo yet
    const storing = this.#storing.get(key)

    if (storing != null) {
      return storing
    }

    const block = this.#givenUp.signal.aborted ? undefined : await this.#fetchInTime(cid, key, options)

    if (block == null) {
      return undefined
    }

    const stored = this.#storing.get(key) ?? this.#put(cid, block).finally(() => { this.#storing.delete(key) })

    this.#storing.set(key, stored)

    return stored
  }

  async #fetchInTime (cid: CID, key: string, options: SourceFetchOptions): Promise<SourceBlock | undefined> {
    const givenUp = this.#givenUp.signal
    const signal = AbortSignal.any([givenUp, ...options.signal == null ? [] : [options.signal]])
    const asked = this.#asked.get(key) ?? performance.now()
    let timer: ReturnType<typeof setTimeout> | undefined

    const check = (): void => {
      const left = this.#patience - (performance.now() - Math.max(asked, this.#lastArrival))

      if (left > 0) {
        timer = setTimeout(check, Math.min(left, LONGEST_TIMER))
      } else {
        this.#givenUp.abort()
      }
    }

    this.#asked.set(key, asked)
    check()

    try {
      const block = await this.#source.fetch(cid, { ...options, signal })
      this.#lastArrival = performance.now()
      this.#asked.delete(key)

      return block
    } catch (err) {
      options.signal?.throwIfAborted()
      this.#asked.delete(key)

      if (givenUp.aborted) {
        return undefined
      }

      throw err
    } finally {
      clearTimeout(timer)
    }
  }

  async #put (cid: CID, block: SourceBlock): Promise<SourceBlock> {
    await this.#blockstore.put(cid, block.bytes)

    return block
  }
}
