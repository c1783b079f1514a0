import { Histogram } from '@ipfsz/utils/histogram'

/** What is done to a store: `has` looks whether something is there. */
export type StoreRequestKind = 'get' | 'put' | 'has' | 'delete' | 'list'
/** How it ended. `missing`: nothing is there. `aborted`: nobody waits for it any longer. */
export type StoreOutcome = 'ok' | 'missing' | 'aborted' | 'failed'

/** How a request ended that threw. */
export function outcomeOf (err: unknown): StoreOutcome {
  const name = err instanceof Error ? err.name : ''

  if (name === 'NotFoundError') {
    return 'missing'
  }

  return name === 'AbortError' ? 'aborted' : 'failed'
}

export interface StoreRequests {
  readonly kind: StoreRequestKind
  readonly outcome: StoreOutcome
  readonly durations: Histogram
  /** Of what was read or written, as it is stored. */
  bytes: number
}

/** Counts what a process asks of a store. */
export class StoreTraffic {
  readonly #rows = new Map<string, StoreRequests>()
  /** Blocks that were, and were not, on the disk of this node. */
  readonly cache = { hits: 0, misses: 0 }

  get rows (): StoreRequests[] {
    return [...this.#rows.values()]
  }

  add (kind: StoreRequestKind, outcome: StoreOutcome, { bytes, seconds }: { bytes: number, seconds: number }): void {
    const key = `${kind} ${outcome}`
    const row = this.#rows.get(key) ?? { kind, outcome, durations: new Histogram(), bytes: 0 }

    row.durations.add(seconds)
    row.bytes += bytes
    this.#rows.set(key, row)
  }

  /**
   * Count a request.
   *
   * @param measure - the bytes of a result, and whether something is there
   */
  async count<T> (
    kind: StoreRequestKind,
    request: () => Promise<T>,
    measure: (result: T) => { bytes?: number, isThere?: boolean } = () => ({})
  ): Promise<T> {
    const start = performance.now()
    const end = (outcome: StoreOutcome, bytes: number): void => {
      this.add(kind, outcome, { bytes, seconds: (performance.now() - start) / 1000 })
    }

    try {
      const result = await request()
      const { bytes = 0, isThere = true } = measure(result)
      end(isThere ? 'ok' : 'missing', bytes)

      return result
    } catch (err) {
      end(outcomeOf(err), 0)
      throw err
    }
  }

  /** Count each page of a list as a request, as S3 does. */
  async * countPages<T> (pages: AsyncIterable<T>): AsyncGenerator<T> {
    const iterator = pages[Symbol.asyncIterator]()

    try {
      for (;;) {
        const page = await this.count('list', async () => iterator.next())

        if (page.done === true) {
          return
        }

        yield page.value
      }
    } finally {
      await iterator.return?.()
    }
  }
}
