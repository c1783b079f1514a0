import { DEFAULT_FETCH_AHEAD, DEFAULT_FETCH_BYTES, DEFAULT_FETCH_TIMEOUT, DEFAULT_STALL_TIMEOUT } from '../constants.ts'
import { InvalidParametersError } from '../errors.ts'

/**
 * How blocks are fetched from others, where the blockstore has them fetched: as that of
 * Helia, it knows the option `offline` and tells with a BlockNotFoundWhileOfflineError
 * what it has not got.
 */
export interface FetchInit {
  /**
   * How much is asked for ahead of what has arrived, as the milliseconds in which
   * it arrives at the rate that is measured. Less than a leaf of 1 MiB it never is.
   * libp2p waits 5 seconds for an answer to its ping, which has to wait for all of
   * this twice: more loses connections.
   *
   * @default 2000
   */
  ahead?: number | undefined

  /**
   * The most bytes that are asked for and have not arrived. It is also the most that one
   * call holds of blocks and links whose turn has not come, whether they are fetched or
   * here; one block there always is, and the links of the nodes above it.
   *
   * @default 33554432
   */
  maxBytes?: number | undefined

  /**
   * When a block is asked for again that did not come, in milliseconds. It is longer
   * where what was asked for before it takes longer.
   *
   * @default 10000
   */
  stallTimeout?: number | undefined

  /**
   * How long reading goes on while no block comes, in milliseconds. `Infinity` leaves
   * it to the signal.
   *
   * @default 60000
   */
  timeout?: number | undefined
}

export type FetchSettings = { [Key in keyof FetchInit]-?: number }

/**
 * Fill in the defaults.
 *
 * @throws {InvalidParametersError} a number is not above 0
 */
export function fetchSettings (init: FetchInit = {}): FetchSettings {
  const { ahead = DEFAULT_FETCH_AHEAD, maxBytes = DEFAULT_FETCH_BYTES, stallTimeout = DEFAULT_STALL_TIMEOUT, timeout = DEFAULT_FETCH_TIMEOUT } = init
  const settings = { ahead, maxBytes, stallTimeout, timeout }

  for (const [name, value] of Object.entries(settings)) {
    if (!(value > 0)) {
      throw new InvalidParametersError(`fetch.${name} is a number above 0, not ${value}`)
    }
  }

  return settings
}
