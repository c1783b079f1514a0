import { MAX_EARLY_BYTES, MIN_BLOCK_COST } from './limits.ts'
import type { GatewayBlock } from './want.ts'

/** What the streams of a source share: how many bytes their early blocks take. */
export interface EarlyBudget {
  used: number
  /**
   * The maximum that they may take.
   *
   * @default 16777216
   */
  max?: number | undefined
  /**
   * The maximum that they may take for a response to be read on while nobody waits for its blocks.
   *
   * @default max
   */
  ahead?: number | undefined
}

/** A block, and the response that brought it. */
export interface EarlyBlock<P> {
  block: GatewayBlock
  piece: P
}

/** The blocks of one stream that arrived before they were asked for. */
export class EarlyBlocks<P> {
  readonly #blocks = new Map<string, EarlyBlock<P>>()
  readonly #budget: EarlyBudget
  readonly #max: number

  constructor (budget: EarlyBudget) {
    this.#budget = budget
    this.#max = budget.max ?? MAX_EARLY_BYTES
  }

  /** Whether no more is read while nobody waits for it. */
  get isFarAhead (): boolean {
    return this.#budget.used >= (this.#budget.ahead ?? this.#max)
  }

  /** Whether all streams together hold as much as they may. */
  get isFull (): boolean {
    return this.#budget.used >= this.#max
  }

  /** Keep a block. Drops the oldest ones of this stream, and the block itself, if there is no room. */
  add (key: string, early: EarlyBlock<P>): void {
    this.take(key)

    for (const oldest of this.#blocks.keys()) {
      if (!this.isFull) {
        break
      }

      this.take(oldest)
    }

    if (!this.isFull) {
      this.#blocks.set(key, early)
      this.#budget.used += costOf(early.block.bytes)
    }
  }

  take (key: string): EarlyBlock<P> | undefined {
    const early = this.#blocks.get(key)

    if (early != null) {
      this.#blocks.delete(key)
      this.#budget.used -= costOf(early.block.bytes)
    }

    return early
  }

  clear (): void {
    for (const key of this.#blocks.keys()) {
      this.take(key)
    }
  }
}

/** How much memory a block counts for. */
export function costOf ({ byteLength }: Uint8Array): number {
  return Math.max(byteLength, MIN_BLOCK_COST)
}
