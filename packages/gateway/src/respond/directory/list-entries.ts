import { readableWith } from '@ipfsz/core/reader'
import type { GatewayComponents } from '../../contract.ts'
import type { Listing, ListingEntry } from '../../html/listing.ts'
import type { DirectoryEntry, LsOptions } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** The errors of a block that is missing: here, and everywhere. */
const MISSING = new Set(['BlockNotFoundWhileOfflineError', 'NotFoundError'])

/** The most blocks of a tree whose sizes a page says: about 5 MB of memory while they are counted. */
const MAX_MEASURED_BLOCKS = 10_000

/** The errors of entries that cannot be measured. Their rows are listed all the same. */
const UNMEASURED = new Set([...MISSING, 'DagTooLargeError', 'InvalidDagError', 'InvalidHeaderError', 'NotUnixFSError'])

const BY_NAME = new Intl.Collator('en', { numeric: true })

/**
 * List a directory for its page: directories first, then by name.
 *
 * The root blocks of entries, which have the original sizes, are not fetched from the network: a
 * page of 10,000 entries would cost as many requests. Missing shards of the directory itself are.
 *
 * @param limit - the most entries; what comes after them is not read
 */
export async function listEntries (
  fs: Pick<GatewayComponents['fs'], 'ls' | 'stat'>,
  cid: CID,
  limit: number,
  signal: AbortSignal
): Promise<Pick<Listing, 'entries' | 'truncatedAt' | 'size' | 'storedSize' | 'fetchSize'>> {
  const options = { length: limit + 1, signal }
  let found: ListingEntry[]

  try {
    // blockstores know the option, though its type is not that of `ls`
    found = await collect(fs.ls(cid, { ...options, offline: true } as LsOptions))
  } catch (err) {
    signal.throwIfAborted()

    if (!(err instanceof Error && MISSING.has(err.name))) {
      throw err
    }

    found = await collect(fs.ls(cid, options))
  }

  const truncated = found.length > limit
  const entries = found.slice(0, limit).toSorted(compare)

  return {
    entries,
    ...truncated ? { truncatedAt: limit } : await measure(fs, cid, signal)
  }
}

async function collect (source: AsyncIterable<DirectoryEntry>): Promise<ListingEntry[]> {
  const entries: ListingEntry[] = []

  for await (const entry of source) {
    entries.push(describe(entry))
  }

  return entries
}

function describe (entry: DirectoryEntry): ListingEntry {
  const { name, cid, type, size, storedSize, codec, unixfs, sizeKnown } = entry
  const isFile = type === 'file' || type === 'raw'
  const usualType = isFile ? 'file' : type ?? 'unknown'

  return {
    name,
    cid: cid.toString(),
    type: unixfs?.type === 'symlink' ? 'symlink' : usualType,
    // of directories and missing files, only the size of their blocks is known
    ...isFile && sizeKnown !== false ? { size } : {},
    ...storedSize == null ? {} : { storedSize },
    ...codec == null ? {} : { codec },
    readableWith: readableWith(entry)
  }
}

/** What all of it takes, unless it is too large to be counted for a page, or blocks that say so are missing. */
async function measure (
  fs: Pick<GatewayComponents['fs'], 'stat'>,
  cid: CID,
  signal: AbortSignal
): Promise<Pick<Listing, 'size' | 'storedSize' | 'fetchSize'>> {
  try {
    const { size, storedSize, fetchSize, sizeKnown } = await fs.stat(cid, {
      extended: true,
      offline: true,
      maxBlocks: MAX_MEASURED_BLOCKS,
      signal
    })

    return sizeKnown === false ? {} : { size, storedSize, fetchSize }
  } catch (err) {
    signal.throwIfAborted()

    if (err instanceof Error && UNMEASURED.has(err.name)) {
      return {}
    }

    throw err
  }
}

function compare (a: ListingEntry, b: ListingEntry): number {
  return Number(b.type === 'directory') - Number(a.type === 'directory') || BY_NAME.compare(a.name, b.name)
}
