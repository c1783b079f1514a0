import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { encodeNode } from './node.ts'
import type { FileLink } from './node.ts'

interface BalancedDagInit {
  cidVersion: 0 | 1
  /** The most links in a node. */
  maxLinks: number
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
      await this.add(await this.#node(links), level + 1)
    } else {
      links.push(link)
    }
  }

  /** The root's CID. A single leaf is its own root. */
  async root (): Promise<CID> {
    for (let level = 0; ; level++) {
      const links = this.#levels[level]
      const isTop = level === this.#levels.length - 1

      if (isTop && links.length === 1) {
        return links[0].cid
      }

      const node = await this.#node(links)

      if (isTop) {
        return node.cid
      }

      await this.add(node, level + 1)
    }
  }

  async #node (links: FileLink[]): Promise<FileLink> {
    const { block } = encodeNode({ links })

    return {
      cid: CID.create(this.#init.cidVersion, dagPb.code, await sha256.digest(block)),
      size: links.reduce((size, link) => size + link.size, 0),
      dagSize: links.reduce((size, link) => size + link.dagSize, block.byteLength)
    }
  }
}
