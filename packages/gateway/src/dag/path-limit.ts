import { EventLoopBreaks } from '@ipfsz/utils/event-loop'
import { PathTooCostlyError } from '../errors.ts'
import type { CID } from 'multiformats/cid'

/** The most bytes of blocks that are read to find out what the paths of one request lead to, 16 MiB. */
export const MAX_PATH_BYTES = 16 * 1024 * 1024

/** What the paths of one request may cost, all of them together. */
export class PathLimit {
  readonly #breaks = new EventLoopBreaks()
  #left = MAX_PATH_BYTES

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

  /** Let other requests go on, if this one has taken long. Blocks that are in memory make no pause. */
  async pause (): Promise<void> {
    if (this.#breaks.isDue()) {
      await this.#breaks.take()
    }
  }
}
