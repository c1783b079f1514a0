// Room: the CID that the original bytes of a file would have uncompressed.
import { UNIXFS_V1_2025 } from './content-layouts.ts'
import { BalancedDag } from '../dag/balanced.ts'
import { LeafHasher } from './leaf-hasher.ts'
import type { Layout } from './content-layouts.ts'
import type { FileLink } from '../dag/file-block.ts'
import type { LeafHasherOptions } from './leaf-hasher.ts'
import type { BalancedNode } from '../dag/balanced.ts'
import type { CID } from 'multiformats/cid'

/** Called with each node above the leaves of a layout's DAG, children first. */
export type OnNode = (layout: Layout, node: BalancedNode) => Promise<void>

/** Leaves that are hashed once, and the DAGs built from them. */
interface Group {
  leaves: LeafHasher
  dags: BalancedDag[]
}

/**
 * Computes the CID that a stream of bytes has when added uncompressed, for one layout or for
 * several in one pass. The default layout is the profile of docs/format.md, section 2, which
 * `unixfs.addBytes` of @helia/unixfs uses. Mode and mtime are left out, so that any reader of
 * the bytes can compute the same CID.
 *
 * Memory does not depend on the file's size: less than one leaf per kind of leaf, and the
 * links of one node per level of each DAG.
 */
export class ContentCid {
  readonly #groups = new Map<string, Group>()
  readonly #dags: BalancedDag[]

  constructor (
    options: LeafHasherOptions = {},
    layouts: readonly Layout[] = [UNIXFS_V1_2025],
    onNode?: OnNode
  ) {
    this.#dags = layouts.map(layout => {
      const { leafSize, rawLeaves, cidVersion } = layout
      // raw leaves have the same CID in DAGs of both versions
      const kind = `${leafSize} ${rawLeaves ? 'raw' : cidVersion}`
      const group = this.#groups.get(kind) ?? { leaves: new LeafHasher(layout, options), dags: [] }
      const dag = new BalancedDag({
        ...layout,
        onNode: onNode == null ? undefined : async node => onNode(layout, node)
      })

      group.dags.push(dag)
      this.#groups.set(kind, group)

      return dag
    })
  }

  /** Add bytes. The caller may overwrite them after this resolves. */
  async update (bytes: Uint8Array): Promise<void> {
    for (const { leaves, dags } of this.#groups.values()) {
      await addAll(leaves.update(bytes), dags)
    }
  }

  /** A link to the root for each layout, in order. */
  async roots (): Promise<FileLink[]> {
    for (const { leaves, dags } of this.#groups.values()) {
      await addAll(leaves.end(), dags)
    }

    return Promise.all(this.#dags.map(async dag => dag.root()))
  }

  /** The CID for each layout, in order. */
  async digests (): Promise<CID[]> {
    return (await this.roots()).map(({ cid }) => cid)
  }

  /** The CID for the first layout. */
  async digest (): Promise<CID> {
    return (await this.digests())[0]
  }
}

async function addAll (links: AsyncIterable<FileLink>, dags: readonly BalancedDag[]): Promise<void> {
  for await (const link of links) {
    for (const dag of dags) {
      await dag.add(link)
    }
  }
}
