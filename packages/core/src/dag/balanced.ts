// Room: blocks and nodes: hashing (`hashes.ts`), encoding, writing, reading a range, reading ahead.
import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { encodeNode } from './node.ts'
import type { FileLink } from './file-block.ts'

/** A node that is complete. */
export interface BalancedNode {
  cid: CID
  block: Uint8Array
  /** Its children, in order. */
  links: readonly FileLink[]
  /** 0 if the children are leaves. */
  level: number
}

interface BalancedDagInit {
  cidVersion: 0 | 1
  maxLinks: number
  /** Called with each node above the leaves, children first. */
  onNode?: ((node: BalancedNode) => Promise<void>) | undefined
}

/**
 * Computes the root of a balanced DAG, as `writeRoot` does, from leaves that arrive one at a
 * time. Each node is hashed once it is full, so memory is bounded by one node's links per
 * level.
 */
export class BalancedDag {
  readonly #init: BalancedDagInit
  /** The links of each level's incomplete node, leaves first. */
  readonly #levels: FileLink[][] = [[]]

  constructor (init: BalancedDagInit) {
    this.#init = init
  }

  async add (link: FileLink, level = 0): Promise<void> {
    const links = this.#levels[level] ??= []

    // a full node moves up only when another link follows: otherwise it is the root
    if (links.length === this.#init.maxLinks) {
      this.#levels[level] = [link]
      await this.add(await this.#node(links, level), level + 1)
    } else {
      links.push(link)
    }
  }

  /** A link to the root. A single leaf is its own root. */
  async root (): Promise<FileLink> {
    for (let level = 0; ; level++) {
      const links = this.#levels[level]
      const isTop = level === this.#levels.length - 1

      if (isTop && links.length === 1) {
        return links[0]
      }

      const node = await this.#node(links, level)

      if (isTop) {
        return node
      }

      await this.add(node, level + 1)
    }
  }

  async #node (links: FileLink[], level: number): Promise<FileLink> {
    const { block } = encodeNode({ links })
    const cid = CID.create(this.#init.cidVersion, dagPb.code, await sha256.digest(block))

    await this.#init.onNode?.({ cid, block, links, level })

    return {
      cid,
      size: links.reduce((size, link) => size + link.size, 0),
      dagSize: links.reduce((size, link) => size + link.dagSize, block.byteLength)
    }
  }
}
