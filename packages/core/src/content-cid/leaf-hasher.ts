import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { DEFAULT_BLOCK_WRITE_CONCURRENCY } from '../constants.ts'
import { mapOrdered } from '../util/map-ordered.ts'
import { encodeFileBlock } from '../dag/file-block.ts'
import type { Layout } from './content-layouts.ts'
import type { FileLink } from '../dag/file-block.ts'

export interface LeafHasherOptions {
  signal?: AbortSignal | null | undefined
}

/** Splits a stream of bytes into leaves and hashes them. Buffers less than one leaf. */
export class LeafHasher {
  readonly #layout: Layout
  readonly #options: LeafHasherOptions
  #rest = new Uint8Array(0)
  #filled = 0
  #empty = true

  constructor (layout: Layout, options: LeafHasherOptions) {
    this.#layout = layout
    this.#options = options
  }

  /** Add bytes, and yield the leaves that they complete. The caller may overwrite them afterwards. */
  async * update (bytes: Uint8Array): AsyncGenerator<FileLink> {
    const { leafSize } = this.#layout
    const leaves: Uint8Array[] = []
    let position = 0

    if (this.#filled > 0) {
      position = Math.min(leafSize - this.#filled, bytes.byteLength)
      this.#keep(bytes.subarray(0, position))

      if (this.#filled === leafSize) {
        leaves.push(this.#rest)
        this.#filled = 0
      }
    }

    for (; bytes.byteLength - position >= leafSize; position += leafSize) {
      leaves.push(bytes.subarray(position, position + leafSize))
    }

    yield * this.#hash(leaves)

    if (position < bytes.byteLength) {
      this.#keep(bytes.subarray(position))
    }
  }

  /** Yield the last leaf. An empty file has one too. */
  async * end (): AsyncGenerator<FileLink> {
    if (this.#filled > 0 || this.#empty) {
      yield * this.#hash([this.#rest.subarray(0, this.#filled)])
      this.#filled = 0
    }
  }

  async * #hash (leaves: readonly Uint8Array[]): AsyncGenerator<FileLink> {
    if (leaves.length === 0) {
      return
    }

    this.#empty = false
    const options = { concurrency: DEFAULT_BLOCK_WRITE_CONCURRENCY, signal: this.#options.signal }
    yield * mapOrdered(leaves, async leaf => hashLeaf(leaf, this.#layout), options)
  }

  /** Buffer bytes of an incomplete leaf. The buffer doubles as needed: most files are far smaller than a leaf. */
  #keep (bytes: Uint8Array): void {
    const filled = this.#filled + bytes.byteLength

    if (filled > this.#rest.byteLength) {
      const larger = new Uint8Array(Math.min(this.#layout.leafSize, Math.max(filled, 2 * this.#rest.byteLength)))
      larger.set(this.#rest.subarray(0, this.#filled))
      this.#rest = larger
    }

    this.#rest.set(bytes, this.#filled)
    this.#filled = filled
  }
}

async function hashLeaf (leaf: Uint8Array, { cidVersion, rawLeaves }: Layout): Promise<FileLink> {
  const size = leaf.byteLength

  if (rawLeaves) {
    return { cid: CID.createV1(raw.code, await sha256.digest(leaf)), size, dagSize: size }
  }

  const block = encodeFileBlock({ inline: leaf })

  return { cid: CID.create(cidVersion, dagPb.code, await sha256.digest(block)), size, dagSize: block.byteLength }
}
