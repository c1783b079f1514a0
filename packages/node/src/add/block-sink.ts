import { keyOf } from '../dag/dag-walk.ts'
import type { EncodedBlocks } from '@ipfsz/blockstore-packed'
import type { IpfszComponents } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** Where the blocks of small files go. */
export interface BlockSinkInit {
  blockstore: Pick<IpfszComponents['blockstore'], 'has' | 'put'>
  /** The packs of a repo that has them. */
  packs?: { putEncoded: (encoded: EncodedBlocks) => Promise<void> } | undefined
}

/** Blocks whose bytes are elsewhere, and their sizes. */
export interface BlockList {
  cids: readonly CID[]
  sizes: Uint32Array
}

/** How many blocks are put at a time: each may be a file that is written. */
const PUTS = 16

/** Stores blocks of threads. Those of equal files are stored once. */
export class BlockSink {
  readonly #init: BlockSinkInit
  /** Blocks that are asked for, and not stored yet. */
  readonly #coming = new Set<string>()

  constructor (init: BlockSinkInit) {
    this.#init = init
  }

  /** Whether blocks are stored in packs, and so compressed together. */
  get isPacked (): boolean {
    return this.#init.packs != null
  }

  /** Which blocks are to be put: 1 for each that is neither stored nor on its way. */
  async want (cids: readonly CID[]): Promise<Uint8Array<ArrayBuffer>> {
    const { blockstore, packs } = this.#init
    const keys = cids.map(keyOf)
    // without packs, a put looks itself
    const known = packs == null ? [] : await Promise.all(cids.map(async cid => blockstore.has(cid)))

    return Uint8Array.from(keys, (key, i) => {
      const isNew = known[i] !== true && !this.#coming.has(key)

      if (isNew) {
        this.#coming.add(key)
      }

      return isNew ? 1 : 0
    })
  }

  /** Store blocks that were wanted. */
  async put (cids: readonly CID[], blocks: { encoded: EncodedBlocks } | { bytes: Uint8Array, sizes: readonly number[] }): Promise<void> {
  }
}
