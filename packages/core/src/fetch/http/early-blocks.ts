import { MAX_EARLY_BYTES, MIN_BLOCK_COST } from './limits.ts'
import type { GatewayBlock } from './want.ts'

/** What the streams of a source share: how many bytes their early blocks take. */
export interface EarlyBudget {
  used: number
}

/** The blocks of one stream that arrived before they were asked for. */
export class EarlyBlocks {
  readonly #blocks = new Map<string, GatewayBlock>()
  readonly #budget: EarlyBudget

  constructor (budget: EarlyBudget) {
    this.#budget = budget
  }

  /** Whether all streams together hold as much as they may. */
  get isFull (): boolean {
    return this.#budget.used >= MAX_EARLY_BYTES
  }

  /** Keep a block. Drops the oldest ones of this stream, and the block itself, if there is no room. */
  add (key: string, block: GatewayBlock): void {
    this.take(key)

    for (const oldest of this.#blocks.keys()) {
      if (!this.isFull) {
        break
      }

      this.take(oldest)
    }

    if (!this.isFull) {
      this.#blocks.set(key, block)
      this.#budget.used += costOf(block.bytes)
    }
  }

  take (key: string): GatewayBlock | undefined {
    const block = this.#blocks.get(key)

    if (block != null) {
      this.#blocks.delete(key)
      this.#budget.used -= costOf(block.bytes)
    }

    return block
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
