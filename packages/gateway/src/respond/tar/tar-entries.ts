import { decodeNode, InvalidDagError, isMarked, mark, TREE_CODE, unmark } from '@ipfsz/core'
import { quoteName } from '@ipfsz/utils/quote-name'
import { blockReader } from '../../dag/read-block.ts'
import { MAX_OPEN_SIZE } from '../../car/walk.ts'
import type { GatewayComponents } from '../../contract.ts'
import type { DirectoryEntry, Stats } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** The most directories inside each other: each holds the list of its entries. */
const MAX_TAR_DEPTH = 128

/** How many times the bytes of an open directory are held: its block, and its names. */
const NAMED_TWICE = 2

/** Without setuid, setgid and sticky bits: if root extracts the archive, other people's programs would run as root. */
const PERMISSIONS = 0o777

/** An entry of an archive. */
export interface TarEntry {
  /** With the directories that it is in. */
  path: string[]
  type: 'file' | 'directory' | 'symlink'
  /** The CID that reads a file's original bytes. */
  cid: CID
  /** Original bytes of a file. */
  size: number
  /** Whether reading it decompresses. */
  compressed: boolean
  /** Permissions alone. */
  mode?: number | undefined
  mtime?: DirectoryEntry['mtime']
  /** What a symlink points to. */
  target?: string
}

/** What is known of a file or directory before it is read. */
type Described = Pick<DirectoryEntry, 'cid' | 'size' | 'type' | 'unixfs' | 'codec' | 'mtime'>

type Components = Pick<GatewayComponents, 'fs' | 'blocks'>

/** What an archive has so far. */
interface Progress {
  /** Since a symlink could lead out of the archive, names with `..` are refused after the first. */
  symlinks: boolean
  /** Bytes of the directories above the current entry. */
  open: number
  /** Counts them. */
  hold: (bytes: number) => void
}

/**
 * The files, directories and symlinks of a tree, each directory before what is in it. Nothing is
 * yielded of a directory whose names are invalid. Names that lead elsewhere in the tree, `../file`,
 * are followed, as other gateways do; those that lead out of it are refused.
 *
 * @param hold - called with the bytes of the directories that are open: 0 at the end
 * @throws {InvalidDagError} a name is invalid, or leads out of the tree; the tree is too deep, or its open directories
 *   are too large
 * @throws {NotFoundError} a block is missing
 */
export async function * tarEntries (
  name: string,
  stats: Stats & { cid: CID },
  components: Components,
  signal: AbortSignal,
  hold: (bytes: number) => void = () => {}
): AsyncGenerator<TarEntry> {
  try {
    yield * entriesOf([checkName(stats.cid, name)], stats, components, signal, { symlinks: false, open: 0, hold })
  } finally {
    hold(0)
  }
}

async function * entriesOf (
  path: string[],
  described: Described,
  components: Components,
  signal: AbortSignal,
  progress: Progress
): AsyncGenerator<TarEntry> {
  const { cid, type, unixfs, codec, mtime } = described
  const common = { path, cid, mode: unixfs?.mode == null ? undefined : unixfs.mode & PERMISSIONS, mtime }

  if (type !== 'directory') {
    const isSymlink = unixfs?.type === 'symlink'
    progress.symlinks ||= isSymlink

    yield isSymlink
      ? { ...common, type: 'symlink', size: 0, compressed: false, target: targetOf(described) }
      : { ...common, type: 'file', size: Number(described.size), compressed: codec != null && codec !== 'none' }

    return
  }

  if (path.length > MAX_TAR_DEPTH) {
    throw new InvalidDagError(cid, `is more than ${MAX_TAR_DEPTH} directories deep`)
  }

  const children = childrenOf(path, cid, components, signal, progress)
  // the names of the directory are checked before anything is written of it
  let next = await children.next()
  const { byteLength } = await blockReader(components.blocks, signal)(unmark(cid))

  yield { ...common, type: 'directory', size: 0, compressed: false }

  try {
    enter(cid, byteLength, progress)

    while (next.done !== true) {
      yield * entriesOf(next.value.path, next.value.described, components, signal, progress)
      next = await children.next()
    }
  } finally {
    enter(cid, -byteLength, progress)
    await children.return(undefined)
  }
}

/**
 * Count the directory, or its shard at the top. Its names are remembered as well, as they must not occur twice.
 *
 * @param change - its bytes, negative when it is left
 * @throws {InvalidDagError}
 */
function enter (cid: CID, change: number, progress: Progress): void {
  progress.open += change * NAMED_TWICE
  progress.hold(progress.open)

  if (change > 0 && progress.open > MAX_OPEN_SIZE) {
    throw new InvalidDagError(cid, `is too deep: the directories above it exceed the limit of ${MAX_OPEN_SIZE} bytes`)
  }
}

interface Child {
  path: string[]
  described: Described
}

async function * childrenOf (
  path: string[],
  cid: CID,
  components: Components,
  signal: AbortSignal,
  progress: Progress
): AsyncGenerator<Child> {
  let any = false

  try {
    for await (const entry of components.fs.ls(cid, { signal })) {
      any = true

      // the size of a raw block is a statement of its parent, and of an entry without a type the block is missing
      const known = entry.type === 'file' || entry.type === 'directory'

      yield {
        path: [...path, checkName(cid, entry.name)],
        described: known ? entry : await stat(entry.cid, components, signal)
      }
    }
  } catch (err) {
    if (any || !(err instanceof Error && err.name === 'InvalidDagError')) {
      throw err
    }

    yield * climbingChildren(path, cid, components, signal, progress, err)
  }
}

/**
 * The entries of a plain directory in which some names begin with `../`. They end in a directory
 * above, whose own entry is already written: so no other entry can have made a symlink of it.
 */
async function * climbingChildren (
  path: string[],
  cid: CID,
  components: Components,
  signal: AbortSignal,
  progress: Progress,
  cause: Error
): AsyncGenerator<Child> {
  const node = decodeNode(cid, await blockReader(components.blocks, signal)(unmark(cid)))
  const seen = new Set<string>()
  const paths: string[][] = []

  for (const { Name: name = '' } of node.links) {
    const [, climb, last] = /^((?:\.\.\/)*)([^/]*)$/.exec(name) ?? []
    const up = (climb ?? '').length / 3

    // the first name is that of the archive's root
    if (last == null || up >= path.length || seen.has(name) || node.unixfs.type !== 'directory') {
      const reason = `has a name that points outside the archive, or occurs twice: ${quoteName(name)}`
      throw new InvalidDagError(cid, reason, { cause })
    }

    seen.add(name)
    paths.push([...path.slice(0, path.length - up), checkName(cid, last)])
  }

  for (const [i, child] of paths.entries()) {
    const { Hash } = node.links.at(i)
    const { markedCid, ...stats } = await components.fs.stat(Hash, { signal })
    const read = stats.type === 'directory' ? mark(unmark(Hash), TREE_CODE) : markedCid ?? Hash
    const described = isMarked(cid) ? await stat(read, components, signal) : { ...stats, cid: Hash }

    if (child.length <= path.length && (progress.symlinks || described.unixfs?.type === 'symlink')) {
      throw new InvalidDagError(cid, 'has an entry outside of its directory, and the archive has symlinks', { cause })
    }

    yield { path: child, described }
  }
}

async function stat (cid: CID, { fs }: Components, signal: AbortSignal): Promise<Described> {
  return { ...await fs.stat(cid, { signal }), cid }
}

function targetOf ({ cid, unixfs }: Described): string {
  const target = new TextDecoder().decode(unixfs?.data)

  if (target === '' || target.includes('\0')) {
    throw new InvalidDagError(cid, 'is a symlink without a valid target')
  }

  return target
}

/** A name that stays in its directory, wherever the archive is extracted. */
function checkName (cid: CID, name: string): string {
  if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name)) {
    throw new InvalidDagError(cid, `has an entry with the invalid name ${quoteName(name)}`)
  }

  return name
}
