/** Reads the entries of all links, in batches where the datastore allows it. */
import type { LinkDatastore } from './links.ts'

/** Entries, and bytes, per batch. LevelDB's default of 16 KiB would be too small. */
const BATCH = 4096
const BATCH_BYTES = 1024 * 1024

/** An entry of the datastore. The key is used only in messages. */
export interface LinkEntry {
  key: { toString (): string }
  value: Uint8Array
}

/** The part of an abstract-level database that is used here. */
interface Level {
  iterator (
    range: { gt: string, lt: string, keyEncoding: 'utf8', valueEncoding: 'view', highWaterMarkBytes: number }
  ): {
    nextv (size: number): Promise<Array<[string, Uint8Array]>>
    close (): Promise<void>
  }
}

/** The entries under a prefix, in batches. */
export async function * queryLinks (
  datastore: LinkDatastore,
  prefix: string,
  signal?: AbortSignal | null
): AsyncGenerator<LinkEntry[]> {
  signal?.throwIfAborted()
  const level = levelOf(datastore)

  if (level != null) {
    yield * queryLevel(level, prefix, signal)
    return
  }

  for await (const pair of datastore.query({ prefix }, signal == null ? {} : { signal })) {
    // the query matches any string prefix, so it may also return other names that begin with it
    if (pair.key.toString().startsWith(`${prefix}/`)) {
      yield [pair]
    }
  }
}

/**
 * Read directly from the database of a LevelDatastore, which returns many entries at a time.
 * The datastore returns one at a time, through three generators, and takes three times as long.
 */
async function * queryLevel (level: Level, prefix: string, signal?: AbortSignal | null): AsyncGenerator<LinkEntry[]> {
  // '0' is the character after '/'
  const range = { gt: `${prefix}/`, lt: `${prefix}0` } as const
  const iterator = level.iterator({
    ...range,
    keyEncoding: 'utf8',
    valueEncoding: 'view',
    highWaterMarkBytes: BATCH_BYTES
  })

  try {
    for (;;) {
      const entries = await iterator.nextv(BATCH)
      signal?.throwIfAborted()

      if (entries.length === 0) {
        return
      }

      yield entries.map(([key, value]) => ({ key, value }))
    }
  } finally {
    await iterator.close()
  }
}

/** The database of a LevelDatastore, which exposes it as `db`. */
function levelOf (datastore: LinkDatastore): Level | undefined {
  const { db } = datastore as { db?: Partial<Level> }

  return typeof db?.iterator === 'function' ? db as Level : undefined
}
