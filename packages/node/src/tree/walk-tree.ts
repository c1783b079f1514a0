import { CID } from 'multiformats/cid'
import type { Metadata } from '../disk/restore-metadata.ts'
import type { SpillStack } from '../disk/spill-stack.ts'
import type { DirectoryLink } from '@ipfsz/core'

const MAX_LISTED = 8
/** While so many directories are not complete, the next one is begun only when nothing else is left to do. */
const MAX_OPEN = 128
/** How many entries are visited together, and how many bytes of small files they may have, as their parents say. */
const BATCH_ENTRIES = 128
const BATCH_BYTES = 4 * 1024 * 1024
/** How many directories that are not begun are in memory, besides those in the SpillStack. */
const MAX_FOUND = 4096

/** Bytes of all blocks of a small file, at most: it is read as a whole. */
export const MAX_SMALL_SIZE = 1024 * 1024

/** An entry of a directory that is being walked. */
export interface TreeEntry<Directory> extends DirectoryLink {
  directory: Directory
}

/** A directory that an entry leads to. */
export interface FoundDirectory {
  /** Plain. */
  cid: CID
  metadata: Metadata
}

/** What is done with a tree. `Directory` is what the visitor keeps of a directory while it is walked. */
export interface TreeVisitor<Directory> {
  /**
   * Begin a directory. Its parent is begun, and not complete.
   *
   * @returns undefined if it is not to be walked
   */
  enter (found: FoundDirectory, name: string, parent: Directory | undefined): Promise<Directory | undefined>
  /** List the entries of a directory. */
  list (directory: Directory): AsyncIterable<DirectoryLink>
  /**
   * Handle entries, of several directories perhaps.
   *
   * @returns the directory that an entry leads to. Undefined: it is done
   */
  visit (entries: ReadonlyArray<TreeEntry<Directory>>): Promise<ReadonlyArray<FoundDirectory | undefined>>
  /** Complete a directory: everything in it is done. */
  leave (directory: Directory): Promise<void>
}

/** A directory that is not begun. */
export interface WaitingDirectory {
  parent: number
  name: string
  cid: Uint8Array
  metadata: Metadata
}

/** A directory that is not complete. */
interface OpenDirectory<Directory> {
  number: number
  own: Directory
  parent: OpenDirectory<Directory> | undefined
  /** How many of its entries are not done, and one more while it is listed. */
  undone: number
}

export interface WalkTreeOptions {
  /** Holds directories that are not begun: there may be millions. */
  waiting: SpillStack<WaitingDirectory>
  /** How many batches of entries are visited at a time. */
  concurrency: number
  signal: AbortSignal
}

/**
 * Walk a tree, the deepest directories first. Entries are visited in batches, which many small directories fill as well
 * as a large one. So several directories are walked at a time, and only few of them are open.
 *
 * Rejects when nothing of it runs any more.
 */
export async function walkTree<Directory> (
  root: FoundDirectory,
  visitor: TreeVisitor<Directory>,
  options: WalkTreeOptions
): Promise<void> {
  await new TreeWalk(visitor, options).run(root)
}

class TreeWalk<Directory> {
  readonly #visitor: TreeVisitor<Directory>
  readonly #options: WalkTreeOptions
  readonly #open = new Map<number, OpenDirectory<Directory>>()
  /** What is not begun: the next one is last. Older ones are in the SpillStack. */
  readonly #found: WaitingDirectory[] = []
  readonly #listing = new Set<Promise<void>>()
  readonly #visiting = new Set<Promise<void>>()
  /** What is listed and not visited yet. */
  #batch: Array<{ entry: TreeEntry<Directory>, owner: OpenDirectory<Directory> }> = []
  #batchBytes = 0
  #numbers = 0
  #failure: { reason: unknown } | undefined

  constructor (visitor: TreeVisitor<Directory>, options: WalkTreeOptions) {
    this.#visitor = visitor
    this.#options = options
  }

  async run ({ cid, metadata }: FoundDirectory): Promise<void> {
    this.#found.push({ parent: -1, name: '', cid: cid.bytes, metadata })

    try {
      while (!this.#isStopped) {
        const next = this.#mayBegin ? await this.#take() : undefined

        if (next != null) {
          this.#run(this.#listing, async () => this.#walk(next))
        } else if (this.#batch.length > 0 && this.#listing.size === 0 && !this.#isFull) {
          this.#visitBatch()
        } else if (this.#listing.size + this.#visiting.size > 0) {
          await Promise.race([...this.#listing, ...this.#visiting])
        } else {
          break
        }
      }
    } finally {
      await Promise.all([...this.#listing, ...this.#visiting])
    }

    this.#options.signal.throwIfAborted()

    if (this.#failure != null) {
      throw this.#failure.reason
    }
  }

  get #isStopped (): boolean {
    return this.#failure != null || this.#options.signal.aborted
  }

  get #mayBegin (): boolean {
    const isIdle = this.#listing.size + this.#visiting.size + this.#batch.length === 0

    return isIdle || (this.#listing.size < MAX_LISTED && this.#open.size < MAX_OPEN)
  }

  /** Whether as many batches are visited as may be. */
  get #isFull (): boolean {
    return this.#visiting.size >= this.#options.concurrency
  }

  /** The directory to begin next. Only `run` uses the stack, which is for one at a time. */
  async #take (): Promise<WaitingDirectory | undefined> {
    if (this.#found.length > MAX_FOUND) {
      for (const found of this.#found.splice(0)) {
        await this.#options.waiting.push(found)
      }
    }

    return this.#found.pop() ?? this.#options.waiting.pop()
  }

  #run (running: Set<Promise<void>>, work: () => Promise<void>): void {
    const done: Promise<void> = work()
      .catch((err: unknown) => { this.#failure ??= { reason: err } })
      .finally(() => running.delete(done))
    running.add(done)
  }

  async #walk ({ parent: number, name, cid, metadata }: WaitingDirectory): Promise<void> {
    const parent = this.#open.get(number)
    const own = await this.#visitor.enter({ cid: CID.decode(cid), metadata }, name, parent?.own)

    if (own == null) {
      await this.#finish(parent)
      return
    }

    const owner: OpenDirectory<Directory> = { number: this.#numbers++, own, parent, undone: 1 }
    this.#open.set(owner.number, owner)

    for await (const link of this.#visitor.list(own)) {
      owner.undone++
      this.#batch.push({ entry: { ...link, directory: own }, owner })
      this.#batchBytes += link.size <= MAX_SMALL_SIZE ? link.size : 0

      while (this.#isBatch && this.#isFull) {
        await Promise.race(this.#visiting)
      }

      if (this.#isStopped) {
        return
      }

      if (this.#isBatch) {
        this.#visitBatch()
      }
    }

    await this.#finish(owner)
  }

  get #isBatch (): boolean {
    return this.#batch.length >= BATCH_ENTRIES || this.#batchBytes >= BATCH_BYTES
  }

  #visitBatch (): void {
    const batch = this.#batch
    this.#batch = []
    this.#batchBytes = 0

    this.#run(this.#visiting, async () => {
      const results = await this.#visitor.visit(batch.map(({ entry }) => entry))

      // the last one first, so that the first one is begun next
      for (const [i, { entry, owner }] of [...batch.entries()].toReversed()) {
        const found = results[i]

        if (found == null) {
          await this.#finish(owner)
        } else {
          const { cid: { bytes: cid }, metadata } = found
          this.#found.push({ parent: owner.number, name: entry.name, cid, metadata })
        }
      }
    })
  }

  /** Something in a directory is done. */
  async #finish (owner: OpenDirectory<Directory> | undefined): Promise<void> {
    for (let open = owner; open != null && (open.undone -= 1) === 0; open = open.parent) {
      await this.#visitor.leave(open.own)
      this.#open.delete(open.number)
    }
  }
}
