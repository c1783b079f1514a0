import { MAX_LEAF_SIZE } from './constants.ts'
import { writeLeaves, writeRoot } from './dag/write.ts'
import type { PutStore } from './dag/block.ts'
import type { FileLink } from './dag/node.ts'
import type { WriteOptions } from './dag/write.ts'
import type { CID } from 'multiformats/cid'

/** A blockstore that keeps nothing: only the CIDs are wanted. */
const NOWHERE: PutStore = { put: cid => cid }

/**
 * Finds the CID that bytes have when they are added uncompressed with the profile
 * of docs/format.md, section 2, as by `unixfs.addBytes` of @helia/unixfs: leaves of
 * 1 MiB, a file of one leaf is that leaf. Of the bytes alone, without mode and
 * mtime, so that whoever reads the file can find it again.
 *
 * It holds less than one leaf, and a link for every leaf.
 */
export class ContentCid {
  readonly #options: WriteOptions
  readonly #leafSize: number
  readonly #links: FileLink[] = []
  #rest = new Uint8Array(0)
  #filled = 0

  constructor (options: WriteOptions = {}, leafSize = MAX_LEAF_SIZE) {
    this.#options = options
    this.#leafSize = leafSize
  }

  /** The next bytes. When this is done they may be written over. */
  async update (bytes: Uint8Array): Promise<void> {
    const leaves: Uint8Array[] = []
    let position = 0

    if (this.#filled > 0) {
      position = Math.min(this.#leafSize - this.#filled, bytes.byteLength)
      this.#keep(bytes.subarray(0, position))

      if (this.#filled === this.#leafSize) {
        leaves.push(this.#rest)
        this.#filled = 0
      }
    }

    for (; bytes.byteLength - position >= this.#leafSize; position += this.#leafSize) {
      leaves.push(bytes.subarray(position, position + this.#leafSize))
    }

    await this.#hash(leaves)

    if (position < bytes.byteLength) {
      this.#keep(bytes.subarray(position))
    }
  }

  /** The CID of all bytes. */
  async digest (): Promise<CID> {
    if (this.#filled > 0 || this.#links.length === 0) {
      await this.#hash([this.#rest.subarray(0, this.#filled)])
      this.#filled = 0
    }

    if (this.#links.length === 1) {
      return this.#links[0].cid
    }

    const { cid } = await writeRoot({ links: this.#links }, {}, NOWHERE, this.#options)

    return cid
  }

  /** Put bytes behind those of a leaf that is not whole yet. It grows by doubling: most files are far smaller than a leaf. */
  #keep (bytes: Uint8Array): void {
    const filled = this.#filled + bytes.byteLength

    if (filled > this.#rest.byteLength) {
      const larger = new Uint8Array(Math.min(this.#leafSize, Math.max(filled, 2 * this.#rest.byteLength)))
      larger.set(this.#rest.subarray(0, this.#filled))
      this.#rest = larger
    }

    this.#rest.set(bytes, this.#filled)
    this.#filled = filled
  }

  async #hash (leaves: readonly Uint8Array[]): Promise<void> {
    for await (const link of writeLeaves(leaves, NOWHERE, this.#options)) {
      this.#links.push(link)
    }
  }
}
