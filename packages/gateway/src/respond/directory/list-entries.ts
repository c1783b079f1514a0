import { readableWith } from '@ipfsz/core/reader'
import type { GatewayComponents } from '../../contract.ts'
import type { Listing, ListingEntry } from '../../html/listing.ts'
import type { DirectoryEntry, LsOptions } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** The errors of a block that is missing: here, and everywhere. */
const MISSING = new Set(['BlockNotFoundWhileOfflineError', 'NotFoundError'])

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
  fs: Pick<GatewayComponents['fs'], 'ls'>,
  cid: CID,
  limit: number,
  signal: AbortSignal
): Promise<Pick<Listing, 'entries' | 'truncatedAt' | 'size'>> {
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
    ...truncated ? { truncatedAt: limit } : totalOf(entries)
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
    storedSize: isFile ? storedSize ?? size : size,
    ...codec == null ? {} : { codec },
    readableWith: readableWith(entry)
  }
}

/** The original bytes of all entries, where each of them says so. */
function totalOf (entries: ListingEntry[]): { size?: bigint } {
  let total = 0n

  for (const { size } of entries) {
    if (size == null) {
      return {}
    }

    total += size
  }

  return { size: total }
}

function compare (a: ListingEntry, b: ListingEntry): number {
  return Number(b.type === 'directory') - Number(a.type === 'directory') || BY_NAME.compare(a.name, b.name)
}
