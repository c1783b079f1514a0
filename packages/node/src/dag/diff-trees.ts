import { forgetOldest } from '@ipfsz/utils/forget-oldest'
import { TreeEntryError } from '../errors.ts'
import { compareEntries, describeEntry, isSameCid } from './describe-entry.ts'
import { listLinks } from './list-links.ts'
import type { Comparison, DescribedEntry } from './describe-entry.ts'
import type { DirectoryLink, Ipfsz } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** A path at which two trees differ. */
export interface Difference {
  change: 'added' | 'removed' | Exclude<Comparison, 'same'>
  /** Empty for the roots. */
  path: string
  before?: DescribedEntry
  after?: DescribedEntry
  /** The path at which the same two directories were compared before: what differs below them is listed there. */
  sameAs?: string
}

/** The side of a comparison: what reads the blocks of a tree. */
export type TreeFiles = Pick<Ipfsz, 'stat' | 'blocks'>

export interface DiffOptions {
  before: TreeFiles
  after: TreeFiles
  /** Compares the bytes of two files of the same size. Without it, the content CIDs in their headers are believed. */
  compareContents?: ((before: DescribedEntry, after: DescribedEntry) => Promise<Comparison>) | undefined
  /** Called for each pair of entries that was looked at. */
  onEntry?: (() => void) | undefined
  signal: AbortSignal
  limits?: Partial<DiffLimits>
}

export interface DiffLimits {
  /** How many directories may be inside each other. */
  depth: number
  /** How many entries that differ, of a directory and all those above it, are held in memory. */
  held: number
  /** How many entries may be listed in all. */
  listed: number
  /** How many pairs of directories are remembered, so that none is compared twice. */
  pairs: number
}

const LIMITS: DiffLimits = { depth: 4096, held: 1_000_000, listed: 100_000_000, pairs: 16_384 }

const SIDES = ['before', 'after'] as const

type Side = typeof SIDES[number]

/** An entry that one or both directories have. */
type Pair = Partial<Record<Side, CID>>

/** The outcome of a comparison of two directories. */
interface Compared {
  path: string
  differs: boolean
}

/**
 * Yield the paths at which two DAGs differ, sorted within each directory. Entries with the same CID are not read. Two
 * directories that occur together several times are compared once, otherwise a few blocks that link to each other
 * would take forever.
 *
 * @throws {TreeEntryError} the trees are deeper or larger than the limits
 */
export async function * diffTrees (before: CID, after: CID, options: DiffOptions): AsyncGenerator<Difference> {
  yield * new TreeDiff(options).compare({ before, after }, '', 1)
}

class TreeDiff {
  readonly #options: DiffOptions
  readonly #limits: DiffLimits
  readonly #compared = new Map<string, Compared>()
  #held = 0
  #listed = 0

  constructor (options: DiffOptions) {
    this.#options = options
    this.#limits = { ...LIMITS, ...options.limits }
  }

  /** @returns whether anything differs */
  async * compare (pair: Pair, path: string, depth: number): AsyncGenerator<Difference, boolean> {
    const { onEntry, compareContents, signal } = this.#options
    signal.throwIfAborted()
    onEntry?.()

    if (pair.before != null && pair.after != null && isSameCid(pair.before, pair.after)) {
      return false
    }

    const [before, after] = await Promise.all([
      pair.before == null ? undefined : describeEntry(pair.before, this.#options.before, signal),
      pair.after == null ? undefined : describeEntry(pair.after, this.#options.after, signal)
    ])

    if (before == null || after == null) {
      yield { change: before == null ? 'added' : 'removed', path, before, after }
      return true
    }

    if (before.type === 'directory' && after.type === 'directory') {
      return yield * this.#compareDirectories(before, after, path, depth)
    }

    const told = compareEntries(before, after, compareContents == null)
    const change = told === 'unknown' ? await compareContents?.(before, after) ?? told : told

    if (change !== 'same') {
      yield { change, path, before, after }
    }

    return change !== 'same'
  }

  async * #compareDirectories (
    before: DescribedEntry,
    after: DescribedEntry,
    path: string,
    depth: number
  ): AsyncGenerator<Difference, boolean> {
    const key = [before, after].map(({ cid }) => Buffer.from(cid.multihash.bytes).toString('latin1')).join(' ')
    const known = this.#compared.get(key)

    if (isSameCid(before.cid, after.cid) || known?.differs === false) {
      return false
    }

    if (known != null) {
      yield { change: 'changed', path, before, after, sameAs: known.path }
      return true
    }

    if (depth > this.#limits.depth) {
      throw new TreeEntryError(path, `is nested more than ${this.#limits.depth} directories deep`)
    }

    const pairs = await this.#pairUp(before.cid, after.cid, path)
    let differs = false

    for (const [name, pair] of pairs) {
      if (yield * this.compare(pair, path === '' ? name : `${path}/${name}`, depth + 1)) {
        differs = true
      }
    }

    this.#held -= pairs.length
    this.#remember(key, { path, differs })

    return differs
  }

  /** The entries of two directories that do not have the same CID, sorted by name. */
  async #pairUp (before: CID, after: CID, path: string): Promise<Array<[name: string, pair: Pair]>> {
    const pairs = new Map<string, Pair>()
    const lists = [this.#list(before, 'before'), this.#list(after, 'after')]

    // in step, because both are in about the same order: most entries find their partner soon, and are dropped
    for (let open = lists.length; open > 0;) {
      const next = await Promise.all(lists.map(async list => list.next()))
      open = next.filter(({ done }) => done !== true).length

      for (const [i, { done, value }] of next.entries()) {
        if (done !== true) {
          this.#add(pairs, SIDES[i], value, path)
        }
      }
    }

    return [...pairs].toSorted(([a], [b]) => a < b ? -1 : 1)
  }

  #add (pairs: Map<string, Pair>, side: Side, { name, cid }: DirectoryLink, path: string): void {
    const { held, listed } = this.#limits
    const known = pairs.get(name)
    const other = side === 'before' ? known?.after : known?.before

    if (++this.#listed > listed) {
      throw new TreeEntryError(path, `has more than ${listed} entries to compare: compare subdirectories separately`)
    }

    if (known == null) {
      this.#held++
    } else if (other != null && isSameCid(other, cid)) {
      pairs.delete(name)
      this.#held--
      return
    }

    if (this.#held > held) {
      throw new TreeEntryError(path, `has more than ${held} entries that differ: compare subdirectories separately`)
    }

    pairs.set(name, { ...known, [side]: cid })
  }

  #list (cid: CID, side: Side): AsyncGenerator<DirectoryLink> {
    const { signal, [side]: files } = this.#options

    return listLinks(cid, files.blocks(cid), signal)
  }

  #remember (key: string, compared: Compared): void {
    this.#compared.set(key, compared)

    forgetOldest(this.#compared, this.#limits.pairs)
  }
}
