import { SingleFlight } from '@ipfsz/utils/single-flight'
import type { CID } from 'multiformats/cid'

/**
 * Pieces of bases that are in memory, so that readers of files with the same base hold each of them once. A piece stays
 * as long as anybody has it.
 */
export class SharedPieces {
  readonly #pieces = new Map<string, WeakRef<Uint8Array>>()
  readonly #reading = new SingleFlight<Uint8Array>()
  readonly #gone = new FinalizationRegistry<string>(key => {
    if (this.#pieces.get(key)?.deref() == null) {
      this.#pieces.delete(key)
    }
  })

  /**
   * @param cid - of the base
   * @param start - where the piece begins
   * @param load - reads it. Its signal aborts once no caller waits for it
   */
  async get (
    cid: CID,
    start: number,
    load: (signal: AbortSignal) => Promise<Uint8Array>,
    signal?: AbortSignal | null
  ): Promise<Uint8Array> {
    signal?.throwIfAborted()

    const key = `${cid} ${start}`

    return this.#pieces.get(key)?.deref() ??
      this.#reading.run(key, async unneeded => this.#keep(key, load(unneeded)), signal)
  }

  async #keep (key: string, loading: Promise<Uint8Array>): Promise<Uint8Array> {
    const bytes = await loading
    this.#pieces.set(key, new WeakRef(bytes))
    this.#gone.register(bytes, key)

    return bytes
  }
}
