import { isIdentity } from '@ipfsz/core'
import { settle, unwrap } from '@ipfsz/utils/map-ordered'
import { hasLinks } from '../dag/links.ts'
import { MAX_BLOCK_SIZE } from '../dag/read-block.ts'
import type { Settled } from '@ipfsz/utils/map-ordered'
import type { CarMemory } from './car-memory.ts'
import type { Wanted } from './wanted.ts'
import type { ReadBlock } from '../dag/read-block.ts'
import type { SentBlocks } from './sent-blocks.ts'

/** How many leaves of a CAR are read ahead, as of other files: blocks of 2 MiB take 16 MiB. */
export const MAX_LEAVES_AHEAD = 8

/** A block whose turn comes, and its bytes if they are being read. */
export interface Next {
  wanted: Wanted
  bytes?: Promise<Settled<Uint8Array>> | undefined
  share?: ReturnType<CarMemory['readAhead']>
}

/** Reads leaves before it is their turn, a bounded number for a whole walk. */
export class LeavesAhead {
  readonly #read: ReadBlock
  readonly #sent: SentBlocks
  readonly #memory: CarMemory
  #free = MAX_LEAVES_AHEAD

  constructor (read: ReadBlock, sent: SentBlocks, memory: CarMemory) {
    this.#read = read
    this.#sent = sent
    this.#memory = memory
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

    const next: Next = { wanted }
    next.share = this.#memory.readAhead({
      bytes: MAX_BLOCK_SIZE,
      // it is read again when it is its turn
      revoke: () => { this.#drop(next) }
    })

    if (next.share != null) {
      this.#free--
      next.bytes = settle(this.#readAhead, next)
    }

    return next
  }

  /** The block, whose turn it is. */
  async take (next: Next): Promise<Uint8Array> {
    const { wanted, bytes } = next
    next.bytes = undefined

    return bytes == null ? this.#read(wanted.cid) : unwrap(await bytes)
  }

  /** The block is sent, or not needed any more. */
  release (next: Next): void {
    this.#free += next.share == null ? 0 : 1
    this.#drop(next)
  }

  readonly #readAhead = async (next: Next): Promise<Uint8Array> => {
    const bytes = await this.#read(next.wanted.cid)
    next.share?.resize(Math.max(bytes.byteLength, 1))

    return bytes
  }

  #drop (next: Next): void {
    next.bytes = undefined
    next.share?.give()
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
