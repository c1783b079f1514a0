import {
  blockKey,
  BLOCKS,
  decodeBlockEntry,
  decodeOriginal,
  encodeBlockEntry,
  encodeOriginal,
  entriesOfBlock,
  idOf,
  isIndexed,
  layoutOfKey,
  originalKey,
  originalKeyOfBlock,
  ORIGINALS,
  originalsOf
} from './records.ts'
import { walkBlocks } from './walk-blocks.ts'
import { InvalidOriginalError } from '../errors.ts'
import { read } from '../links/link-entries.ts'
import type { BlockEntry, Original, OriginalEntry, OriginalId } from './records.ts'
import type { Datastore } from 'interface-datastore'
import type { Key } from 'interface-datastore/key'
import type { MultihashDigest } from 'multiformats'
import type { CID } from 'multiformats/cid'

/** Where the index of originals is stored. A batch should be written as a whole or not at all. */
export type OriginalsDatastore = Pick<Datastore, 'get' | 'put' | 'delete' | 'query' | 'batch'>

/** A block of a complete original. */
export interface FoundBlock {
  original: Original
  /**
   * What is known of the block.
   *
   * @throws {InvalidOriginalError}
   */
  entry (): BlockEntry
}

/** How many originals are looked at that hold one block: one is enough, unless its compressed file is gone. */
const MAX_FOUND = 16

/** How many entries are deleted together. */
const BATCH = 1024

/** The entries of originals in a datastore: see `records.ts`. Holds nothing in memory. */
export class OriginalIndex {
  readonly #datastore: OriginalsDatastore

  constructor (datastore: OriginalsDatastore) {
    this.#datastore = datastore
  }

  /** The complete originals that hold a block, with what is known of the block. At most 16. */
  async * find (multihash: MultihashDigest): AsyncGenerator<FoundBlock> {
    if (!isIndexed(multihash)) {
      return
    }

    for await (const { key, value } of this.#datastore.query({ prefix: entriesOfBlock(multihash), limit: MAX_FOUND })) {
      const original = await this.#complete(originalKeyOfBlock(key))

      if (original != null) {
        // a damaged entry must not keep back those after it
        yield { original, entry: () => decodeBlockEntry(key, value) }
      }
    }
  }

  /** The complete original with this CID, of any version. */
  async original (cid: CID): Promise<Original | undefined> {
    for await (const { original } of this.find(cid.multihash)) {
      if (original.original.toV1().equals(cid.toV1())) {
        return original
      }
    }

    return undefined
  }

  /** The complete originals of a compressed file or tree. */
  async * of (compressed: CID): AsyncGenerator<Original> {
    yield * this.#list(originalsOf(compressed))
  }

  async * list (): AsyncGenerator<Original> {
    yield * this.#list(`${ORIGINALS}/`)
  }

  /** The keys and entries of all originals, in whatever state. An entry that cannot be read is an error. */
  async * entries (): AsyncGenerator<{ key: Key, entry: OriginalEntry | InvalidOriginalError }> {
    for await (const { key, value } of this.#datastore.query({ prefix: `${ORIGINALS}/` })) {
      yield { key, entry: decode(key, value) }
    }
  }

  async get (id: OriginalId): Promise<Original | undefined> {
    return this.#complete(originalKey(id))
  }

  /** Note that the blocks of an original are about to be written. One that another process has completed stays so. */
  async begin (id: OriginalId): Promise<void> {
    if (await this.get(id) != null) {
      return
    }

    await this.#datastore.put(originalKey(id), encodeOriginal({ state: 'begun', compressed: id.compressed }))
  }

  async write (id: OriginalId, blocks: ReadonlyArray<[MultihashDigest, BlockEntry]>): Promise<void> {
    const batch = this.#datastore.batch()

    for (const [multihash, entry] of blocks) {
      batch.put(blockKey(multihash, id), encodeBlockEntry(entry))
    }

    await batch.commit()
  }

  /** Make an original count, once all of its blocks are written. */
  async complete (original: Original): Promise<void> {
    await this.#datastore.put(originalKey(idOf(original)), encodeOriginal({ state: 'complete', ...original }))
  }

  /** End a complete original at once, and then delete the entries of its blocks. */
  async end (original: Original): Promise<void> {
    const id = idOf(original)

    await this.#datastore.put(originalKey(id), encodeOriginal({ state: 'ended', ...original }))

    const blocks = walkBlocks(original.original, async cid => this.#block(cid, id), { childrenFirst: true })
    await this.#deleteAll(blocks, ({ multihash }) => blockKey(multihash, id))
    await this.#datastore.delete(originalKey(id))
  }

  /** Delete what is left of an original that was never complete. Looks at every entry of a block. */
  async deleteUnfinished (key: Key): Promise<void> {
    const suffix = key.toString().slice(ORIGINALS.length)
    const entries = this.#datastore.query({ prefix: `${BLOCKS}/` })

    await this.#deleteAll(entries, ({ key }) => key.toString().endsWith(suffix) ? key : undefined)
    await this.#datastore.delete(key)
  }

  /** The CIDs of all blocks of an original, the root first. */
  async * blocks (original: Original): AsyncGenerator<CID> {
    yield * walkBlocks(original.original, async cid => this.#block(cid, idOf(original)))
  }

  async #deleteAll<T> (items: Iterable<T> | AsyncIterable<T>, keyOf: (item: T) => Key | undefined): Promise<void> {
    let batch = this.#datastore.batch()
    let size = 0

    for await (const item of items) {
      const key = keyOf(item)

      if (key != null) {
        batch.delete(key)
        size++
      }

      if (size === BATCH) {
        await batch.commit()
        batch = this.#datastore.batch()
        size = 0
      }
    }

    await batch.commit()
  }

  async #block ({ multihash }: CID, id: OriginalId): Promise<BlockEntry | undefined> {
    if (!isIndexed(multihash)) {
      return undefined
    }

    const key = blockKey(multihash, id)
    const found = await read(this.#datastore, key)

    return found && decodeBlockEntry(key, found.value)
  }

  async #complete (key: Key): Promise<Original | undefined> {
    const found = await read(this.#datastore, key)

    return found && toOriginal(key, decodeOriginal(key, found.value))
  }

  async * #list (prefix: string): AsyncGenerator<Original> {
    for await (const { key, value } of this.#datastore.query({ prefix })) {
      const entry = decode(key, value)
      const original = entry instanceof InvalidOriginalError ? undefined : toOriginal(key, entry)

      if (original != null) {
        yield original
      }
    }
  }
}

/** An original, from an entry that is complete or ended. */
export function toOriginal (
  key: Key,
  entry: OriginalEntry,
  states: ReadonlyArray<OriginalEntry['state']> = ['complete']
): Original | undefined {
  if (entry.state === 'begun' || !states.includes(entry.state)) {
    return undefined
  }

  const { original, compressed, type, dagSize } = entry
  const layout = layoutOfKey(key)

  return { original, compressed, type, dagSize, ...layout == null ? {} : { layout } }
}

function decode (key: Key, value: Uint8Array): OriginalEntry | InvalidOriginalError {
  try {
    return decodeOriginal(key, value)
  } catch (err) {
    if (err instanceof InvalidOriginalError) {
      return err
    }

    throw err
  }
}
