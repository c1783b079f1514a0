import { CidStack } from './cid-stack.ts'
import type { CID } from 'multiformats/cid'

const CONCURRENCY = 16
/** Maximum number of bytes that are read at once: large blocks are read fewer at a time. */
const MAX_SIZE = 32 * 1024 * 1024

/** A block to visit. */
export interface Waiting {
  cid: CID
  /** How many levels below it to walk. */
  levels: number
  /** Whether it is reached for the first time. */
  isNew: boolean
}

/** The blocks that a walk has found links to and not yet visited. */
export class WaitingBlocks {
  readonly #stack = new CidStack()
  /** Size in bytes of the largest block so far: the next may be as large. */
  #largest = 0

  get isEmpty (): boolean {
    return this.#stack.isEmpty
  }

  push ({ cid, levels, isNew }: Waiting): void {
    this.#stack.push({ cid, number: levels, flag: isNew })
  }

  /** Take off the blocks to visit next, all at once, in the order in which they were pushed. */
  take (): Waiting[] {
    const count = Math.min(CONCURRENCY, Math.max(1, Math.floor(MAX_SIZE / this.#largest)))
    const taken: Waiting[] = []

    while (taken.length < count && !this.isEmpty) {
      const { cid, number: levels, flag: isNew } = this.#stack.pop()
      taken.push({ cid, levels, isNew })
    }

    return taken.toReversed()
  }

  /** Record the size in bytes of a block that was read. */
  noteSize (size: number): void {
    this.#largest = Math.max(this.#largest, size)
  }
}
