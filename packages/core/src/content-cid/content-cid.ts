import { UNIXFS_V1_2025 } from './content-layouts.ts'
import { BalancedDag } from '../dag/balanced.ts'
import { LeafHasher } from './leaf-hasher.ts'
import type { Layout } from './content-layouts.ts'
import type { FileLink } from '../dag/node.ts'
import type { LeafHasherOptions } from './leaf-hasher.ts'
import type { CID } from 'multiformats/cid'

/** Leaves that are hashed once, and the DAGs that are made of them. */
interface Group {
  leaves: LeafHasher
  dags: BalancedDag[]
}

/**
 * Finds the CIDs that bytes have when they are added uncompressed, with one layout
 * or with several in one pass. Without others it is the profile of docs/format.md,
 * section 2, as of `unixfs.addBytes` of @helia/unixfs. Of the bytes alone, without
 * mode and mtime, so that whoever reads the file can find it again.
 *
 * It holds less than one leaf for each kind of leaves, and the links of one node for
 * each level of a DAG, whatever the size of the file.
 */
export class ContentCid {
  readonly #groups = new Map<string, Group>()
  readonly #dags: BalancedDag[]

  constructor (options: LeafHasherOptions = {}, layouts: readonly Layout[] = [UNIXFS_V1_2025]) {
    this.#dags = layouts.map(layout => {
      const { leafSize, rawLeaves, cidVersion } = layout
      // raw leaves have the same CID whatever the version of their parents
      const kind = `${leafSize} ${rawLeaves ? 'raw' : cidVersion}`
      const group = this.#groups.get(kind) ?? { leaves: new LeafHasher(layout, options), dags: [] }
      const dag = new BalancedDag(layout)

      group.dags.push(dag)
      this.#groups.set(kind, group)

      return dag
    })
  }

  /** The next bytes. When this is done they may be written over. */
  async update (bytes: Uint8Array): Promise<void> {
    for (const { leaves, dags } of this.#groups.values()) {
      await addAll(leaves.update(bytes), dags)
    }
  }

  /** The CIDs of all bytes, in the order of the layouts. */
  async digests (): Promise<CID[]> {
    for (const { leaves, dags } of this.#groups.values()) {
      await addAll(leaves.end(), dags)
    }

    return Promise.all(this.#dags.map(async dag => dag.root()))
  }

  /** The CID of all bytes, with the first layout. */
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
