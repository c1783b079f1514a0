/** The blocks that were used last, within some bytes. */
export class RecentBlocks {
  readonly #maxSize: number
  /** The one that was used last is last. */
  readonly #blocks = new Map<string, Uint8Array>()
  #size = 0

  /** @param maxSize - in bytes */
  constructor (maxSize: number) {
    this.#maxSize = maxSize
  }

  has (key: string): boolean {
    return this.#blocks.has(key)
  }

  get (key: string): Uint8Array | undefined {
    const bytes = this.#blocks.get(key)

    if (bytes != null) {
      this.#blocks.delete(key)
      this.#blocks.set(key, bytes)
    }

    return bytes
  }

  set (key: string, bytes: Uint8Array): void {
    this.#delete(key)
    this.#blocks.set(key, bytes)
    this.#size += bytes.byteLength

    for (const [oldest] of this.#blocks) {
      if (this.#size <= this.#maxSize) {
        return
      }

      this.#delete(oldest)
    }
  }

  #delete (key: string): void {
    this.#size -= this.#blocks.get(key)?.byteLength ?? 0
    this.#blocks.delete(key)
  }
}
