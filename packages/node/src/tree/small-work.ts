import { freeBytes } from '@ipfsz/utils/free-bytes'
import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { CID_LENGTH, MAX_BYTES, SMALL } from './protocol.ts'
import { readRoot } from './read-root.ts'
import { sentBlocks } from './small-blocks.ts'
import { MAX_SMALL_SIZE } from './walk-tree.ts'
import { writeSmall } from './write-small.ts'
import type { Metadata } from '../disk/restore-metadata.ts'
import type { BlockReader } from './small-blocks.ts'
import type { SmallReply, SmallRequest } from './protocol.ts'
import type { DecodedFile, SmallFileDecoder } from '@ipfsz/core/small-files'

/** A file of two blocks: the root, and the CID of the other one. */
interface Waiting {
  index: number
  root: Uint8Array
  leaf: CID
}

/**
 * What a thread does with a batch of entries: it reads small files, and checks and may write them, each when its block
 * is in memory.
 */
export class SmallWork {
  readonly #request: SmallRequest
  readonly #blocks: BlockReader
  readonly #decoder: SmallFileDecoder | undefined
  readonly #cids: CID[]
  readonly #reply: SmallReply
  readonly #directories: Array<{ index: number, metadata: Metadata }> = []
  /** Files of two blocks, and how many bytes their roots have. */
  readonly #waiting: Waiting[] = []
  #waitingBytes = 0
  readonly #leafOf: number[] = []
  readonly #leaves: Uint8Array[] = []

  /** @param decoder - which may use its memory again. Undefined where small files cannot be decompressed at once */
  constructor (request: SmallRequest, blocks: BlockReader, decoder: SmallFileDecoder | undefined) {
    const { cids, sizes: { length } } = request
    this.#request = request
    this.#blocks = blocks
    this.#decoder = decoder
    this.#cids = Array.from({ length }, (_, i) => CID.decode(cids.subarray(i * CID_LENGTH, (i + 1) * CID_LENGTH)))
    this.#reply = {
      kinds: new Uint8Array(length),
      sizes: new Float64Array(length),
      frames: new Uint8Array(length),
      directories: [],
      leaves: new Uint8Array(),
      leafOf: new Uint32Array()
    }
  }

  async run (): Promise<SmallReply> {
    const reply = this.#reply
    const { roots: sent, task } = this.#request
    const roots = sent == null ? this.#blocks : sentBlocks(sent)

    await roots.read(this.#cids, (root, index) => {
      if (task === 'measure' ? !this.#measure(index, root) : !this.#readRoot(index, root)) {
        this.#inspect(index, root)
      }
    })

    if (sent != null) {
      // as garbage, it would soon make V8 look through all objects of the thread
      freeBytes(sent.bytes)
    }

    await this.#readLeaves()
    reply.directories = this.#directories.toSorted((a, b) => a.index - b.index).map(({ metadata }) => metadata)
    reply.leaves = Buffer.concat(this.#leaves)
    reply.leafOf = Uint32Array.from(this.#leafOf)

    return reply
  }

  get #marker (): 'in-tree' | 'plain' {
    return this.#request.isMarked ? 'in-tree' : 'plain'
  }

  /** @returns whether it is a small file */
  #measure (index: number, root: Uint8Array): boolean {
    const size = this.#decoder?.sizeOf(this.#cids[index].bytes, root, this.#marker)

    if (size != null) {
      this.#reply.kinds[index] = SMALL.file
      this.#reply.sizes[index] = size
    }

    return size != null
  }

  /** @returns whether it is a small file: everything is done with it, or it waits for its second block */
  #readRoot (index: number, root: Uint8Array): boolean {
    let leaf: CID | undefined

    if (this.#request.sizes[index] > MAX_SMALL_SIZE) {
      return false
    }

    const isDone = this.#read(index, root, cid => {
      // a copy: the memory of the root is used again
      leaf = attempt(() => CID.decode(cid.slice()))

      return undefined
    })

    if (isDone || leaf == null || this.#waitingBytes > MAX_BYTES) {
      return isDone
    }

    this.#waiting.push({ index, root: Uint8Array.prototype.slice.call(root), leaf })
    this.#waitingBytes += root.byteLength

    return true
  }

  async #readLeaves (): Promise<void> {
    await this.#blocks.read(this.#waiting.map(({ leaf }) => leaf), (block, i) => {
      const { index, root, leaf } = this.#waiting[i]

      if (this.#read(index, root, () => block)) {
        this.#leafOf.push(index)
        this.#leaves.push(leaf.bytes)
      }
    })

    for (const { index, root } of this.#waiting) {
      if (this.#reply.kinds[index] === SMALL.left) {
        this.#inspect(index, root)
      }
    }
  }

  /** @returns whether it is a small file, and everything is done with it */
  #read (index: number, root: Uint8Array, getLeaf: (cid: Uint8Array) => Uint8Array | undefined): boolean {
    const file = this.#decoder?.decode(this.#cids[index].bytes, root, this.#marker, getLeaf)

    if (file == null || !this.#finish(index, file)) {
      return false
    }

    this.#reply.kinds[index] = SMALL.file
    this.#reply.sizes[index] = file.bytes.byteLength
    this.#reply.frames[index] = file.frameLength == null ? 0 : 1

    return true
  }

  #finish (index: number, { bytes, ...metadata }: DecodedFile): boolean {
    return this.#request.task !== 'write' || writeSmall(this.#request.paths?.[index] ?? '', bytes, metadata)
  }

  /** Find out what an entry is that is no small file. */
  #inspect (index: number, root: Uint8Array): void {
    const { isMarked, task } = this.#request
    const cid = this.#cids[index]
    const entry = cid.code === dagPb.code ? attempt(() => readRoot(cid, root, isMarked)) : undefined

    if (entry == null) {
      return
    }

    this.#reply.sizes[index] = entry.size
    this.#reply.kinds[index] = entry.type === 'file' && task !== 'measure' ? SMALL.left : SMALL[entry.type]

    if (entry.type === 'directory') {
      this.#directories.push({ index, metadata: entry.metadata })
    }
  }
}

/** Undefined if it fails: the ordinary way says why. */
function attempt<T> (work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
