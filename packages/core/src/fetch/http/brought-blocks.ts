import { MAX_DELIVERED, MAX_STRAY_BYTES } from './limits.ts'
import type { Want } from './want.ts'

/** What one response has brought so far. */
export class BroughtBlocks {
  /** The keys of the last blocks: a CAR brings none of them twice. */
  readonly #keys = new Set<string>()
  /** Where in the file the last block began that was asked for. */
  #position = 0
  /** How many of them were asked for. */
  #useful = 0
  /** Bytes of blocks that were not asked for since the last one that was. */
  #stray = 0

  /** Whether none of its blocks was asked for. */
  get isUseless (): boolean {
    return this.#useful === 0
  }

  /** Whether it seems to bring something else than what is waited for. */
  get isAstray (): boolean {
    return this.#stray > MAX_STRAY_BYTES
  }

  /** Whether it has brought a block already, or passed its place in the file. */
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
