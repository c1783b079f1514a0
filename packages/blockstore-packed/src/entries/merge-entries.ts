import { compareKey, kindOf } from '../format/entry.ts'

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
  const readers = sources.map(({ packs, entries }) => {
    const entry: Buffer | undefined = undefined

    return { packs, iterator: entries[Symbol.iterator](), entry: entry as Buffer | undefined }
  })

  try {
    for (const reader of readers) {
      reader.entry = next(reader.iterator)
    }

    for (;;) {
      let first: Buffer | undefined

      for (const { entry } of readers) {
        if (entry != null && (first == null || compareKey(entry, 0, first) < 0)) {
          first = entry
        }
      }

      if (first == null) {
        return
      }

      const same: SourcedEntry[] = []

      for (const reader of readers) {
        while (reader.entry != null && compareKey(reader.entry, 0, first) === 0) {
          same.push({ entry: reader.entry, packs: reader.packs })
          reader.entry = next(reader.iterator)
        }
      }

      // keys of two kinds may have the same bytes
      yield * same.length === 1 ? [same] : Map.groupBy(same, ({ entry }) => kindOf(entry, 0)).values()
    }
  } finally {
    readers.forEach(({ iterator }) => iterator.return?.())
  }
}

function next (iterator: Iterator<Buffer>): Buffer | undefined {
  const { done, value } = iterator.next()

  return done === true ? undefined : value as Buffer
}
