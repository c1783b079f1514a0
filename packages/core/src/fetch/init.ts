import { DEFAULT_FETCH_AHEAD, DEFAULT_FETCH_BYTES, DEFAULT_FETCH_TIMEOUT, DEFAULT_STALL_TIMEOUT } from '../constants.ts'
import { InvalidParametersError } from '../errors.ts'

/**
 * How to fetch blocks. This applies to `sources`, and to networked blockstores. Like Helia's, those support the option
 * `offline`, and throw a BlockNotFoundWhileOfflineError for a block that is not stored locally.
 */
export interface FetchInit {
  /**
   * How much to request ahead of what has arrived, as the milliseconds that it takes to
   * arrive at the measured rate; at least one leaf of 1 MiB. Larger values lose connections:
   * libp2p waits 5 seconds for a ping, which has to wait for all of this twice.
   *
   * @default 2000
   */
  ahead?: number | undefined

  /**
   * Maximum number of bytes requested but not yet received, plus a quarter of that for blocks much later in a tree.
   * Also the maximum number of bytes of blocks and links that one call reads ahead, from peers or locally. The current
   * block, and the links of the nodes above it, may exceed this limit.
   *
   * @default 33554432
   */
  maxBytes?: number | undefined

  /**
   * Milliseconds after which a block that did not arrive is requested again. Longer if the
   * blocks requested before it need longer.
   *
   * @default 10000
   */
  stallTimeout?: number | undefined

  /**
   * Milliseconds that a read continues without any block arriving. `Infinity` waits until the signal aborts.
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
  const {
    ahead = DEFAULT_FETCH_AHEAD,
    maxBytes = DEFAULT_FETCH_BYTES,
    stallTimeout = DEFAULT_STALL_TIMEOUT,
    timeout = DEFAULT_FETCH_TIMEOUT
  } = init
  const settings = { ahead, maxBytes, stallTimeout, timeout }

  for (const [name, value] of Object.entries(settings)) {
    if (!(value > 0)) {
      throw new InvalidParametersError(`fetch.${name} must be above 0, not ${value}`)
    }
  }

  return settings
}
