import { freeBlock } from '@ipfsz/utils/free-bytes'
import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { CID_LENGTH, SMALL } from './protocol.ts'
import { readRoot } from './read-root.ts'
import { MAX_SMALL_SIZE } from './walk-tree.ts'
import { writeSmall } from './write-small.ts'
import type { BlockReader } from './small-blocks.ts'
import type { JoinedBlocks, SmallReply, SmallRequest } from './protocol.ts'
import type { DecodedFile, SmallFileDecoder } from '@ipfsz/core/small-files'

/** The second block of a file. */
interface Leaf {
  index: number
  cid: CID
}

/** What a thread does with a batch of entries: it reads small files, and checks and may write them. */
export class SmallWork {
  readonly #request: SmallRequest
  readonly #blocks: BlockReader
  readonly #decoder: SmallFileDecoder | undefined
  readonly #cids: CID[]
  readonly #reply: SmallReply
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
    const { roots: sent } = this.#request
    const roots = sent == null ? await this.#blocks.read(this.#cids) : splitBlocks(sent)

    if (this.#request.task === 'measure') {
      roots.forEach((root, index) => { this.#measure(index, root) })
    } else {
      await this.#readFiles(roots)
    }

    roots.forEach((root, index) => {
      if (root != null && reply.kinds[index] === SMALL.left) {
        this.#inspect(index, root)
      }
    })
    // as garbage, they would soon make V8 look through all objects of the thread
    roots.forEach(free)
    reply.leaves = Buffer.concat(this.#leaves)
    reply.leafOf = Uint32Array.from(this.#leafOf)

    return reply
  }

  get #marker (): 'in-tree' | 'plain' {
    return this.#request.isMarked ? 'in-tree' : 'plain'
  }

  #measure (index: number, root: Uint8Array | undefined): void {
    const size = root && this.#decoder?.sizeOf(this.#cids[index].bytes, root, this.#marker)

    if (size != null) {
      this.#reply.kinds[index] = SMALL.file
      this.#reply.sizes[index] = size
    }
  }

  async #readFiles (roots: ReadonlyArray<Uint8Array | undefined>): Promise<void> {
    const waiting: Leaf[] = []

    for (const [index, root] of roots.entries()) {
      if (root != null && this.#request.sizes[index] <= MAX_SMALL_SIZE) {
        this.#read(index, root, cid => {
          const leaf = attempt(() => CID.decode(cid))
          waiting.push(...leaf == null ? [] : [{ index, cid: leaf }])

          return undefined
        })
      }
    }

    const leaves = await this.#blocks.read(waiting.map(({ cid }) => cid))

    for (const [i, { index, cid }] of waiting.entries()) {
      const [root, leaf] = [roots[index], leaves[i]]

      if (root != null && leaf != null && this.#read(index, root, () => leaf)) {
        this.#leafOf.push(index)
        this.#leaves.push(cid.bytes)
      }
    }

    leaves.forEach(free)
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
      this.#reply.directories.push(entry.metadata)
    }
  }
}

function splitBlocks ({ bytes, lengths }: JoinedBlocks): Array<Uint8Array | undefined> {
  let end = 0

  // each in memory of its own, which is freed with it
  return Array.from(lengths, length => length < 0 ? undefined : bytes.slice(end, end += length))
}

/** Undefined if it fails: the ordinary way says why. */
function attempt<T> (work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

function free (block: Uint8Array | undefined): void {
  if (block != null) {
    freeBlock(block)
  }
}
