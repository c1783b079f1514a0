import { yieldToEventLoop, EventLoopBreaks } from '@ipfsz/utils/event-loop'
import { PathTooSlowError, PathTooCostlyError } from '../errors.ts'
import type { CID } from 'multiformats/cid'

/** Maximum bytes of blocks that are read to find out what the paths of one request lead to, 16 MiB. */
export const MAX_PATH_BYTES = 16 * 1024 * 1024

/** Default of `GatewayLimits.pathTime`, in milliseconds. */
export const DEFAULT_PATH_TIME = 5000

/**
 * For how many milliseconds blocks are looked through until others go on: a request takes several turns of the event
 * loop, and is to be answered in 50 ms.
 */
const RUN_TIME = 5

/** What the paths of one request may cost, all of them together. */
export class PathLimit {
  readonly #breaks = new EventLoopBreaks()
  readonly #maxTime: number
  readonly #signal: AbortSignal | undefined
  #left = MAX_PATH_BYTES
  #time = 0
  #timeOfBreak = 0

  /** @param maxTime - milliseconds of processing in which blocks are looked through. Waiting does not count */
  constructor (maxTime = DEFAULT_PATH_TIME, signal?: AbortSignal) {
    this.#maxTime = maxTime
    this.#signal = signal
  }

  /**
   * Count a block.
   *
   * @throws {PathTooCostlyError} there are too many
   */
  take (cid: CID, bytes: number): void {
    this.#left -= bytes

    if (this.#left < 0) {
      throw new PathTooCostlyError(cid, MAX_PATH_BYTES)
    }
  }

  /**
   * Let other requests go on, if this one has taken long. Blocks that are in memory make no pause.
   *
   * @param cid - the block that is looked through
   * @param time - milliseconds of processing in which it was looked through since the last time
   * @throws {PathTooSlowError} all together took too long
   */
  async pause (cid: CID, time = 0): Promise<void> {
    this.#time += time

    if (this.#time > this.#maxTime) {
      throw new PathTooSlowError(cid, this.#maxTime)
    }

    if (this.#time - this.#timeOfBreak >= RUN_TIME) {
      this.#timeOfBreak = this.#time
      await yieldToEventLoop()
    } else if (this.#breaks.isDue()) {
      await this.#breaks.take()
    }

    this.#signal?.throwIfAborted()
  }
}
