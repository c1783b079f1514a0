import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describeLink, isMarked, mark, TREE_CODE } from '@ipfsz/core'
import { quoteName } from '@ipfsz/utils/quote-name'
import { isEntryName } from '../disk/entry-name.ts'
import { metadataOf, restoreDirectory } from '../disk/restore-metadata.ts'
import { withShownPath } from '../disk/target-errors.ts'
import { writeNew } from '../disk/write-file.ts'
import { checkSymlink, linkOf, writeSymlink } from '../disk/write-symlink.ts'
import { TreeEntryError } from '../errors.ts'
import { reportBytes } from '../repo/report-reads.ts'
import { ClaimedBytes } from './claimed-bytes.ts'
import { InTurns } from './in-turns.ts'
import { listLinks } from '../dag/list-links.ts'
import { sizeOf } from './small-files.ts'
import type { HeldDirectory } from '../disk/held-directory.ts'
import type { Metadata } from '../disk/restore-metadata.ts'
import type { WriteLimits, WriteTotals } from '../disk/write-limits.ts'
import type { StepProgress } from '../events.ts'
import type { SmallFiles } from './small-files.ts'
import type { FoundDirectory, TreeEntry, TreeVisitor } from './walk-tree.ts'
import type { BlocksBelow, DirectoryLink, Ipfsz } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** How many files are written at a time by this thread, and how many bytes they have. */
const CONCURRENCY = 8
const MAX_BYTES = 4 * 1024 * 1024

/** What was written. */
export interface TreeCounts {
  files: number
  directories: number
  symlinks: number
  size: number
}

export interface TreeWriterInit {
  files: Pick<Ipfsz, 'blocks' | 'cat' | 'stat'>
  small: Pick<SmallFiles, 'run'>
  /** Counts bytes of blocks, as links claim them. */
  progress: Pick<StepProgress, 'add' | 'end'>
  limits: WriteLimits
  /** Called before more is written, with what there will be then, as far as that is known. */
  beforeMore: (totals: WriteTotals) => Promise<void>
  /** Whether symlinks may lead out of the tree. */
  allowSymlinks: boolean
  signal: AbortSignal
}

/** A directory that is being written. */
export interface WrittenDirectory {
  held: HeldDirectory
  name: string
  cid: CID
  metadata: Metadata
  /** Undefined: it is the root of the tree. */
  parent: WrittenDirectory | undefined
  /** Whether there are symlinks in it, which are written when everything else in it is. */
  hasSymlinks: boolean
}

type Entry = TreeEntry<WrittenDirectory>
type Described = Awaited<ReturnType<typeof describeLink>>

/**
 * Writes the entries of a new directory, and of those below it: small files in worker threads, the others here. In each
 * directory symlinks come last.
 */
export class TreeWriter implements TreeVisitor<WrittenDirectory> {
  readonly counts: TreeCounts = { files: 0, directories: 0, symlinks: 0, size: 0 }
  readonly #root: HeldDirectory
  readonly #init: TreeWriterInit
  readonly #isMarked: boolean
  readonly #blocks: ReturnType<Ipfsz['blocks']>
  readonly #turns = new InTurns(CONCURRENCY, MAX_BYTES)
  readonly #claimed: ClaimedBytes
  /** The directories below the root that are not complete. */
  readonly #held = new Set<HeldDirectory>()

  /**
   * @param root - where to write the tree
   * @param cid - of the tree, marked if its files are to be read decompressed
   */
  constructor (root: HeldDirectory, cid: CID, init: TreeWriterInit) {
    this.#root = root
    this.#init = init
    this.#isMarked = isMarked(cid)
    this.#blocks = init.files.blocks(cid, { signal: init.signal })
    this.#claimed = new ClaimedBytes(init.progress.add)
  }

  async enter (
    { cid, metadata }: FoundDirectory,
    name: string,
    parent: WrittenDirectory | undefined
  ): Promise<WrittenDirectory> {
    this.#count('directories')
    const held = parent == null ? this.#root : await this.#shown(parent, async () => this.#make(parent.held, name))

    return { held, name, cid, metadata, parent, hasSymlinks: false }
  }

  list (directory: WrittenDirectory): AsyncGenerator<DirectoryLink> {
    return this.#list(directory, bytes => { this.#claimed.add(bytes) })
  }

  async visit (entries: readonly Entry[]): Promise<Array<FoundDirectory | undefined>> {
    const { small, beforeMore } = this.#init
    const pathOf = ({ directory, name }: Entry): string => `${directory.held.path}/${name}`
    await beforeMore(this.#totals)
    const results = await small.run('write', entries, this.#isMarked, pathOf)
    const found: Array<FoundDirectory | undefined> = []
    const left: number[] = []
    let bytes = 0

    for (const [i, result] of results.entries()) {
      const { directory, size } = entries[i]

      if (result.type === 'directory') {
        found[i] = result.found
      } else if (result.type === 'symlink') {
        directory.hasSymlinks = true
        bytes += size
      } else if (result.type === 'file') {
        this.counts.size += result.size
        this.#count('files')
        bytes += size
      } else {
        left.push(i)
      }
    }

    this.#claimed.add(bytes)
    await this.#turns.each(left, i => sizeOf(entries[i], results[i]), async i => {
      found[i] = await this.#visitOne(entries[i])
    })

    return found
  }

  async leave (directory: WrittenDirectory): Promise<void> {
    const { held, metadata, parent, hasSymlinks } = directory

    if (hasSymlinks) {
      await this.#shown(directory, async () => this.#writeSymlinks(directory))
    }

    if (parent != null) {
      // set only now: the mode may forbid writing
      await this.#shown(parent, async () => restoreDirectory(held, metadata))
      this.#held.delete(held)
      await held.close()
    }
  }

  /** Close what is not complete, after a failure. */
  async close (): Promise<void> {
    await Promise.all(Array.from(this.#held, async held => held.close()))
  }

  async #make (parent: HeldDirectory, name: string): Promise<HeldDirectory> {
    await mkdir(`${parent.path}/${name}`, { mode: 0o700 })
    const held = await parent.enter(name)
    this.#held.add(held)

    return held
  }

  /** Write a file, unless the entry is something else. */
  async #visitOne (entry: Entry): Promise<FoundDirectory | undefined> {
    const { directory, name } = entry
    const described = await this.#describe(entry)
    const { type, unixfs, plainCid: cid } = described

    if (type === 'directory') {
      return { cid, metadata: metadataOf(described) }
    }

    if (unixfs?.type === 'symlink') {
      directory.hasSymlinks = true
      this.#claimed.add(entry.size)
    } else {
      const path = `${directory.held.path}/${name}`
      await this.#shown(directory, async () => this.#claimed.during(entry.size, async () =>
        this.#writeFile(path, described, entry.size)))
    }

    return undefined
  }

  async #describe ({ directory, ...link }: Entry): Promise<Described> {
    const { signal } = this.#init
    const described = await describeLink(link, this.#isMarked, { blockstore: this.#blocks }, { signal })

    if (described.type == null) {
      const path = join(directory.held.shown, link.name)

      throw new TreeEntryError(path, `its block ${described.plainCid} is not in this repo, or is not UnixFS`)
    }

    return described
  }

  /** @param claim - bytes of its blocks, as its directory says */
  async #writeFile (path: string, entry: Described, claim: number): Promise<void> {
    const { files, beforeMore, signal } = this.#init
    const size = entry.sizeKnown === false ? 0 : Number(entry.size)
    const { size: before, entries } = this.#totals

    await beforeMore({ size: before + size, entries })
    this.#count('files')
    await writeNew(path, files.cat(entry.cid, { signal, transient: true }), metadataOf(entry), bytes => {
      this.counts.size += bytes
      this.#claimed.read(size === 0 ? bytes : bytes / size * claim)
      this.#checkLimits()
    })
  }

  async * #list (
    { held: { shown }, cid }: WrittenDirectory,
    onBytes: (bytes: number) => void = () => {}
  ): AsyncGenerator<DirectoryLink> {
    const blocks: Pick<BlocksBelow, 'get'> = {
      get: (cid, options) => reportBytes(this.#blocks.get(cid, options), onBytes)
    }

    for await (const link of listLinks(cid, blocks, this.#init.signal)) {
      checkName(shown, link.name)
      yield link
    }
  }

  /** The directory is listed again: there may be millions of symlinks, which nobody remembers. */
  async #writeSymlinks (directory: WrittenDirectory): Promise<void> {
    for await (const link of this.#list(directory)) {
      const entry = await this.#describe({ ...link, directory })

      if (entry.unixfs?.type === 'symlink') {
        const path = join(directory.held.shown, link.name)
        const target = linkOf(path, entry.unixfs)
        await this.#checkSymlink(path, target, directory)
        this.#count('symlinks')
        await writeSymlink(`${directory.held.path}/${link.name}`, target, metadataOf(entry))
      }
    }
  }

  async #checkSymlink (path: string, link: Uint8Array, directory: WrittenDirectory): Promise<void> {
    const { allowSymlinks, signal } = this.#init

    if (!allowSymlinks) {
      const directories = pathTo(directory)
      const names = directories.slice(1).map(({ name }) => name)
      await checkSymlink(path, link, names, async names => this.#isDirectory(names, directories))
    }

    signal.throwIfAborted()
  }

  /**
   * Whether the tree has a directory at a path.
   *
   * @param known - directories of the tree, each in the one before it: the path is resolved from the deepest on it
   */
  async #isDirectory (names: readonly string[], known: readonly WrittenDirectory[]): Promise<boolean> {
    const { files, signal } = this.#init
    let depth = 0

    while (depth < names.length && known[depth + 1]?.name === names[depth]) {
      depth++
    }

    const { cid } = known[depth]
    const from = this.#isMarked ? mark(cid, TREE_CODE) : cid

    return files.stat(from, { path: names.slice(depth).join('/'), signal })
      .then(({ type }) => type === 'directory', () => false)
  }

  #count (what: 'files' | 'directories' | 'symlinks'): void {
    this.counts[what]++
    this.#checkLimits()
  }

  /** Checked again while writing: the sizes that blocks claimed before may be false. */
  #checkLimits (): void {
    this.#init.limits.check(this.#totals)
  }

  get #totals (): WriteTotals {
    const { files, directories, symlinks, size } = this.counts

    return { size, entries: files + directories + symlinks }
  }

  /** Do something in a directory. Its errors name the paths that the user knows. */
  async #shown<T> ({ held }: WrittenDirectory, work: () => Promise<T>): Promise<T> {
    return work().catch((err: unknown) => { throw withShownPath(err, held) })
  }
}

/** The directories from the root of the tree to a directory, including both. */
function pathTo (directory: WrittenDirectory): WrittenDirectory[] {
  const path: WrittenDirectory[] = []

  for (let at: WrittenDirectory | undefined = directory; at != null; at = at.parent) {
    path.push(at)
  }

  return path.toReversed()
}

/** Refuse the names that @ipfsz/core refuses, and those that are something else for this system. */
function checkName (directory: string, name: string): void {
  if (!isEntryName(name)) {
    throw new TreeEntryError(
      join(directory, 'entry'),
      `its name ${quoteName(name)} does not name an entry of the directory on this system`
    )
  }
}
