import { BLOCKS, multihashOf, S3Blockstore } from '@ipfsz/blockstore-s3'
import { refuseOlder } from './refuse-older.ts'
import type { S3Objects } from '@ipfsz/blockstore-s3'
import type { CID } from 'multiformats/cid'
import type { BlockStorage, StoredBlock } from '../storage/block-storage.ts'

/** A block, as a listing describes it. */
interface ListedBlock extends StoredBlock {
  size: number
  /** The key of its object. */
  path: string
}

/** The blocks of an older store in a bucket. */
export class OlderObjects extends S3Blockstore implements BlockStorage {
  readonly #name: string

  /** @param name - the store, for messages */
  constructor (objects: S3Objects, name: string) {
    super(objects)
    this.#name = name
  }

  /** @throws {StoreError} always: it cannot be written */
  override async open (): Promise<void> {
    refuseOlder(this.#name)
  }

  /** @throws {StoreError} always: it cannot be written */
  override async put (): Promise<CID> {
    return refuseOlder(this.#name)
  }

  async sync (): Promise<void> {
    // nothing is written
  }

  async syncLater (): Promise<void> {
    // nothing is written
  }

  async settled (): Promise<void> {
    // nothing is written
  }

  async * blocks (options?: Parameters<BlockStorage['blocks']>[0]): AsyncGenerator<ListedBlock[]> {
    for await (const page of this.objects.list(BLOCKS, options)) {
      yield page.flatMap(({ key, size }) => {
        const multihash = multihashOf(key)

        return multihash == null ? [] : [{ multihash, path: key, size }]
      })
    }
  }

  async sizeOf (block: StoredBlock): Promise<number> {
    return (block as ListedBlock).size
  }

  async remove (...[blocks, options]: Parameters<BlockStorage['remove']>): Promise<void> {
    await this.objects.delete(blocks.map(block => (block as ListedBlock).path), options)
  }
}
