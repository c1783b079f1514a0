/** Bytes of pages that are kept. */
const MAX_BYTES = 8 * 1024 * 1024

/** The pages of index files that were read last. */
export class PageCache {
  readonly #pages = new Map<string, Buffer>()
  #bytes = 0

  get (key: string): Buffer | undefined {
    const page = this.#pages.get(key)

    if (page != null) {
      // now the newest
      this.#pages.delete(key)
      this.#pages.set(key, page)
    }

    return page
  }

  set (key: string, page: Buffer): void {
    if (this.#pages.has(key)) {
      return
    }

    this.#pages.set(key, page)
    this.#bytes += page.byteLength

    for (const [key, page] of this.#pages) {
      if (this.#bytes <= MAX_BYTES) {
        break
      }

      this.#pages.delete(key)
      this.#bytes -= page.byteLength
    }
  }
}
