import * as dagPb from '@ipld/dag-pb'
import { cidKey } from '../dag/cid-key.ts'
import { getBlock } from '../dag/block.ts'
import type { GetBlockOptions, GetStore } from '../dag/block.ts'
import type { FileNode } from '../dag/node.ts'
import type { SeenBlocks } from '../dag/seen-blocks.ts'
import type { CID } from 'multiformats/cid'

/** Maximum nodes that are read ahead, over all directories that are open: 16 MiB of the largest blocks. */
const MAX_AHEAD = 8

/** Reads nodes, and those that follow: one after the other, a store over the network would take long. */
export class NodesAhead {
  readonly #blockstore: GetStore
  readonly #seen: SeenBlocks
  readonly #reading = new Map<string, Promise<Uint8Array>>()

  /** @param seen - nodes that need not be read ahead */
  constructor (blockstore: GetStore, seen: SeenBlocks) {
    this.#blockstore = blockstore
    this.#seen = seen
  }

  async get (cid: CID, options: GetBlockOptions): Promise<Uint8Array> {
    const block = this.#reading.get(cidKey(cid))
    this.drop(cid)

    return block ?? getBlock(cid, this.#blockstore, options)
  }

  /** Begin to read a node and those after it, up to `end`. */
  begin ({ links }: FileNode, next: number, end: number, options: GetBlockOptions): void {
    for (let i = next; i < Math.min(end, next + MAX_AHEAD) && this.#reading.size < MAX_AHEAD; i++) {
      const { Hash: cid } = links.at(i)
      const key = cidKey(cid)

      // leaves are not read, and those of a file follow each other
      if (cid.code !== dagPb.code) {
        return
      }

      if (!this.#seen.has(cid) && !this.#reading.has(key)) {
        const block = getBlock(cid, this.#blockstore, options)
        // who reads it reports the error
        block.catch(() => {})
        this.#reading.set(key, block)
      }
    }
  }

  /** A node is not needed any more. */
  drop (cid: CID): void {
    this.#reading.delete(cidKey(cid))
  }
}
