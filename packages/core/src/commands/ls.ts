import * as dagPb from '@ipld/dag-pb'
import * as raw from 'multiformats/codecs/raw'
import { CustomProgressEvent } from 'progress-events'
import { DEFAULT_BLOCK_READ_CONCURRENCY } from '../constants.ts'
import { listDirectory } from '../directory/directory.ts'
import { isIdentity } from '../dag/hashes.ts'
import { isMissing } from '../dag/missing.ts'
import { isSharded } from '../directory/shards.ts'
import { describe, ratioOf } from '../read/describe.ts'
import { openRoot } from '../read/entry.ts'
import { InvalidParametersError } from '../errors.ts'
import { mapOrdered } from '../util/map-ordered.ts'
import { isMarked, mark, TREE_CODE } from '../marker.ts'
import { openToRead, reportUnchecked } from '../read/read-linked.ts'
import type { GetBlockOptions } from '../dag/block.ts'
import type { DirectoryLink } from '../directory/directory.ts'
import type { RootSource } from '../read/path.ts'
import type { Description } from '../read/describe.ts'
import type { DirectoryEntry, LsOptions } from '../unixfs.ts'
import type { ReadSettings } from '../read/read-settings.ts'
import type { CID } from 'multiformats/cid'

export async function * ls (cid: CID, settings: ReadSettings, options: LsOptions = {}): AsyncGenerator<DirectoryEntry> {
  const { offset = 0, length = Number.POSITIVE_INFINITY, ...rest } = options
  checkRange(offset, length)

  const entry = await openToRead(cid, settings, rest)
  reportUnchecked(entry, rest)

  const marked = isMarked(entry.asked)
  const description = describe(entry)
  const read = marked ? readCid(description) : entry.cid

  if (entry.node?.unixfs.isDirectory() !== true) {
    // as in Helia, the name of a file is its CID
    yield { ...description, cid: read, name: read.toString(), path: read.toString() }
    return
  }

  options.onProgress?.(new CustomProgressEvent(isSharded(entry.node)
    ? 'unixfs:exporter:walk:hamt-sharded-directory'
    : 'unixfs:exporter:walk:directory', { cid: entry.cid }))

  const links = slice(listDirectory(entry.node, settings.blockstore, rest), offset, offset + length)

  yield * mapOrdered(links, async (link): Promise<DirectoryEntry> => ({
    ...await describeLink(link, marked, settings, rest),
    name: link.name,
    path: `${read}/${link.name}`
  }), { concurrency: DEFAULT_BLOCK_READ_CONCURRENCY, signal: options.signal })
}

/**
 * Describe what a directory links to, as `ls` does: from its root block. If that is missing, only with the fields of
 * Helia.
 *
 * @param marked - whether the directory was reached by a tree CID
 */
export async function describeLink (
  { cid, size }: Pick<DirectoryLink, 'cid' | 'size'>,
  marked: boolean,
  settings: RootSource,
  options: GetBlockOptions
): Promise<Omit<DirectoryEntry, 'name' | 'path'>> {
  const fromLink = { cid, plainCid: cid, size: BigInt(size) }

  if (cid.code === raw.code && size > 0) {
    // a raw block is a file of the size that its parent states
    const storedSize = isIdentity(cid) ? 0n : fromLink.size

    return { ...fromLink, type: 'raw', storedSize, ratio: ratioOf(storedSize, fromLink.size), codec: 'none', frames: 0 }
  }

  if (cid.code !== raw.code && cid.code !== dagPb.code) {
    return fromLink
  }

  try {
    const marker = marked ? 'in-tree' : 'plain'
    const description = describe(await openRoot(cid, marker, settings, options))

    return {
      ...description,
      cid: marked ? readCid(description) : cid,
      ...description.type === 'directory' ? { size: fromLink.size } : {}
    }
  } catch (err) {
    if (isMissing(err)) {
      return fromLink
    }

    throw err
  }
}

/** The CID that reads an entry in a tree decompressed. */
function readCid ({ type, plainCid, markedCid }: Description): CID {
  return type === 'directory' ? mark(plainCid, TREE_CODE) : markedCid ?? plainCid
}

async function * slice<T> (source: AsyncIterable<T>, start: number, end: number): AsyncGenerator<T> {
  let index = 0

  if (start >= end) {
    return
  }

  for await (const value of source) {
    if (index >= start) {
      yield value
    }

    // stop here, without fetching the next entry
    if (++index >= end) {
      return
    }
  }
}

function checkRange (offset: number, length: number): void {
  for (const [name, number] of Object.entries({ offset, length })) {
    if (number !== Number.POSITIVE_INFINITY && (!Number.isInteger(number) || number < 0)) {
      throw new InvalidParametersError(`The ${name} of a listing must be a whole number from 0, not ${number}`)
    }
  }
}
