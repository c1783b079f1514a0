import { forgetOldest } from '@ipfsz/utils/forget-oldest'
import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { MAX_OPEN_LINKS_SIZE, MAX_REMEMBERED_DIRECTORIES, MAX_TREE_DEPTH } from '../constants.ts'
import { getBlock } from '../dag/block.ts'
import { cidKey } from '../dag/cid-key.ts'
import { decodeNode } from '../dag/node.ts'
import { InvalidDagError } from '../errors.ts'
import type { GetBlockOptions, GetStore } from '../dag/block.ts'
import type { FileNode } from '../dag/node.ts'

/** What a directory links to. */
export interface MappedEntry {
  cid: CID
  /** Bytes of all its blocks. */
  dagSize: number
}

/** A directory or shard, and what it was made into: itself, if nothing below it was replaced. */
export interface MappedDirectory {
  from: { cid: CID, block: Uint8Array }
  to: { cid: CID, block: Uint8Array }
}

export interface MapTreeInit {
  /** Has the directories and the roots of the files. */
  blockstore: GetStore
  /**
   * What is put in the place of a file. Undefined leaves it as it is.
   *
   * @param node - its root, unless it is a raw block, or not UnixFS
   */
  mapFile (cid: CID, node: FileNode | undefined): Promise<MappedEntry | undefined>
  /** Called with each directory and shard, children first. A directory that occurs twice may be given once. */
  onDirectory (directory: MappedDirectory): Promise<void>
}

/** Where a directory is: how deep, and how many bytes of directories are open above it. */
interface Place {
  depth: number
  open: number
}

/**
 * Replaces the files of a tree by others. Names, order, metadata and shards stay: the shard of an entry depends on its
 * name alone. New directories have CIDs of version 1, and those without any new file stay as they are.
 */
export class TreeMap {
  readonly #init: MapTreeInit
  readonly #options: GetBlockOptions
  readonly #mapped = new Map<string, MappedEntry | undefined>()

  constructor (init: MapTreeInit, options: GetBlockOptions) {
    this.#init = init
    this.#options = options
  }

  /**
   * Map a tree, or a single file.
   *
   * @returns undefined if it stays as it is
   * @throws {InvalidDagError} the tree is too deep
   */
  async map (cid: CID): Promise<MappedEntry | undefined> {
    return this.#entry(cid, { depth: 0, open: 0 })
  }

  async #entry (cid: CID, place: Place): Promise<MappedEntry | undefined> {
    const { blockstore, mapFile } = this.#init
    this.#options.signal?.throwIfAborted()

    if (cid.code !== dagPb.code) {
      return mapFile(cid, undefined)
    }

    if (this.#mapped.has(cidKey(cid))) {
      return this.#mapped.get(cidKey(cid))
    }

    const block = await getBlock(cid, blockstore, this.#options)
    const node = decodeNode(cid, block)

    return node.unixfs.isDirectory() ? this.#directory(node, block, place) : mapFile(cid, node)
  }

  async #directory (node: FileNode, block: Uint8Array, { depth, open }: Place): Promise<MappedEntry | undefined> {
    if (depth >= MAX_TREE_DEPTH || open + node.length > MAX_OPEN_LINKS_SIZE) {
      throw new InvalidDagError(node.cid, 'is too deep below the root')
    }

    const links: dagPb.PBLink[] = []
    let dagSize = 0
    let isChanged = false

    for (const link of node.links) {
      const mapped = await this.#entry(link.Hash, { depth: depth + 1, open: open + node.length })
      const size = mapped?.dagSize ?? link.Tsize ?? 0

      isChanged ||= mapped != null
      links.push(mapped == null ? link : { ...link, Hash: mapped.cid, Tsize: size })
      dagSize += size
    }

    const from = { cid: node.cid, block }

    if (!isChanged) {
      await this.#init.onDirectory({ from, to: from })

      return this.#remember(node.cid, undefined)
    }

    const bytes = dagPb.encode(dagPb.prepare({ Data: node.data, Links: links }))
    const cid = CID.createV1(dagPb.code, await sha256.digest(bytes))
    await this.#init.onDirectory({ from, to: { cid, block: bytes } })

    return this.#remember(node.cid, { cid, dagSize: dagSize + bytes.byteLength })
  }

  #remember<T extends MappedEntry | undefined> (cid: CID, entry: T): T {
    this.#mapped.set(cidKey(cid), entry)

    forgetOldest(this.#mapped, MAX_REMEMBERED_DIRECTORIES)

    return entry
  }
}
