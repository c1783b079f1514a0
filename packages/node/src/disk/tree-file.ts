import { openRegular, readContent } from './file-content.ts'
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
  /** When it was examined. */
  stats: BigIntStats
  events: FileEvents
}

/** A file of a tree, which is opened when it is read. */
export class TreeFile implements AsyncIterable<Uint8Array>, TreeFileInit {
  readonly tree: HeldTree
  readonly below: string
  readonly name: string
  readonly path: string
  readonly stats: BigIntStats
  readonly events: FileEvents

  constructor ({ tree, below, name, path, stats, events }: TreeFileInit) {
    this.tree = tree
    this.below = below
    this.name = name
    this.path = path
    this.stats = stats
    this.events = events
  }

  [Symbol.asyncIterator] (): AsyncGenerator<Uint8Array> {
    return readContent(
      async () => this.tree.within(this.below, async held => openRegular(held, this.name)),
      this.path,
      this.stats,
      this.events
    )
  }
}
