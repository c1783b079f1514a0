import { MAX_DELIVERED, MAX_STRAY_BYTES } from './limits.ts'
import type { Want } from './want.ts'

/** The blocks that one response has delivered so far. */
export class DeliveredBlocks {
  /** The keys of the last blocks: a CAR delivers none of them twice. */
  readonly #keys = new Set<string>()
  /** The largest offset in the file at which a block began that was asked for. */
  #position = 0
  /** How many of them were asked for. */
  #useful = 0
  /** Bytes of blocks that nobody asked for, since the last block that was asked for. */
  #stray = 0

  /** Whether none of its blocks was asked for. */
  get isUseless (): boolean {
    return this.#useful === 0
  }

  /** Whether it seems to deliver something else than what is waited for. */
  get isAstray (): boolean {
    return this.#stray > MAX_STRAY_BYTES
  }

  /** Whether it has delivered a block already, or passed its place in the file. */
  hasPassed ({ key, part }: Want): boolean {
    return this.#keys.has(key) || (part != null && part.start < this.#position)
  }

  /** Record a block. Returns whether it was not there before. */
  add (key: string): boolean {
    const isNew = !this.#keys.has(key)
    this.#keys.add(key)

    if (this.#keys.size > MAX_DELIVERED) {
      const [oldest] = this.#keys
      this.#keys.delete(oldest)
    }

    return isNew
  }

  /** Record that a block was asked for: at this place in the file, if that is known. */
  use (position = 0): void {
    this.#position = Math.max(this.#position, position)
    this.#useful++
    this.#stray = 0
  }

  /** Record bytes of a block that nobody asked for. */
  addStray (bytes: number): void {
    this.#stray += bytes
  }
}
