import { compareKey, kindOf } from '../format/entry.ts'
import { KEY_SIZE } from '../format/key.ts'

/** Sorted entries, and the packs that their numbers mean. */
export interface EntrySource {
  packs: readonly string[]
  entries: Iterable<Buffer> | AsyncIterable<Buffer>
}

export interface SourcedEntry {
  entry: Buffer
  packs: readonly string[]
}

/** Yields the entries of each key together, in the order of keys. Memory is one page for each source. */
export async function * mergeEntries (sources: readonly EntrySource[]): AsyncGenerator<SourcedEntry[]> {
  const readers = sources.map(({ packs, entries }) => {
    const entry: Buffer | undefined = undefined

    return { packs, iterator: iterate(entries), entry: entry as Buffer | undefined }
  })

  for (const reader of readers) {
    reader.entry = await next(reader.iterator)
  }

  for (;;) {
    let first: Buffer | undefined

    for (const { entry } of readers) {
      if (entry != null && (first == null || compare(entry, first) < 0)) {
        first = entry
      }
    }

    if (first == null) {
      return
    }

    const same: SourcedEntry[] = []

    for (const reader of readers) {
      while (reader.entry != null && compare(reader.entry, first) === 0) {
        same.push({ entry: reader.entry, packs: reader.packs })
        reader.entry = await next(reader.iterator)
      }
    }

    // keys of two kinds may have the same bytes
    const kinds = Map.groupBy(same, ({ entry }) => kindOf(entry, 0))

    for (const entries of kinds.values()) {
      yield entries
    }
  }
}

function compare (a: Buffer, b: Buffer): number {
  return compareKey(a, 0, b.subarray(0, KEY_SIZE))
}

function iterate (entries: Iterable<Buffer> | AsyncIterable<Buffer>): Iterator<Buffer> | AsyncIterator<Buffer> {
  return Symbol.asyncIterator in entries ? entries[Symbol.asyncIterator]() : entries[Symbol.iterator]()
}

async function next (iterator: Iterator<Buffer> | AsyncIterator<Buffer>): Promise<Buffer | undefined> {
  const { done, value } = await iterator.next()

  return done === true ? undefined : value
}
