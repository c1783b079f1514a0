import { SingleFlight } from '@ipfsz/utils/single-flight'
import type { Cache } from './cache.ts'

/**
 * Types of files that are told from their bytes: once for all who ask at the same time, or hundreds would decompress
 * the same frame.
 */
export class ToldTypes {
  readonly #known: Cache<string>
  readonly #telling = new SingleFlight<string>()

  constructor (known: Cache<string>) {
    this.#known = known
  }

  /**
   * @param key - the CID, and what else the type depends on
   * @param tell - is given a signal that aborts when nobody waits for the type any more
   */
  async get (key: string, tell: (signal: AbortSignal) => Promise<string>, signal: AbortSignal): Promise<string> {
    return this.#known.get(key) ?? await this.#telling.run(key, async signal => {
      const type = await tell(signal)
      this.#known.set(key, type)

      return type
    }, signal)
  }
}
