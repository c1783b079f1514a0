import type { CID } from 'multiformats/cid'

/** A piece that is being read, for all who need it. */
interface Reading {
  bytes: Promise<Uint8Array>
  readers: number
  unneeded: AbortController
}

/**
 * Pieces of bases that are in memory, so that readers of files with the same base hold each of them once. A piece stays
 * as long as anybody has it.
 */
export class SharedPieces {
  readonly #pieces = new Map<string, WeakRef<Uint8Array>>()
  readonly #reading = new Map<string, Reading>()
  readonly #gone = new FinalizationRegistry<string>(key => {
    if (this.#pieces.get(key)?.deref() == null) {
      this.#pieces.delete(key)
    }
  })

  /**
   * @param cid - of the base
   * @param start - where the piece begins
   * @param load - reads it. Its signal aborts once no caller waits for it
   */
  async get (
    cid: CID,
    start: number,
    load: (signal: AbortSignal) => Promise<Uint8Array>,
    signal?: AbortSignal | null
  ): Promise<Uint8Array> {
    signal?.throwIfAborted()

    const key = `${cid} ${start}`
    const known = this.#pieces.get(key)?.deref()

    return known ?? this.#wait(key, this.#reading.get(key) ?? this.#read(key, load), signal)
  }

  #read (key: string, load: (signal: AbortSignal) => Promise<Uint8Array>): Reading {
    const unneeded = new AbortController()
    const reading = { bytes: this.#keep(key, load(unneeded.signal)), readers: 0, unneeded }
    this.#reading.set(key, reading)

    const end = (): void => { this.#end(key, reading) }
    // those who wait get the error
    reading.bytes.then(end, end)

    return reading
  }

  async #keep (key: string, loading: Promise<Uint8Array>): Promise<Uint8Array> {
    const bytes = await loading
    this.#pieces.set(key, new WeakRef(bytes))
    this.#gone.register(bytes, key)

    return bytes
  }

  /** The last one who gives up ends the reading. */
  async #wait (key: string, reading: Reading, signal?: AbortSignal | null): Promise<Uint8Array> {
    const { promise: stopped, reject } = Promise.withResolvers<never>()
    const leave = (): void => {
      reject(signal?.reason)

      if (--reading.readers === 0) {
        reading.unneeded.abort(signal?.reason)
        this.#end(key, reading)
      }
    }

    reading.readers++
    signal?.addEventListener('abort', leave, { once: true })

    try {
      return await Promise.race([reading.bytes, stopped])
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }

  #end (key: string, reading: Reading): void {
    if (this.#reading.get(key) === reading) {
      this.#reading.delete(key)
    }
  }
}
