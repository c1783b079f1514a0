import { settle, unwrap } from '@ipfsz/codecs/internal'
import { isIdentity } from '@ipfsz/core'
import { hasLinks } from '../dag/links.ts'
import type { Wanted } from './wanted.ts'
import type { ReadBlock } from '../dag/read-block.ts'
import type { SentBlocks } from './sent-blocks.ts'
import type { Settled } from '@ipfsz/codecs/internal'

/** How many leaves of a CAR are read ahead, as of other files: blocks of 2 MiB take 16 MiB. */
export const MAX_LEAVES_AHEAD = 8

/** A block whose turn comes, and its bytes if they are being read. */
export interface Next {
  wanted: Wanted
  bytes?: Promise<Settled<Uint8Array>>
}

/** Reads leaves before it is their turn, a bounded number for a whole walk. */
export class LeavesAhead {
  readonly #read: ReadBlock
  readonly #sent: SentBlocks
  #free = MAX_LEAVES_AHEAD

  constructor (read: ReadBlock, sent: SentBlocks) {
    this.#read = read
    this.#sent = sent
  }

  /** Whether another leaf may be read ahead. */
  get isFree (): boolean {
    return this.#free > 0
  }

  /** Request the block if it is a leaf that is still to be sent. */
  start (wanted: Wanted): Next {
    const { cid } = wanted

    if (!this.isFree || hasLinks(cid) || isIdentity(cid) || this.#sent.has(cid)) {
      return { wanted }
    }

    this.#free--

    return { wanted, bytes: settle(this.#read, cid) }
  }

  /** The block, whose turn it is. */
  async take ({ wanted, bytes }: Next): Promise<Uint8Array> {
    return bytes == null ? this.#read(wanted.cid) : unwrap(await bytes)
  }

  /** The block is sent, or not needed any more. */
  release ({ bytes }: Next): void {
    this.#free += bytes == null ? 0 : 1
  }
}

/** What is wanted below one block. At least the next is known, so that the block is let go before the last. */
export class Siblings {
  readonly #rest: Generator<Wanted>
  readonly #ahead: LeavesAhead
  readonly #queue: Next[] = []
  #ended = false

  constructor (rest: Generator<Wanted>, ahead: LeavesAhead) {
    this.#rest = rest
    this.#ahead = ahead
    this.#fill()
  }

  get isEmpty (): boolean {
    return this.#queue.length === 0
  }

  take (): Next | undefined {
    const next = this.#queue.shift()
    this.#fill()

    return next
  }

  /** Look ahead along leaves: what is below another block comes before its siblings. */
  #fill (): void {
    while (!this.#ended && (this.#queue.length === 0 || (this.#queue.at(-1)?.bytes != null && this.#ahead.isFree))) {
      const { done, value } = this.#rest.next()

      if (done === true) {
        this.#ended = true
      } else {
        this.#queue.push(this.#ahead.start(value))
      }
    }
  }
}
