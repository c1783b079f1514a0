import { statSync } from 'node:fs'
import { readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'

/** How many trees, and files that were added alone, are remembered. Each that is added looks at all of them. */
export const MAX_RECORDS = 512
/** How many bytes that may take: some millions of files. */
const MAX_SIZE = 512 * 1024 * 1024

const NAME = /^[0-9a-f]{32}$/

/** Delete the records of trees that were not added for the longest time, if there are too many. */
export async function pruneRecords (directory: string, latest: string): Promise<void> {
  const records: Array<{ path: string, size: number, time: number }> = []

  for (const name of (await readdir(directory)).filter(name => NAME.test(name))) {
    const path = join(directory, name)
    const stats = statSync(path, { throwIfNoEntry: false })

    if (stats != null) {
      records.push({ path, size: stats.size, time: path === latest ? Infinity : stats.mtimeMs })
    }
  }

  let size = 0

  for (const [i, record] of records.toSorted((a, b) => b.time - a.time).entries()) {
    size += record.size

    if (i >= MAX_RECORDS || size > MAX_SIZE) {
      await unlink(record.path).catch(() => {})
    }
  }
}
