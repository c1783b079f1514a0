import { collectBytes, concat } from '@ipfsz/utils/bytes'
import { messageOf } from '@ipfsz/utils/message-of'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { raceSignal } from 'race-signal'
import { MAX_FOREIGN_LEAF_SIZE, REGION_RATIO } from '../constants.ts'
import { encodeFileBlock } from '../dag/file-block.ts'
import { ipfszReader } from '../create-reader.ts'
import { checkBlock } from '../dag/hashes.ts'
import { NotFoundError, OriginalMismatchError } from '../errors.ts'
import { WrappedBlockstore } from '../util/wrapped-blockstore.ts'
import { resolveInit } from './derived-init.ts'
import { FrameDecoder } from './frame-decoder.ts'
import { OriginalIndex } from './original-index.ts'
import type { IpfszReader } from '../contract.ts'
import type { DerivedBlockstoreInit } from './derived-init.ts'
import type { FoundBlock, OriginalsDatastore } from './original-index.ts'
import type { BlockEntry, Original } from './records.ts'
import type { Stats } from '../unixfs.ts'
import type { Blockstore, Pair } from 'interface-blockstore'

type Options = Parameters<Blockstore['has']>[1]

/**
 * Wraps the blockstore of compressed files, and also has the blocks of their uncompressed originals, which it stores
 * nowhere: it decompresses the frames that hold a leaf when somebody asks for it, and compares the leaf with its CID.
 * Put it below Helia, and every IPFS node can fetch and pin the originals.
 *
 * `has` decompresses nothing. Blocks that the wrapped store has are read from there. `put`, `delete` and `getAll` are
 * those of the wrapped store.
 */
export class DerivedBlockstore extends WrappedBlockstore {
  readonly #index: OriginalIndex
  readonly #files: IpfszReader
  readonly #decoder: FrameDecoder
  readonly #onError: (err: unknown) => void

  /**
   * @param inner - stores the compressed files
   * @throws {InvalidParametersError} a number in `init` is not above 0
   */
  constructor (inner: Blockstore, init: DerivedBlockstoreInit) {
    super(inner)
    const { codecs, datastore, onError, ...decoder } = resolveInit(init)

    this.#index = new OriginalIndex(datastore as OriginalsDatastore)
    this.#files = ipfszReader({ blockstore: inner }, { codecs })
    this.#decoder = new FrameDecoder(decoder)
    this.#onError = onError
  }

  /** The original that has this CID, of any version, if its blocks can be derived. */
  async original (cid: CID): Promise<Original | undefined> {
    return this.#index.original(cid)
  }

  override async has (cid: CID, options?: Options): Promise<boolean> {
    if (await super.has(cid, options)) {
      return true
    }

    for await (const _ of this.#index.find(cid.multihash)) {
      return true
    }

    return false
  }

  /**
   * Yields the block as one chunk, if it is derived.
   *
   * @throws {NotFoundError} the block is in neither store. If the index knows it, the cause says why it is not found
   */
  override async * get (cid: CID, options?: Options): AsyncGenerator<Uint8Array> {
    if (await super.has(cid, options)) {
      yield * super.get(cid, options)
      return
    }

    let cause: unknown

    try {
      for await (const found of this.#index.find(cid.multihash)) {
        const block = await this.#derive(cid, found, options).catch((err: unknown) => {
          options?.signal?.throwIfAborted()
          this.#onError(err)
          cause = err
        })

        if (block != null) {
          yield block
          return
        }
      }
    } catch (err) {
      options?.signal?.throwIfAborted()
      this.#onError(err)
      cause = err
    }

    throw new NotFoundError(cid, cause == null ? {} : { cause })
  }

  override async * getMany (source: Iterable<CID> | AsyncIterable<CID>, options?: Options): AsyncGenerator<Pair> {
    for await (const cid of source) {
      yield { cid, bytes: this.get(cid, options) }
    }
  }

  async #derive (cid: CID, { original, ...found }: FoundBlock, options: Options): Promise<Uint8Array> {
    const { compressed } = original
    const entry = found.entry()

    const block = entry.kind === 'node' ? entry.bytes : await this.#leaf(cid, compressed, entry, options)

    try {
      // the index may promise anything: nobody gets a block that was not compared
      await checkBlock(CID.createV1(raw.code, cid.multihash), block)
    } catch (err) {
      throw new OriginalMismatchError(cid, compressed, messageOf(err), { cause: err })
    }

    return block
  }

  async #leaf (
    cid: CID,
    compressed: CID,
    { kind, offset, length }: Exclude<BlockEntry, { kind: 'node' }>,
    options: Options
  ): Promise<Uint8Array> {
    const signal = options?.signal
    const stat = async (cid: CID): Promise<Stats> => raceSignal(this.#files.stat(cid, { offline: true }), signal)
    const { size, frameSize, base } = await stat(compressed)

    if (frameSize == null || length > MAX_FOREIGN_LEAF_SIZE || offset + length > Number(size)) {
      throw new OriginalMismatchError(cid, compressed, `it has no block of ${length} bytes at ${offset}`)
    }

    // `stat` tells the frame size of a file only by its marked CID
    const markedBase = base == null ? undefined : (await stat(base)).markedCid
    const baseFrames = markedBase == null ? 0 : (await stat(markedBase)).frameSize ?? 0
    const baseFrameSize = base == null ? undefined : baseFrames
    const file = { size: Number(size), frameSize, baseFrameSize }
    const bytes = await this.#read(compressed, file, { offset, length }, signal)

    return kind === 'raw' ? bytes : encodeFileBlock({ inline: bytes })
  }

  /** A part of the original bytes of a file. A copy: the frames are large, and are kept by the decoder alone. */
  async #read (
    compressed: CID,
    { size, frameSize, baseFrameSize }: { size: number, frameSize: number, baseFrameSize: number | undefined },
    { offset, length }: { offset: number, length: number },
    signal: AbortSignal | null | undefined
  ): Promise<Uint8Array> {
    const parts: Uint8Array[] = []

    for (let start = offset - offset % frameSize; start < offset + length; start += frameSize) {
      const frameLength = Math.min(frameSize, size - start)
      const range = { offset: start, length: frameLength, offline: true }
      const frame = await this.#decoder.get(
        `${compressed}/${start}`,
        // with a base, also its frames that hold the region: it may begin and end in the middle of one
        frameLength + (baseFrameSize == null ? 0 : frameLength * REGION_RATIO + 2 * baseFrameSize),
        async signal => collectBytes(this.#files.cat(compressed, { ...range, signal })),
        signal
      )

      parts.push(frame.subarray(Math.max(offset - start, 0), Math.min(offset + length - start, frameLength)))
    }

    return concat(parts).slice()
  }
}
