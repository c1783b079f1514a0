import { openRegular, readContent } from './file-content.ts'
import { identityOf, isSameIdentity } from './file-identity.ts'
import type { FileEvents } from './file-content.ts'
import type { HeldTree } from './held-tree.ts'
import type { BigIntStats } from 'node:fs'

export interface TreeFileInit {
  tree: HeldTree
  /** The directory that it is in, relative to the root of the tree. */
  below: string
  name: string
  /** What events name. */
  path: string
  /** What it was like when it was examined. */
  stats: BigIntStats
  /** When that was, in milliseconds since 1970. */
  examined: number
  events: FileEvents
}

/** A file of a tree, which is opened when it is read. */
export class TreeFile implements AsyncIterable<Uint8Array>, TreeFileInit {
  readonly tree: HeldTree
  readonly below: string
  readonly name: string
  readonly path: string
  readonly stats: BigIntStats
  readonly examined: number
  readonly events: FileEvents
  /** Whether it was still what was examined when it was read. */
  isSame = false

  constructor ({ tree, below, name, path, stats, examined, events }: TreeFileInit) {
    this.tree = tree
    this.below = below
    this.name = name
    this.path = path
    this.stats = stats
    this.examined = examined
    this.events = events
  }

  /** Its path relative to the root of the tree. */
  get pathInTree (): string {
    return this.below === '' ? this.name : `${this.below}/${this.name}`
  }

  [Symbol.asyncIterator] (): AsyncGenerator<Uint8Array> {
    return readContent(
      async () => this.tree.within(this.below, async held => openRegular(held, this.name)),
      this.path,
      this.stats,
      {
        onRead: (path, bytes) => { this.events.onRead(path, bytes) },
        onChanged: path => { this.events.onChanged(path) },
        onEnd: stats => { this.isSame = isSameIdentity(identityOf(stats), identityOf(this.stats)) }
      }
    )
  }
}
