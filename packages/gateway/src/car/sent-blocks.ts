import { base64url } from 'multiformats/bases/base64'
import { CarTooLargeError } from '../errors.ts'
import type { CID } from 'multiformats/cid'

/** Maximum blocks that a CAR without duplicates may have: the CIDs remembered take about 100 MB. */
export const MAX_REMEMBERED_BLOCKS = 1_048_576

/** How many bytes of a CID are as many as any takes besides. Each that has more of them counts as several blocks. */
const USUAL_SIZE = 100

/** What is still to do for a block that a walk reaches. */
export interface Visit {
  send: boolean
  walk: boolean
}

/** The blocks that a CAR already has. */
export interface SentBlocks {
  /** Record a visit. `whole`: everything below the block is wanted, not only a range of it. */
  visit (cid: CID, whole: boolean): Visit

  /** Whether a block is sent already, and will not be again. */
  has (cid: CID): boolean

  /** Bytes of memory, about. */
  readonly memory: number
}

/** Sends blocks each time that they occur: nothing is remembered. */
export const SEND_DUPLICATES: SentBlocks = { visit: () => ({ send: true, walk: true }), has: () => false, memory: 0 }

/** Sends each block once. A block of which only a range was wanted is walked again, but not sent. */
export class SendOnce implements SentBlocks {
  /** By the bytes of the CID: whether everything below it was walked. */
  readonly #walked = new Map<string, boolean>()
  readonly #max: number
  #count = 0

  constructor (max = MAX_REMEMBERED_BLOCKS) {
    this.#max = max
  }

  get memory (): number {
    return this.#count * USUAL_SIZE
  }

  /** @throws {CarTooLargeError} there are more blocks than can be remembered */
  visit (cid: CID, whole: boolean): Visit {
    const key = keyOf(cid)
    const walked = this.#walked.get(key)

    this.#count += walked == null ? Math.max(Math.ceil(key.length / USUAL_SIZE), 1) : 0

    if (this.#count > this.#max) {
      throw new CarTooLargeError(this.#max)
    }

    if (walked == null || whole) {
      this.#walked.set(key, whole)
    }

    return { send: walked == null, walk: walked !== true }
  }

  has (cid: CID): boolean {
    return this.#walked.has(keyOf(cid))
  }
}

function keyOf ({ bytes }: CID): string {
  // not of more bytes than a call may have arguments
  return bytes.byteLength <= USUAL_SIZE ? String.fromCharCode(...bytes) : base64url.baseEncode(bytes)
}
