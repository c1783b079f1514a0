import { allCodecs } from '@ipfsz/codecs/all'
import { UNIXFS_V1_2025 } from '../content-cid/content-layouts.ts'
import { ipfszReader } from '../create-reader.ts'
import { codecName } from '../codec-names.ts'
import { isMarked, mark, TREE_CODE, unmark } from '../marker.ts'
import { InvalidOriginalError, InvalidParametersError, UnlinkedFileError } from '../errors.ts'
import { DefaultLinks } from '../links/default-links.ts'
import { isSame } from '../links/link-entries.ts'
import { findHeader } from '../read/find-header.ts'
import { ORIGINAL_LAYOUTS } from './contract.ts'
import { OriginalIndex, toOriginal } from './original-index.ts'
import { recordLinked } from './record-linked.ts'
import { recordTree } from './record-tree.ts'
import { fileId } from './records.ts'
import type { IpfszReader } from '../contract.ts'
import type { FileNode } from '../dag/node.ts'
import type { LinkOptions } from '../links/links.ts'
import type { AddOriginalsOptions, OriginalsComponents, OriginalsInit, PruneOriginalsOptions } from './contract.ts'
import type { MappedEntry } from './map-tree.ts'
import type { Original } from './records.ts'
import type { CID } from 'multiformats/cid'

/** Keeps the index from which a {@link DerivedBlockstore} answers. */
export class Originals {
  readonly #blockstore: OriginalsComponents['blockstore']
  readonly #links: DefaultLinks
  readonly #index: OriginalIndex
  readonly #files: IpfszReader
  readonly #layouts: readonly string[]

  /** @throws {InvalidParametersError} a layout is unknown */
  constructor (
    { blockstore, links, datastore }: OriginalsComponents,
    { layouts = [], codecs = allCodecs() }: OriginalsInit = {}
  ) {
    const unknown = layouts.find(name => !ORIGINAL_LAYOUTS.includes(name))

    if (unknown != null) {
      throw new InvalidParametersError(`${unknown} is not a layout: choose from ${ORIGINAL_LAYOUTS.join(', ')}`)
    }

    this.#files = ipfszReader({ blockstore }, { codecs })
    this.#blockstore = blockstore
    this.#links = new DefaultLinks({
      blockstore,
      datastore: links,
      read: (cid, options) => this.#files.cat(cid, options)
    })
    this.#index = new OriginalIndex(datastore)
    this.#layouts = layouts
  }

  /**
   * Index the originals of a compressed file that is linked, or the original of a tree with such files. A file is
   * decompressed once, and an original whose CID is not the linked one is not indexed. What is indexed already is left
   * as it is.
   *
   * A tree has one original: in it, each compressed file is replaced by its original with the layout of
   * `@helia/unixfs`.
   *
   * @param compressed - a marked CID, whose blocks are all stored
   * @throws {UnlinkedFileError} the file, or a file in the tree, is not linked
   * @throws {LinkMismatchError} its bytes have another CID
   * @throws {MissingHeaderError} another tool compressed it, so no part of it can be read alone
   * @throws {InvalidParametersError} the CID is not marked
   */
  async add (compressed: CID, options: AddOriginalsOptions = {}): Promise<Original[]> {
    if (!isMarked(compressed)) {
      throw new InvalidParametersError(`${compressed} is not the marked CID of a compressed file or tree`)
    }

    return compressed.code === TREE_CODE
      ? [await this.#addTree(compressed, options)]
      : this.#addFile(compressed, options)
  }

  async get (original: CID): Promise<Original | undefined> {
    return this.#index.original(original)
  }

  /** The originals of a compressed file or tree. */
  async * of (compressed: CID): AsyncGenerator<Original> {
    yield * this.#index.of(compressed)
  }

  async * list ({ signal }: LinkOptions = {}): AsyncGenerator<Original> {
    for await (const original of this.#index.list()) {
      signal?.throwIfAborted()
      yield original
    }
  }

  /** The CIDs of the blocks of an original, the root first. In a tree, only those of directories. */
  async * blocks (original: Original, { signal }: LinkOptions = {}): AsyncGenerator<CID> {
    for await (const cid of this.#index.blocks(original)) {
      signal?.throwIfAborted()
      yield cid
    }
  }

  /**
   * End originals: all of a compressed file or tree, or the one with that CID. Links stay.
   *
   * @returns how many were ended
   */
  async delete (cid: CID): Promise<number> {
    const ended: Original[] = []

    for await (const original of this.#index.of(cid)) {
      ended.push(original)
    }

    const original = await this.#index.original(cid)

    return this.#end(original == null ? ended : [...ended, original])
  }

  /**
   * End those originals of a compressed file that it is not linked to any more.
   *
   * @returns how many were ended
   */
  async deleteUnlinked (compressed: CID): Promise<number> {
    const ended: Original[] = []

    for await (const original of this.#index.of(compressed)) {
      if (!await this.#isLinked(original)) {
        ended.push(original)
      }
    }

    return this.#end(ended)
  }

  /**
   * End every original whose compressed file is gone, or whose link is, and delete what killed processes left of
   * others. Call it in a garbage collection, when it is known which files stay.
   *
   * @returns how many originals were ended
   */
  async prune ({ has = async cid => this.#blockstore.has(cid), signal }: PruneOriginalsOptions = {}): Promise<number> {
    let ended = 0

    for await (const { key, entry } of this.#index.entries()) {
      signal?.throwIfAborted()

      if (entry instanceof InvalidOriginalError) {
        await this.#index.deleteUnfinished(key)
        continue
      }

      const isKept = entry.state !== 'ended' && await has(unmark(entry.compressed))
      const original = toOriginal(key, entry, ['complete', 'ended'])

      if (original == null) {
        // a kept one may be in progress: whoever adds it again completes it
        await (isKept ? undefined : this.#index.deleteUnfinished(key))
      } else if (!isKept || !await this.#isLinked(original)) {
        ended += await this.#end([original])
      }
    }

    return ended
  }

  async #addFile (compressed: CID, options: AddOriginalsOptions): Promise<Original[]> {
    const parts = { files: this.#files, links: this.#links, index: this.#index, layouts: this.#layouts }

    return recordLinked(compressed, parts, options)
  }

  async #addTree (compressed: CID, options: AddOriginalsOptions): Promise<Original> {
    const mapFile = async (cid: CID, node: FileNode | undefined): Promise<MappedEntry | undefined> =>
      this.#originalOfFile(cid, node, options)

    return recordTree(compressed, { blockstore: this.#blockstore, mapFile }, this.#index, options)
  }

  /** The original of a file in a tree. Undefined if it is not compressed. */
  async #originalOfFile (
    cid: CID,
    node: FileNode | undefined,
    options: AddOriginalsOptions
  ): Promise<MappedEntry | undefined> {
    const header = node == null ? undefined : findHeader(node)
    const codec = header == null ? undefined : codecName(header.codec)

    if (header == null || codec == null) {
      return undefined
    }

    const id = fileId(cid, UNIXFS_V1_2025.name)
    const known = await this.#index.get(id)
    const originals = known == null ? await this.#addFile(mark(cid, codec), options) : [known]
    const original = originals.find(({ layout }) => layout === UNIXFS_V1_2025.name)

    if (original == null) {
      throw new UnlinkedFileError(mark(cid, codec))
    }

    return { cid: original.original, dagSize: original.dagSize }
  }

  async #end (originals: readonly Original[]): Promise<number> {
    for (const original of originals) {
      await this.#index.end(original)
    }

    return originals.length
  }

  /** Whether the link of a file exists. A directory has none. */
  async #isLinked ({ type, original, compressed }: Original): Promise<boolean> {
    const link = type === 'directory' ? undefined : await this.#links.linkOf(original)

    return type === 'directory' || (link != null && isSame(link.compressed, compressed))
  }
}
