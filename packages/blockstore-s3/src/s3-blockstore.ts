import { collectBlock } from '@ipfsz/utils/collect-block'
import { mapOrdered } from '@ipfsz/utils/map-ordered'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { BLOCKS, blockKey, multihashOf } from './block-keys.ts'
import { DEFAULT_CONCURRENCY, DEFAULT_MAX_BLOCK_SIZE, MAX_KEYS } from './constants.ts'
import {
  DeleteFailedError, GetFailedError, HasFailedError, OpenFailedError, PutFailedError, S3ResponseError
} from './errors.ts'
import { wrapErrors } from './wrap-errors.ts'
import { LookBeforePut } from './look-before-put.ts'
import { S3Objects } from './s3-objects.ts'
import type { ListOptions, ObjectInfo, RangeOptions, S3ObjectsInit, S3Options } from './contract.ts'
import type { BlockBytes } from '@ipfsz/utils/collect-block'
import type { Blockstore, InputPair, Pair } from 'interface-blockstore'

type Source<T> = Iterable<T> | AsyncIterable<T>

export interface S3BlockstoreInit {
  /** Whether `open` creates the bucket, if the store says that it does not exist. @default false */
  createIfMissing?: boolean | undefined

  /** Blocks that a batch puts or gets at a time. @default 16 */
  concurrency?: number | undefined

  /** Maximum number of bytes of a block. @default 16777216 */
  maxBlockSize?: number | undefined
}

/** A block in the store, as a listing describes it. */
export interface StoredBlockInfo extends Omit<ObjectInfo, 'key'> {
  cid: CID
}

/**
 * Blocks in an S3 bucket, each an object below `blocks/`. Other objects in the bucket are never touched, nor listed.
 *
 * A block that is not there is a NotFoundError, and `has` answers false only if the store says so. Every other failure
 * is one of GetFailedError, PutFailedError, HasFailedError, DeleteFailedError and OpenFailedError, whose `cause` says
 * whether it was the store (S3ResponseError) or the network (S3NetworkError).
 *
 * Bytes are not compared with their CIDs here: a CompressedBlockstore of @ipfsz/blockstore-compressed around it does
 * so.
 */
export class S3Blockstore implements Blockstore {
  /** The objects of the bucket, for whoever keeps other records there. */
  readonly objects: S3Objects
  readonly #init: Required<{ [K in keyof S3BlockstoreInit]: NonNullable<S3BlockstoreInit[K]> }>
  readonly #look: LookBeforePut

  /** @throws {S3UrlError} */
  constructor (objects: S3Objects | S3ObjectsInit, {
    createIfMissing = false, concurrency = DEFAULT_CONCURRENCY, maxBlockSize = DEFAULT_MAX_BLOCK_SIZE
  }: S3BlockstoreInit = {}) {
    this.objects = objects instanceof S3Objects
      ? objects
      // what is larger than a block is refused before it is read
      : new S3Objects({ maxObjectSize: maxBlockSize, ...objects })
    this.#look = new LookBeforePut(this.objects)
    this.#init = { createIfMissing, concurrency, maxBlockSize }
  }

  /**
   * Check that the bucket is there and may be listed.
   *
   * @throws {OpenFailedError}
   */
  async open ({ signal }: S3Options = {}): Promise<void> {
    const { objects } = this
    const about = `Could not open the bucket ${objects.bucket}`

    await wrapErrors(OpenFailedError, about, signal, async () => {
      try {
        await objects.checkBucket({ signal })
      } catch (err) {
        if (!this.#init.createIfMissing || !(err instanceof S3ResponseError) || err.code !== 'NoSuchBucket') {
          throw err
        }

        await objects.createBucket({ signal })
      }
    })
  }

  /** Close all connections. Call it when no request runs. */
  async close (): Promise<void> {
    this.objects.close()
  }

  /**
   * Store a block. When this resolves, every node that uses the store sees it. One of 64 KiB or more that is there with
   * the same bytes, by their MD5, is not sent again. Nor is a smaller one, as long as those before it were there. One
   * that the store has just missed, or that was just read, is sent at once.
   *
   * @throws {PutFailedError}
   */
  async put (cid: CID, value: BlockBytes, { signal }: S3Options = {}): Promise<CID> {
    await wrapErrors(PutFailedError, `Could not store the block ${cid}`, signal, async () => {
      const key = blockKey(cid)
      const bytes = await this.#collect(value, signal)

      if (!await this.#look.isThere(key, bytes, signal)) {
        await this.objects.put(key, bytes, { signal })
        this.#look.stored(key)
      }
    })

    return cid
  }

  /**
   * Read a block in one piece. Other options are ignored: Helia passes those of a file to the blockstore.
   *
   * @throws {NotFoundError}
   * @throws {GetFailedError}
   */
  async * get (cid: CID, { signal }: S3Options = {}): AsyncGenerator<Uint8Array> {
    yield await this.getRange(cid, { signal })
  }

  /**
   * Read a part of a block. Nothing can tell whether it is right: only a whole block can be compared with its CID.
   *
   * @throws {NotFoundError}
   * @throws {GetFailedError}
   */
  async getRange (cid: CID, { offset, length, signal }: RangeOptions & S3Options = {}): Promise<Uint8Array> {
    return wrapErrors(GetFailedError, `Could not read the block ${cid}`, signal, async () => {
      const key = blockKey(cid)

      this.#look.asked(key)

      return this.objects.get(key, { offset, length, signal })
    })
  }

  /** @throws {HasFailedError} the store refuses to tell, or does not answer */
  async has (cid: CID, { signal }: S3Options = {}): Promise<boolean> {
    return wrapErrors(HasFailedError, `Could not look for the block ${cid}`, signal, async () => {
      return this.#look.has(blockKey(cid), signal)
    })
  }

  /** @throws {DeleteFailedError} */
  async delete (cid: CID, { signal }: S3Options = {}): Promise<void> {
    await wrapErrors(DeleteFailedError, `Could not delete the block ${cid}`, signal, async () => {
      await this.objects.delete([blockKey(cid)], { signal })
    })
  }

  /** @throws {PutFailedError} */
  async * putMany (source: Source<InputPair>, { signal }: S3Options = {}): AsyncGenerator<CID> {
    const { concurrency } = this.#init

    yield * mapOrdered(source, async ({ cid, bytes }) => this.put(cid, bytes, { signal }), { concurrency, signal })
  }

  /**
   * @throws {NotFoundError}
   * @throws {GetFailedError}
   */
  async * getMany (source: Source<CID>, { signal }: S3Options = {}): AsyncGenerator<Pair> {
    const { concurrency } = this.#init
    const read = async (cid: CID): Promise<{ cid: CID, block: Uint8Array }> => ({
      cid,
      block: await this.#collect(this.get(cid, { signal }), signal)
    })

    for await (const { cid, block } of mapOrdered(source, read, { concurrency, signal })) {
      yield { cid, bytes: once(block) }
    }
  }

  /** Delete blocks, up to a thousand with one request. @throws {DeleteFailedError} */
  async * deleteMany (source: Source<CID>, { signal }: S3Options = {}): AsyncGenerator<CID> {
    let batch: CID[] = []

    for await (const cid of source) {
      batch.push(cid)

      if (batch.length === MAX_KEYS) {
        yield * this.#deleteBatch(batch, signal)
        batch = []
      }
    }

    yield * this.#deleteBatch(batch, signal)
  }

  /**
   * All blocks, by CIDs of version 1 with the codec raw: a multihash is all that the store knows. A block is read when
   * its bytes are asked for.
   *
   * @throws {GetFailedError}
   */
  async * getAll (options: S3Options = {}): AsyncGenerator<Pair> {
    for await (const page of this.list(options)) {
      for (const { cid } of page) {
        yield { cid, bytes: this.get(cid, options) }
      }
    }
  }

  /**
   * List all blocks without reading them, in pages, ascending by their keys.
   *
   * @throws {GetFailedError}
   */
  async * list ({ after, signal }: ListOptions<CID> = {}): AsyncGenerator<StoredBlockInfo[]> {
    const pages = this.objects.list(BLOCKS, { after: after == null ? undefined : blockKey(after), signal })
    const about = `Could not list the blocks in the bucket ${this.objects.bucket}`

    for (;;) {
      const page = await wrapErrors(GetFailedError, about, signal, async () => pages.next())

      if (page.done === true) {
        return
      }

      yield page.value.flatMap(({ key, ...info }) => {
        const multihash = multihashOf(key)

        return multihash == null ? [] : [{ cid: CID.createV1(raw.code, multihash), ...info }]
      })
    }
  }

  async #collect (value: BlockBytes, signal: AbortSignal | null | undefined): Promise<Uint8Array> {
    const { maxBlockSize: max } = this.#init

    // in one piece: a signature and a length come before the body
    return collectBlock(value, { max, tooLarge: () => new RangeError(`it exceeds the limit of ${max} bytes`), signal })
  }

  async * #deleteBatch (cids: CID[], signal: AbortSignal | null | undefined): AsyncGenerator<CID> {
    if (cids.length > 0) {
      await wrapErrors(DeleteFailedError, `Could not delete ${cids.length} blocks`, signal, async () => {
        await this.objects.delete(cids.map(blockKey), { signal })
      })
    }

    yield * cids
  }
}

function * once<T> (value: T): Generator<T> {
  yield value
}
