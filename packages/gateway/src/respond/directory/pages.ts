import { LRUCache } from 'lru-cache'

/** Bytes of the pages that a gateway remembers. A page of 10,000 entries has 6 MiB. */
const REMEMBERED_SIZE = 32 * 1024 * 1024

/** The bytes that are sent at a time. */
const CHUNK_SIZE = 64 * 1024

export interface MadePage {
  bytes: Uint8Array
  /** Whether it is the same whenever it is made. */
  isFinal: boolean
}

/** A page that is being made, for all who wait for it. */
interface Making {
  page: Promise<Uint8Array>
  waiting: number
  unneeded: AbortController
}

/**
 * Pages that take long to make. Each is made once for all who ask for it at the same time: otherwise a few dozen
 * requests for a large directory would keep each other from ever being answered.
 */
export class Pages {
  readonly #remembered = new LRUCache<string, Uint8Array>({
    maxSize: REMEMBERED_SIZE,
    sizeCalculation: ({ byteLength }, key) => byteLength + key.length
  })

  readonly #making = new Map<string, Making>()

  /**
   * @param make - is given a signal that aborts when nobody waits for the page any more
   * @param signal - of one who waits for it
   */
  async get (key: string, make: (signal: AbortSignal) => Promise<MadePage>, signal: AbortSignal): Promise<Uint8Array> {
    signal.throwIfAborted()

    const remembered = this.#remembered.get(key)

    if (remembered != null) {
      return remembered
    }

    const making = this.#making.get(key) ?? this.#make(key, make)
    const { promise: stopped, reject } = Promise.withResolvers<never>()
    const stop = (): void => { reject(signal.reason) }

    making.waiting++
    signal.addEventListener('abort', stop)

    try {
      return await Promise.race([making.page, stopped])
    } finally {
      signal.removeEventListener('abort', stop)

      if (--making.waiting === 0) {
        this.#forget(key, making)
        making.unneeded.abort()
      }
    }
  }

  #make (key: string, make: (signal: AbortSignal) => Promise<MadePage>): Making {
    const unneeded = new AbortController()
    const page = make(unneeded.signal).then(({ bytes, isFinal }) => {
      if (isFinal) {
        this.#remembered.set(key, bytes)
      }

      return bytes
    }).finally(() => { this.#forget(key, making) })
    const making: Making = { page, waiting: 0, unneeded }

    // nobody may be waiting any more
    page.catch(() => {})
    this.#making.set(key, making)

    return making
  }

  #forget (key: string, making: Making): void {
    if (this.#making.get(key) === making) {
      this.#making.delete(key)
    }
  }
}

/** The bytes of a page that many responses share: `Response` would copy it for each. */
export async function * chunksOf (page: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < page.byteLength; i += CHUNK_SIZE) {
    yield page.subarray(i, i + CHUNK_SIZE)
  }
}
