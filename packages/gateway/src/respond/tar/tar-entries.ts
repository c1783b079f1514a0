import { InvalidDagError, isMarked, mark, TREE_CODE, unmark } from '@ipfsz/core'
import { decodeNode } from '@ipfsz/core/nodes'
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

export interface TarOptions {
  signal: AbortSignal
  /**
   * Called with the bytes of the directories that are open: 0 at the end.
   *
   * @default they are not counted
   */
  hold? (bytes: number): void
}

/**
 * The files, directories and symlinks of a tree, each directory before what is in it. Nothing is
 * yielded of a directory whose names are invalid. Names that lead elsewhere in the tree, `../file`,
 * are followed, as other gateways do; those that lead out of it are refused.
 *
 * @throws {InvalidDagError} a name is invalid, or leads out of the tree; the tree is too deep, or its open directories
 *   are too large
 * @throws {NotFoundError} a block is missing
 */
export async function * tarEntries (
  name: string,
  stats: Stats & { cid: CID },
  components: Components,
  options: TarOptions
): AsyncGenerator<TarEntry> {
  try {
    yield * new TarWalk(components, options).entries([checkName(stats.cid, name)], stats)
  } finally {
    options.hold?.(0)
  }
}

interface Child {
  path: string[]
  described: Described
}

/** The walk through the tree of one archive. */
class TarWalk {
  readonly #components: Components
  readonly #options: TarOptions
  /** Since a symlink could lead out of the archive, names with `..` are refused after the first. */
  #symlinks = false
  /** Bytes of the directories above the current entry. */
  #open = 0

  constructor (components: Components, options: TarOptions) {
    this.#components = components
    this.#options = options
  }

  async * entries (path: string[], described: Described): AsyncGenerator<TarEntry> {
    const { cid, type, unixfs, codec, mtime } = described
    const common = { path, cid, mode: unixfs?.mode == null ? undefined : unixfs.mode & PERMISSIONS, mtime }

    if (type !== 'directory') {
      const isSymlink = unixfs?.type === 'symlink'
      this.#symlinks ||= isSymlink

      yield isSymlink
        ? { ...common, type: 'symlink', size: 0, compressed: false, target: targetOf(described) }
        : { ...common, type: 'file', size: Number(described.size), compressed: codec != null && codec !== 'none' }

      return
    }

    if (path.length > MAX_TAR_DEPTH) {
      throw new InvalidDagError(cid, `is more than ${MAX_TAR_DEPTH} directories deep`)
    }

    const children = this.#children(path, cid)
    // the names of the directory are checked before anything is written of it
    let next = await children.next()
    const { byteLength } = await this.#block(cid)

    yield { ...common, type: 'directory', size: 0, compressed: false }

    try {
      this.#enter(cid, byteLength)

      while (next.done !== true) {
        yield * this.entries(next.value.path, next.value.described)
        next = await children.next()
      }
    } finally {
      this.#enter(cid, -byteLength)
      await children.return(undefined)
    }
  }

  /**
   * Count the directory, or its shard at the top. Its names are remembered as well, as they must not occur twice.
   *
   * @param change - its bytes, negative when it is left
   * @throws {InvalidDagError}
   */
  #enter (cid: CID, change: number): void {
    this.#open += change * NAMED_TWICE
    this.#options.hold?.(this.#open)

    if (change > 0 && this.#open > MAX_OPEN_SIZE) {
      throw new InvalidDagError(cid, `is too deep: the directories above it exceed the limit of ${MAX_OPEN_SIZE} bytes`)
    }
  }

  async * #children (path: string[], cid: CID): AsyncGenerator<Child> {
    let any = false

    try {
      for await (const entry of this.#components.fs.ls(cid, { signal: this.#options.signal })) {
        any = true

        // the size of a raw block is a statement of its parent, and of an entry without a type the block is missing
        const known = entry.type === 'file' || entry.type === 'directory'

        yield {
          path: [...path, checkName(cid, entry.name)],
          described: known ? entry : await this.#stat(entry.cid)
        }
      }
    } catch (err) {
      if (any || !(err instanceof Error && err.name === 'InvalidDagError')) {
        throw err
      }

      yield * this.#climbingChildren(path, cid, err)
    }
  }

  /**
   * The entries of a plain directory in which some names begin with `../`. They end in a directory
   * above, whose own entry is already written: so no other entry can have made a symlink of it.
   */
  async * #climbingChildren (path: string[], cid: CID, cause: Error): AsyncGenerator<Child> {
    const node = decodeNode(cid, await this.#block(cid))
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
      const { markedCid, ...stats } = await this.#components.fs.stat(Hash, { signal: this.#options.signal })
      const read = stats.type === 'directory' ? mark(unmark(Hash), TREE_CODE) : markedCid ?? Hash
      const described = isMarked(cid) ? await this.#stat(read) : { ...stats, cid: Hash }

      if (child.length <= path.length && (this.#symlinks || described.unixfs?.type === 'symlink')) {
        throw new InvalidDagError(cid, 'has an entry outside of its directory, and the archive has symlinks', { cause })
      }

      yield { path: child, described }
    }
  }

  async #stat (cid: CID): Promise<Described> {
    const { signal } = this.#options

    return { ...await this.#components.fs.stat(cid, { signal }), cid }
  }

  async #block (cid: CID): Promise<Uint8Array> {
    return blockReader(this.#components.blocks, this.#options.signal)(unmark(cid))
  }
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
