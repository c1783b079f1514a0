// Above 250 lines: the steps of one import share its state, and nearly all of them change it.
import * as dagPb from '@ipld/dag-pb'
import { anySignal } from 'any-signal'
import * as raw from 'multiformats/codecs/raw'
import { ipfsz } from '../create-ipfsz.ts'
import { getBlock } from '../dag/block.ts'
import { isIdentity } from '../dag/hashes.ts'
import { decodeNode } from '../dag/node.ts'
import { LinkMismatchError, notUnixFS } from '../errors.ts'
import { dagSize } from '../read/describe.ts'
import { DefaultLinks } from '../links/default-links.ts'
import { isChecked } from '../links/link-entries.ts'
import { OriginalCheck } from '../links/original-check.ts'
import { isMarked, mark, unmark } from '../marker.ts'
import { mapOrdered } from '../util/map-ordered.ts'
import { TreeMap } from './map-tree.ts'
import { OriginalIndex } from './original-index.ts'
import { Originals } from './originals.ts'
import { treeId } from './records.ts'
import type { Ipfsz } from '../contract.ts'
import type { GetStore } from '../dag/block.ts'
import type { FileNode } from '../dag/node.ts'
import type { CompressionOptions } from '../policy/compression-options.ts'
import type { OriginalsComponents } from './contract.ts'
import type { MappedDirectory, MappedEntry } from './map-tree.ts'
import type { CID } from 'multiformats/cid'

/** Has the blocks. Nothing is put into it. */
type Source = OriginalsComponents['blockstore']

/** How many blocks are copied at a time. */
const COPIES = 8

export interface ImportDagOptions {
  signal?: AbortSignal | null | undefined
  /** How to compress. */
  compression?: CompressionOptions | undefined
  /** Called when a file is done. */
  onFile?: ((file: ImportedFile) => void) | undefined
  /** Called with how many bytes of files, or of blocks that are copied, were read from the source. */
  onBytes?: ((bytes: number) => void) | undefined
}

export interface ImportedFile {
  original: CID
  /** The marked CID of the compressed file, if it was compressed. */
  compressed?: CID | undefined
  /**
   * Why it is stored as it was: it would not shrink, or no known importer settings make its CID of its bytes, so that
   * its blocks could not be derived.
   */
  reason?: 'not smaller' | 'unknown settings' | undefined
}

export interface ImportedDag {
  /** The CID to pin: marked if anything was compressed, otherwise the root itself. */
  cid: CID
  /** How many files were compressed, by this call or an earlier one. */
  compressed: number
  /** How many files are stored as they were, because no known importer settings make their CIDs. */
  unknown: number
  /** How many files are stored as they were, because they would not shrink. */
  plain: number
}

/**
 * Copy a file or directory from another store and compress it, so that a {@link DerivedBlockstore} goes on answering
 * for all of its blocks. A file whose blocks cannot be derived from the compressed copy, bit for bit, is copied as it
 * is, and so is one that would not shrink. What an earlier call has compressed is not compressed again.
 *
 * Pin the CID that it returns.
 *
 * @param root - a plain CID
 * @param source - has the blocks. They are compared with their CIDs
 * @throws {NotUnixFSError} something below the root is neither a file nor a directory
 * @throws {NotFoundError} the source lacks a block
 */
export async function importDag (
  root: CID,
  source: Source,
  components: OriginalsComponents,
  options: ImportDagOptions = {}
): Promise<ImportedDag> {
  return new DagImport(source, components, options).import(root)
}

class DagImport {
  readonly #source: GetStore
  readonly #sourceFiles: Ipfsz
  readonly #target: OriginalsComponents['blockstore']
  readonly #files: Ipfsz
  readonly #links: DefaultLinks
  readonly #index: OriginalIndex
  readonly #originals: Originals
  readonly #options: ImportDagOptions
  readonly #counts = { compressed: 0, unknown: 0, plain: 0 }

  constructor (
    source: Source,
    components: OriginalsComponents,
    options: ImportDagOptions
  ) {
    const { blockstore, links, datastore } = components

    this.#source = source
    this.#sourceFiles = ipfsz({ blockstore: source })
    this.#target = blockstore
    this.#files = ipfsz({ blockstore })
    this.#links = new DefaultLinks({ blockstore, datastore: links, read: cid => this.#files.cat(cid) })
    this.#index = new OriginalIndex(datastore)
    this.#originals = new Originals(components)
    this.#options = options
  }

  async import (root: CID): Promise<ImportedDag> {
    let isDirectory = false
    const mapped = await new TreeMap({
      blockstore: this.#source,
      mapFile: async (cid, node) => this.#file(cid, node),
      onDirectory: async ({ to: { cid, block } }) => {
        isDirectory = true
        await this.#put(cid, block)
      }
    }, this.#options).map(root)

    if (mapped == null) {
      return { cid: root, ...this.#counts }
    }

    if (!isDirectory) {
      // a file: its link says how it is marked
      return { cid: (await this.#links.linkOf(root))?.compressed ?? root, ...this.#counts }
    }

    const tree = mark(mapped.cid, 'tree')
    await this.#recordDirectories(root, tree)

    return { cid: tree, ...this.#counts }
  }

  /** Index the original directories, whose blocks are the source's. Now all files are linked. */
  async #recordDirectories (root: CID, compressed: CID): Promise<void> {
    const id = treeId(compressed, root)

    if (await this.#index.get(id) != null) {
      return
    }

    await this.#index.begin(id)
    let dagSize = 0
    const record = async ({ from, to }: MappedDirectory): Promise<void> => {
      if (from.cid.equals(root)) {
        dagSize = dagPb.decode(from.block).Links.reduce((size, { Tsize = 0 }) => size + Tsize, from.block.byteLength)
      }

      if (!from.cid.equals(to.cid)) {
        await this.#index.write(id, [[from.cid.multihash, { kind: 'node', bytes: from.block }]])
      }
    }

    await new TreeMap({
      blockstore: this.#source,
      mapFile: async cid => this.#known(cid),
      onDirectory: record
    }, this.#options).map(root)
    await this.#index.complete({ original: root, compressed, type: 'directory', dagSize })
  }

  async #file (cid: CID, node: FileNode | undefined): Promise<MappedEntry | undefined> {
    if (cid.code !== raw.code && cid.code !== dagPb.code) {
      throw notUnixFS(cid)
    }

    const isFile = node == null || node.unixfs.type === 'file' || node.unixfs.type === 'raw'
    const known = await this.#known(cid) ?? (isFile ? await this.#compress(cid) : undefined)

    if (known == null) {
      await this.#copy(cid)
    } else {
      this.#counts.compressed++
    }

    return known
  }

  /** The compressed copy of an original that is indexed. */
  async #known (cid: CID): Promise<MappedEntry | undefined> {
    const link = isIdentity(cid) ? undefined : await this.#links.linkOf(cid)

    if (link == null || !isChecked(link) || !await this.#target.has(unmark(link.compressed))) {
      return undefined
    }

    // completes what a killed call began
    await this.#originals.add(link.compressed, this.#options)
    const root = unmark(link.compressed)
    const block = await getBlock(root, this.#target, this.#options)

    return { cid: root, dagSize: dagSize({ cid: root, block, node: decodeNode(root, block) }) }
  }

  /** Compress a file, and check that its blocks can be derived. Undefined if it is to be stored as it is. */
  async #compress (cid: CID): Promise<MappedEntry | undefined> {
    const { onFile } = this.#options
    const check = new OriginalCheck(cid, this.#options)
    const compressed = await this.#addCompressed(cid, check)

    if (compressed == null) {
      this.#counts.plain++
      onFile?.({ original: cid, reason: 'not smaller' })

      return undefined
    }

    const { layout } = await check.compare()

    if (layout == null) {
      this.#counts.unknown++
      onFile?.({ original: cid, reason: 'unknown settings' })

      return undefined
    }

    await this.#links.addChecked({ original: cid, compressed, check: layout }, this.#options)

    try {
      const known = await this.#known(cid)
      onFile?.({ original: cid, compressed })

      return known
    } catch (err) {
      if (!(err instanceof LinkMismatchError)) {
        throw err
      }

      await this.#links.delete(cid)
      this.#counts.unknown++
      onFile?.({ original: cid, reason: 'unknown settings' })

      return undefined
    }
  }

  /** Compress a file while its bytes are compared with its CID. Stops, and stores nothing, if it would not shrink. */
  async #addCompressed (cid: CID, check: OriginalCheck): Promise<CID | undefined> {
    const { compression, signal, onBytes } = this.#options
    const isPlain = new AbortController()
    const either = anySignal([signal, isPlain.signal])
    const sourceFiles = this.#sourceFiles
    const bytes = async function * (): AsyncGenerator<Uint8Array> {
      for await (const piece of sourceFiles.cat(cid, { signal: either })) {
        await check.update(piece)
        onBytes?.(piece.byteLength)
        yield piece
      }
    }
    // what is on its way when it turns out to be plain
    const blockstore = {
      get: this.#target.get.bind(this.#target),
      has: this.#target.has.bind(this.#target),
      put: async (...args: Parameters<OriginalsComponents['blockstore']['put']>): Promise<CID> => {
        either.throwIfAborted()

        return this.#target.put(...args)
      }
    }

    try {
      const added = await ipfsz({ blockstore }).addByteStream(bytes(), {
        compression,
        signal: either,
        onProgress (event) {
          if (event.type === 'ipfsz:add:decided' && event.detail.codec === 'none') {
            isPlain.abort()
          }
        }
      })

      return isMarked(added) ? added : undefined
    } catch (err) {
      signal?.throwIfAborted()

      if (isPlain.signal.aborted) {
        return undefined
      }

      throw err
    } finally {
      either.clear()
    }
  }

  /** Copy the blocks of a file as they are. */
  async #copy (root: CID): Promise<void> {
    const waiting = [root]

    while (waiting.length > 0) {
      this.#options.signal?.throwIfAborted()
      // depth first, so that few wait
      const batch = waiting.splice(-COPIES)
      const copied = mapOrdered(batch, async cid => ({ cid, block: await this.#copyBlock(cid) }), {
        concurrency: COPIES,
        signal: this.#options.signal
      })

      for await (const { cid, block } of copied) {
        if (cid.code === dagPb.code) {
          waiting.push(...Array.from(decodeNode(cid, block).links, ({ Hash }) => Hash))
        } else if (cid.code !== raw.code) {
          throw notUnixFS(cid)
        }
      }
    }
  }

  async #copyBlock (cid: CID): Promise<Uint8Array> {
    const block = await getBlock(cid, this.#source, this.#options)
    await this.#put(cid, block)
    this.#options.onBytes?.(block.byteLength)

    return block
  }

  async #put (cid: CID, block: Uint8Array): Promise<void> {
    if (!isIdentity(cid)) {
      await this.#target.put(cid, block, this.#options as Parameters<OriginalsComponents['blockstore']['put']>[2])
    }
  }
}
