/** How the entries of links are read, all of them or many at a time. */
import type { LinkDatastore } from './links.ts'

/** So many entries are asked for at one time, and not many more bytes: LevelDB would stop at 16 KiB. */
const BATCH = 4096
const BATCH_BYTES = 1024 * 1024

/** An entry of the datastore, its key only for messages. */
export interface LinkEntry {
  key: { toString (): string }
  value: Uint8Array
}

/** What abstract-level's databases have, as far as it is needed here. */
interface Level {
  iterator (range: { gt: string, lt: string, keyEncoding: 'utf8', valueEncoding: 'view', highWaterMarkBytes: number }): {
    nextv (size: number): Promise<Array<[string, Uint8Array]>>
    close (): Promise<void>
  }
}

/** The entries under a prefix, in batches. */
export async function * queryLinks (datastore: LinkDatastore, prefix: string, signal?: AbortSignal | null): AsyncGenerator<LinkEntry[]> {
  signal?.throwIfAborted()
  const level = levelOf(datastore)

  if (level != null) {
    yield * queryLevel(level, prefix, signal)
    return
  }

  for await (const pair of datastore.query({ prefix }, signal == null ? {} : { signal })) {
    // a prefix ends anywhere: it may also begin a name of others
    if (pair.key.toString().startsWith(`${prefix}/`)) {
      yield [pair]
    }
  }
}

/**
 * LevelDatastore hands out one entry at a time, through three generators. Its
 * database hands out many, which takes a third of the time.
 */
async function * queryLevel (level: Level, prefix: string, signal?: AbortSignal | null): AsyncGenerator<LinkEntry[]> {
  // '0' is what follows '/'
  const iterator = level.iterator({ gt: `${prefix}/`, lt: `${prefix}0`, keyEncoding: 'utf8', valueEncoding: 'view', highWaterMarkBytes: BATCH_BYTES })

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

/** The database of a LevelDatastore, which lays it open as `db`. */
function levelOf (datastore: LinkDatastore): Level | undefined {
  const { db } = datastore as { db?: Partial<Level> }

  return typeof db?.iterator === 'function' ? db as Level : undefined
}
