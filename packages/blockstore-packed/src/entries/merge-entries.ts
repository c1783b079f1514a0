import { compareKey, kindOf, prefixOf } from '../format/entry.ts'

/** Sorted entries, and the packs that their numbers mean. */
export interface EntrySource {
  packs: readonly string[]
  entries: Iterable<Buffer>
}

export interface SourcedEntry {
  entry: Buffer
  packs: readonly string[]
}

/** Yields the entries of each key together, in the order of keys. Memory is some pages for each source. */
export function * mergeEntries (sources: readonly EntrySource[]): Generator<SourcedEntry[]> {
  const readers = sources.map(({ packs, entries }) => new Reader(packs, entries[Symbol.iterator]()))

  try {
    readers.forEach(reader => { reader.next() })

    for (;;) {
      let first: Reader | undefined

      for (const reader of readers) {
        if (reader.entry != null && (first?.entry == null || reader.compare(first.entry, first.prefix) < 0)) {
          first = reader
        }
      }

      if (first?.entry == null) {
        return
      }

      const same: SourcedEntry[] = []
      const { entry, prefix } = first

      for (const reader of readers) {
        while (reader.entry != null && reader.compare(entry, prefix) === 0) {
          same.push({ entry: reader.entry, packs: reader.packs })
          reader.next()
        }
      }

      // keys of two kinds may have the same bytes
      yield * same.length === 1 ? [same] : Map.groupBy(same, ({ entry }) => kindOf(entry, 0)).values()
    }
  } finally {
    readers.forEach(reader => { reader.close() })
  }
}

/** The next entry of a source. */
class Reader {
  readonly packs: readonly string[]
  entry: Buffer | undefined
  /** The first bytes of its key, which mostly differ. */
  prefix = 0
  readonly #iterator: Iterator<Buffer>

  constructor (packs: readonly string[], iterator: Iterator<Buffer>) {
    this.packs = packs
    this.#iterator = iterator
  }

  next (): void {
    const { done, value } = this.#iterator.next()
    this.entry = done === true ? undefined : value as Buffer
    this.prefix = this.entry == null ? 0 : prefixOf(this.entry, 0)
  }

  compare (other: Buffer, prefix: number): number {
    return this.prefix === prefix && this.entry != null ? compareKey(this.entry, 0, other) : this.prefix - prefix
  }

  close (): void {
    this.#iterator.return?.()
  }
}
