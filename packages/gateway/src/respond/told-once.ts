import { SingleFlight } from '@ipfsz/utils/single-flight'
import type { Cache } from './cache.ts'

/**
 * What is told of files from their bytes, such as types: once for all who ask at the same time, or hundreds would
 * decompress the same frame.
 */
export class ToldOnce {
  readonly #known: Cache<string>
  readonly #telling = new SingleFlight<string>()

  constructor (known: Cache<string>) {
    this.#known = known
  }

  /**
   * @param key - the CID, and what else it depends on
   * @param tell - is given a signal that aborts when nobody waits for it any more
   */
  async get (key: string, tell: (signal: AbortSignal) => Promise<string>, signal: AbortSignal): Promise<string> {
    return this.#known.get(key) ?? await this.#telling.run(key, async signal => {
      const told = await tell(signal)
      this.#known.set(key, told)

      return told
    }, signal)
  }
}
