import { readableWith } from '@ipfsz/core/reader'
import { encodeName } from '../../html/escape.ts'
import type { GatewayComponents } from '../../contract.ts'
import type { Listing, ListingEntry } from '../../html/listing.ts'
import type { DirectoryEntry, LsOptions } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** The errors of a block that is missing: here, and everywhere. */
const MISSING = new Set(['BlockNotFoundWhileOfflineError', 'NotFoundError'])

/** Maximum number of blocks of a tree whose sizes a page says: about 5 MB of memory while they are counted. */
const MAX_MEASURED_BLOCKS = 10_000

/** The errors of entries that cannot be measured. Their rows are listed all the same. */
const UNMEASURED = new Set([...MISSING, 'DagTooLargeError', 'InvalidDagError', 'InvalidHeaderError', 'NotUnixFSError'])

/**
 * Maximum number of characters of the names of a page, as they are in its links: 10,000 names of 200 letters, or of 20
 * Chinese characters. A page has some four for each of them.
 */
export const MAX_NAMES_SIZE = 2 * 1024 * 1024

const BY_NAME = new Intl.Collator('en', { numeric: true })

/**
 * List a directory for its page: directories first, then by name.
 *
 * The root blocks of entries, which have the original sizes, are not fetched from the network: a
 * page of 10,000 entries would cost as many requests. Missing shards of the directory itself are.
 *
 * @param limit - the most entries; what comes after them, or after the most characters of names, is not read
 */
export async function listEntries (
  fs: Pick<GatewayComponents['fs'], 'ls' | 'stat'>,
  cid: CID,
  limit: number,
  signal: AbortSignal
): Promise<Pick<Listing, 'entries' | 'truncatedAt' | 'size' | 'storedSize' | 'fetchSize'>> {
  const options = { length: limit + 1, signal }
  let found: Collected

  try {
    // blockstores know the option, though its type is not that of `ls`
    found = await collect(fs.ls(cid, { ...options, offline: true } as LsOptions), limit)
  } catch (err) {
    signal.throwIfAborted()

    if (!(err instanceof Error && MISSING.has(err.name))) {
      throw err
    }

    found = await collect(fs.ls(cid, options), limit)
  }

  const entries = found.entries.toSorted(compare)

  return {
    entries,
    ...found.isTruncated ? { truncatedAt: entries.length } : await measure(fs, cid, signal)
  }
}

interface Collected {
  entries: ListingEntry[]
  /** Whether there are more. */
  isTruncated: boolean
}

async function collect (source: AsyncIterable<DirectoryEntry>, limit: number): Promise<Collected> {
  const entries: ListingEntry[] = []
  let size = 0

  for await (const entry of source) {
    size += encodeName(entry.name).length

    if (entries.length === limit || size > MAX_NAMES_SIZE) {
      return { entries, isTruncated: true }
    }

    entries.push(describe(entry))
  }

  return { entries, isTruncated: false }
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
