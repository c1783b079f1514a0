import { LruMap } from '@ipfsz/utils/lru-map'
import { describeLink, isMarked, unmark } from '@ipfsz/core'
import { TreeEntryError } from '../errors.ts'
import { metadataOf } from '../disk/restore-metadata.ts'
import { InTurns } from './in-turns.ts'
import { listLinks } from '../dag/list-links.ts'
import { walkTree } from './walk-tree.ts'
import type { Progress } from '../disk/progress.ts'
import type { WriteLimits, WriteTotals } from '../disk/write-limits.ts'
import type { SmallFiles } from './small-files.ts'
import type { FoundDirectory, TreeEntry, TreeVisitor, WalkTreeOptions } from './walk-tree.ts'
import type { DirectoryLink, Ipfsz } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** How many measured directories are remembered, so that one that occurs several times is read once. */
const MAX_REMEMBERED = 16_384
/** Maximum number of nested directories. No system has paths for more: on Linux, a path has at most 4,096 bytes. */
const MAX_DEPTH = 4096
/** How many roots are read at a time by this thread. */
const CONCURRENCY = 8

export interface MeasureOptions extends WalkTreeOptions {
  files: Pick<Ipfsz, 'blocks'>
  small: Pick<SmallFiles, 'run'>
  limits: WriteLimits
  progress: Progress
}

/**
 * Measure how large a tree will be on disk, by the sizes that its blocks claim.
 *
 * A directory that occurs several times counts each time, and the last 16,384 measured directories are not read again:
 * otherwise a few blocks that link to each other would take forever. If a tree has more different directories than
 * that, the limits end the measuring, as everything read counts.
 *
 * @param path - the tree's name in errors
 * @throws {OutputTooLargeError} it is larger than the limits allow
 * @throws {TreeEntryError} its directories are nested too deep
 */
export async function measureTree (path: string, root: CID, options: MeasureOptions): Promise<WriteTotals> {
  const measurer = new TreeMeasurer(path, root, options)
  await walkTree({ cid: unmark(root), metadata: {} }, measurer, options).finally(() => { options.progress.end() })

  return measurer.totals
}

interface MeasuredDirectory {
  cid: CID
  key: string
  depth: number
  parent: MeasuredDirectory | undefined
  /** What is below it. */
  totals: WriteTotals
}

class TreeMeasurer implements TreeVisitor<MeasuredDirectory> {
  readonly totals: WriteTotals = { size: 0, entries: 1 }
  readonly #path: string
  readonly #options: MeasureOptions
  readonly #isMarked: boolean
  readonly #blocks: ReturnType<Ipfsz['blocks']>
  readonly #measured = new LruMap<string, WriteTotals>({ maxEntries: MAX_REMEMBERED })
  readonly #turns = new InTurns(CONCURRENCY)

  constructor (path: string, root: CID, options: MeasureOptions) {
    this.#path = path
    this.#options = options
    this.#isMarked = isMarked(root)
    this.#blocks = options.files.blocks(root, options)
    options.limits.check(this.totals)
  }

  async enter (
    { cid }: FoundDirectory,
    _name: string,
    parent: MeasuredDirectory | undefined
  ): Promise<MeasuredDirectory | undefined> {
    const depth = (parent?.depth ?? 0) + 1
    const key = cid.toString()
    const known = this.#measured.get(key)

    if (known != null) {
      this.#add(known, parent)
      return undefined
    }

    if (depth > MAX_DEPTH) {
      throw new TreeEntryError(this.#path, `is nested more than ${MAX_DEPTH} directories deep`)
    }

    return { cid, key, depth, parent, totals: { size: 0, entries: 0 } }
  }

  list ({ cid }: MeasuredDirectory): AsyncIterable<DirectoryLink> {
    return listLinks(cid, this.#blocks, this.#options.signal)
  }

  async visit (entries: ReadonlyArray<TreeEntry<MeasuredDirectory>>): Promise<Array<FoundDirectory | undefined>> {
    const { small, progress } = this.#options
    const results = await small.run('measure', entries, this.#isMarked)
    const found: Array<FoundDirectory | undefined> = []
    const left: number[] = []

    for (const [i, result] of results.entries()) {
      if (result.type === 'left') {
        left.push(i)
      } else {
        found[i] = result.type === 'directory' ? result.found : undefined
        this.#add({ size: result.type === 'file' ? result.size : 0, entries: 1 }, entries[i].directory)
      }
    }

    await this.#turns.each(left, i => entries[i].size, async i => { found[i] = await this.#visitOne(entries[i]) })
    progress.update(this.totals.size)

    return found
  }

  async leave ({ key, parent, totals }: MeasuredDirectory): Promise<void> {
    this.#measured.set(key, totals)

    if (parent != null) {
      addTo(parent.totals, totals)
    }
  }

  async #visitOne ({ directory, ...link }: TreeEntry<MeasuredDirectory>): Promise<FoundDirectory | undefined> {
    const { signal } = this.#options
    const entry = await describeLink(link, this.#isMarked, { blockstore: this.#blocks }, { signal })
    const { type, unixfs, size, sizeKnown, plainCid: cid } = entry
    const isFile = type != null && type !== 'directory' && unixfs?.type !== 'symlink'

    this.#add({ size: isFile && sizeKnown !== false ? Number(size) : 0, entries: 1 }, directory)

    return type === 'directory' ? { cid, metadata: metadataOf(entry) } : undefined
  }

  #add (found: WriteTotals, directory: MeasuredDirectory | undefined): void {
    addTo(this.totals, found)
    this.#options.limits.check(this.totals)

    if (directory != null) {
      addTo(directory.totals, found)
    }
  }
}

function addTo (totals: WriteTotals, { size, entries }: WriteTotals): void {
  totals.size += size
  totals.entries += entries
}
