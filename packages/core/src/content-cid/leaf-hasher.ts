import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { concat } from '../util/bytes.ts'
import { DEFAULT_BLOCK_WRITE_CONCURRENCY } from '../constants.ts'
import { mapOrdered } from '../util/map-ordered.ts'
import { BYTES, varint, varintField } from '../format/protobuf.ts'
import type { Layout } from './content-layouts.ts'
import type { FileLink } from '../dag/node.ts'

/** Fields of the UnixFS message, and what the first says of a file (UnixFS specification, "Data Format"). */
const TYPE = 1
const FILE = 2
const DATA = 2
const FILE_SIZE = 3
/** The field of a dag-pb node that the message is in. */
const NODE_DATA = 1

export interface LeafHasherOptions {
  signal?: AbortSignal | null | undefined
}

/** Cuts bytes into leaves, however they come, and hashes them. It holds less than one leaf. */
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

  /** The leaves that the next bytes fill. When this is done the bytes may be written over. */
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

  /** The last leaf. An empty file has one too. */
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
    yield * mapOrdered(leaves, async leaf => hashLeaf(leaf, this.#layout), { concurrency: DEFAULT_BLOCK_WRITE_CONCURRENCY, signal: this.#options.signal })
  }

  /** Put bytes behind those of a leaf that is not whole yet. It grows by doubling: most files are far smaller than a leaf. */
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

  const block = encodeLeaf(leaf)

  return { cid: CID.create(cidVersion, dagPb.code, await sha256.digest(block)), size, dagSize: block.byteLength }
}

/**
 * A dag-pb block of a UnixFS file with these bytes, as `dagPb.encode` makes it of
 * what `marshal` gives. Those copy the bytes three times, which takes longer than to
 * hash them.
 */
function encodeLeaf (leaf: Uint8Array): Uint8Array {
  const size = leaf.byteLength
  // type file, and in an empty file no data
  const before = Uint8Array.from([...varintField(TYPE, FILE), ...size === 0 ? [] : [...varint(DATA * 8 + BYTES), ...varint(size)]])
  const after = Uint8Array.from(varintField(FILE_SIZE, size))
  const length = before.byteLength + size + after.byteLength

  return concat([Uint8Array.from([...varint(NODE_DATA * 8 + BYTES), ...varint(length)]), before, leaf, after])
}
