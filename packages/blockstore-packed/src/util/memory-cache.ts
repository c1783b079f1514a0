// Room: helpers that know nothing of packs.
interface Kept<K, T> {
  key: K
  memory: Buffer
  content: T
}

/**
 * What was read last, some number of entries. The memory of the oldest is used again for the next: allocating it takes
 * as long as decompressing a frame does, and as garbage it would make the process grow until V8 collects it.
 */
export class MemoryCache<K, T extends Uint8Array> {
  readonly #maxEntries: number
  readonly #entrySize: number
  /** The one that was used last is last. */
  readonly #entries = new Map<K, Kept<K, T>>()
  #last: Kept<K, T> | undefined

  /** @param entrySize - bytes of an entry. A larger one is not kept */
  constructor (maxEntries: number, entrySize: number) {
    this.#maxEntries = maxEntries
    this.#entrySize = entrySize
  }

  /** @returns the content, valid until `load` is called */
  get (key: K): T | undefined {
    // mostly, the same is asked for many times in a row
    if (this.#last?.key === key) {
      return this.#last.content
    }

    const entry = this.#entries.get(key)

    if (entry != null) {
      this.#entries.delete(key)
      this.#keep(entry)
    }

    return entry?.content
  }

  /** Keep what is read. @param read - puts it into the memory, or takes other memory if it does not fit */
  load (key: K, read: (memory: Buffer) => T): T {
    const memory = this.#takeMemory()
    const content = read(memory)

    if (content.byteLength <= this.#entrySize) {
      this.#keep({ key, memory, content })
    }

    return content
  }

  clear (): void {
    this.#entries.clear()
    this.#last = undefined
  }

  #takeMemory (): Buffer {
    const [oldest] = this.#entries

    if (this.#entries.size < this.#maxEntries || oldest == null) {
      return Buffer.allocUnsafeSlow(this.#entrySize)
    }

    this.#entries.delete(oldest[0])

    return oldest[1].memory
  }

  #keep (entry: Kept<K, T>): void {
    this.#entries.set(entry.key, entry)
    this.#last = entry
  }
}
