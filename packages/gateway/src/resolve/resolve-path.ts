import { InvalidDagError, isMarked, mark, TREE_CODE, unmark } from '@ipfsz/core/reader'
import * as dagPb from '@ipld/dag-pb'
import * as raw from 'multiformats/codecs/raw'
import { PathLimit } from '../dag/path-limit.ts'
import { blockReader } from '../dag/read-block.ts'
import { EntryNotFoundError } from '../errors.ts'
import { MAX_PATH_NAMES } from '../request/url-path.ts'
import { OpenedFile } from './opened-file.ts'
import { resolveRoot } from './resolve-root.ts'
import type { GatewayComponents } from '../contract.ts'
import type { DocumentLink } from '../dag/document.ts'
import type { Target } from '../request/target.ts'
import type { Resolved } from './resolved.ts'
import type { ContentRoot } from './resolve-root.ts'
import type { FileHandle, Stats } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** Errors of a root that is not UnixFS, by name: of the exporter, of core, and of codecs that nobody knows. */
const NOT_UNIXFS = new Set(['NotUnixFSError', 'NotAFileError', 'NoResolverError'])

/** Maximum CIDs that a path leads through. */
const MAX_ROOTS = 2 * MAX_PATH_NAMES

/** Follows paths through documents with links, DAG-CBOR and DAG-JSON. It brings their decoders. */
export interface DocumentPaths {
  /** Whether a codec is one of these documents. */
  isDocument (cid: CID): boolean
  /** The first link on the path that some names are in a document. */
  followDocument (cid: CID, block: Uint8Array, names: readonly string[], limit: PathLimit): Promise<DocumentLink>
}

/** What paths are resolved with. */
export interface PathComponents extends GatewayComponents {
  /** @default paths end at documents */
  documents?: DocumentPaths | undefined
  /** @default one for each path */
  limit?: PathLimit | undefined
}

/** Where a path has led so far. */
interface Position {
  /** Marked where the entry is read as its original bytes. */
  cid: CID
  /** Absent for what is not UnixFS, and for what was not opened yet. */
  handle?: FileHandle | undefined
}

/**
 * Resolve a target to the CID that it names: its root, then name by name, through directories and
 * through the links of DAG-CBOR and DAG-JSON documents.
 *
 * @param root - what `resolveRoot` returned for the target, if it was called before
 * @throws {EntryNotFoundError} a name is not there, or its parent is a file
 * @throws {NamesUnavailableError} a name is to be resolved, and there is no resolver
 * @throws {NameNotFoundError}
 * @throws {NotContentPathError} the host has no DNSLink
 * @throws {PathInDocumentError}
 * @throws {PathTooCostlyError} the blocks on the path are too many, or too large
 * @throws {PathTooSlowError} following the path takes too long
 * @throws {InvalidDagError} a document cannot be decoded
 * @throws {NotFoundError} a block on the path is missing
 */
export async function resolvePath (
  target: Target,
  components: PathComponents,
  signal: AbortSignal,
  root?: ContentRoot
): Promise<Resolved> {
  const { cid, path, ttl } = root ?? await resolveRoot(target, components, signal)
  const names = [...path, ...target.path]

  return {
    ...await followNames(cid, names, { components, signal, limit: components.limit ?? new PathLimit() }),
    names,
    ...ttl == null ? {} : { ttl }
  }
}

interface Walk {
  components: PathComponents
  signal: AbortSignal
  limit: PathLimit
}

async function followNames (root: CID, names: string[], walk: Walk): Promise<Omit<Resolved, 'names' | 'ttl'>> {
  const roots = [unmark(root)]
  const { blocks, documents } = walk.components
  let position: Position = { cid: root }
  let i = 0

  while (i < names.length) {
    await walk.limit.pause(position.cid)
    walk.signal.throwIfAborted()

    if (documents?.isDocument(position.cid) === true) {
      const block = await blockReader(blocks, walk.signal, walk.limit)(position.cid)
      const link = await documents.followDocument(position.cid, block, names.slice(i), walk.limit)
      position = { cid: link.cid }
      i += link.used
    } else {
      // only the root may be linked to a compressed tree, whose entries are marked
      position = await followName(position, names[i], i === 0, walk)
      i++
    }

    // a document that is itself a link takes no name
    if (roots.push(unmark(position.cid)) > MAX_ROOTS) {
      throw new InvalidDagError(position.cid, 'is reached through too many links')
    }
  }

  const { cid } = position
  const handle = position.handle ?? await open(cid, walk)

  return { cid, ...handle == null ? {} : described(cid, handle, walk), roots }
}

/** What a response needs of an entry. It keeps no directory open: that is listed by its CID. */
function described (
  cid: CID,
  handle: FileHandle,
  { components: { fs } }: Walk
): Pick<Required<Resolved>, 'stats'> & Pick<Resolved, 'file'> {
  const { stats } = handle

  return {
    stats: withoutContent(stats),
    ...stats.type === 'directory' ? {} : { file: new OpenedFile(cid, fs, handle) }
  }
}

/** The statistics of an entry without the content of its root, and the list of what is below: a response keeps them. */
function withoutContent (stats: Stats): Stats {
  const { unixfs } = stats

  if (unixfs == null || unixfs.type === 'symlink') {
    return stats
  }

  const kept = Object.assign(Object.create(Object.getPrototypeOf(unixfs) as object) as typeof unixfs, unixfs, {
    blockSizes: [],
    data: undefined
  })

  return { ...stats, unixfs: kept }
}

async function followName ({ cid }: Position, name: string, isRoot: boolean, walk: Walk): Promise<Position> {

  if (!isUnixFs(cid)) {
    throw new EntryNotFoundError(name, cid)
  }

  const inTree = isMarked(cid) || (isRoot && (await open(cid, walk))?.stats.markedCid?.code === TREE_CODE)

  try {
    const handle = await openAt(cid, name, walk)
    const { stats } = handle

    return { cid: inTree ? readCid(stats) : stats.plainCid, handle }
  } catch (err) {
    walk.signal.throwIfAborted()

    if (isNoEntry(err)) {
      throw new EntryNotFoundError(name, cid, { cause: err })
    }

    if (!isNotUnixFs(err)) {
      throw err
    }
  }

  return { cid: await findLink(cid, name, walk) }
}

/** The CID of an entry that is not UnixFS, which `stat` does not return. */
async function findLink (cid: CID, name: string, { components: { fs }, signal, limit }: Walk): Promise<CID> {
  try {
    for await (const entry of fs.ls(cid, { ...limited(limit), signal })) {
      if (entry.name === name) {
        return entry.cid
      }
    }
  } catch (err) {
    // the parent is not UnixFS either
    throw isNotUnixFs(err) ? new EntryNotFoundError(name, cid, { cause: err }) : err
  }

  throw new EntryNotFoundError(name, cid)
}

/** Core knows the option, though its types do not say so. */
function limited (limit: PathLimit): object {
  return { limit }
}

async function openAt (cid: CID, path: string, { components: { fs }, signal, limit }: Walk): Promise<FileHandle> {
  return fs.open(cid, { ...limited(limit), path, signal })
}

async function open (cid: CID, walk: Walk): Promise<FileHandle | undefined> {
  if (!isUnixFs(cid)) {
    return undefined
  }

  try {
    return await openAt(cid, '', walk)
  } catch (err) {
    if (isNotUnixFs(err)) {
      return undefined
    }

    throw err
  }
}

function readCid ({ type, plainCid, markedCid }: Stats): CID {
  return type === 'directory' ? mark(plainCid, TREE_CODE) : markedCid ?? plainCid
}

function isUnixFs (cid: CID): boolean {
  return cid.code === dagPb.code || cid.code === raw.code || isMarked(cid)
}

/** Whether an entry is missing. A missing block has an error of the same name, which says the block's CID. */
function isNoEntry (err: unknown): boolean {
  return err instanceof Error &&
    (err.name === 'NotADirectoryError' || (err.name === 'NotFoundError' && !('cid' in err)))
}

function isNotUnixFs (err: unknown): boolean {
  return err instanceof Error && NOT_UNIXFS.has(err.name)
}
