import { FORMATTED_DICTIONARY } from '@ipfsz/codecs'
import { MAX_STORED_BASE_SIZE, MIN_REGION_SIZE } from '../constants.ts'
import { baseOf } from '../dag/base-link.ts'
import { MESSAGE } from '../dag/message.ts'
import { fileSize } from '../dag/read.ts'
import { InvalidBaseError } from '../errors.ts'
import { hasBase } from '../format/header.ts'
import { needsIpfsz } from '../format/needs-ipfsz.ts'
import { readFields } from '../format/protobuf.ts'
import { unmark } from '../marker.ts'
import { dagSize, originalSize } from '../read/describe.ts'
import { openRoot } from '../read/entry.ts'
import { verifyTrailer } from '../read/verify-trailer.ts'
import { contentToLink, ensureStored, throwIfNotFile } from './base-content.ts'
import { BaseReader } from './base-reader.ts'
import { checkContent } from './check-content.ts'
import { maxRegion, NO_REGION } from './frame-base.ts'
import { contains, PieceComparer } from './piece-comparer.ts'
import { RegionFinder } from './region-finder.ts'
import type { Piece } from '../frames/compress-frames.ts'
import type { FileLink } from '../dag/file-block.ts'
import type { Region } from '../format/header.ts'
import type { Entry } from '../read/entry.ts'
import type { BaseContent, CachedBlocks, StoredBaseSettings } from './base-content.ts'
import type { AidOptions, FrameBase, WrittenBaseRoot } from './frame-base.ts'
import type { CID } from 'multiformats/cid'

interface Options {
  signal?: AbortSignal | null | undefined
}

export interface WrittenBaseOptions extends Options {
  refuseBased?: boolean | undefined
}

/** An earlier version of a file that is being added: its frames refer back to regions of it. */
export class WrittenBase implements FrameBase {
  /** The link from the root of the new file. */
  readonly link: FileLink
  /** Original bytes. */
  readonly size: number
  readonly pieceSize: number
  /** Its root, if that is compressed and has no mode and no mtime: the root of every file with the same content. */
  readonly root: WrittenBaseRoot | undefined
  readonly checked: Promise<void>
  readonly #finder: Promise<RegionFinder>
  readonly #reader: BaseReader
  readonly #comparer: PieceComparer

  private constructor (
    entry: Entry,
    { content, cached }: { content: BaseContent, cached: CachedBlocks },
    settings: StoredBaseSettings,
    { signal }: Options
  ) {
    const { cid, node, header } = entry
    this.link = linkTo(entry)
    this.size = content.size
    this.pieceSize = content.pieceSize
    this.root = rootOf(entry, this.link)
    this.#reader = new BaseReader(cid, content, settings.inFlightBytes)
    this.#comparer = new PieceComparer(this, content.size)
    const pieces = checkContent(entry, this.#reader.readAll(signal), signal)
    this.#finder = RegionFinder.of(pieces, content.size, this.#reader.keptBytes)
    this.checked = checkBase(this.link.cid, async () => {
      await Promise.all([
        this.#finder,
        ensureStored(entry, cached, settings, { signal }),
        // the new file has all of the base, not only its content
        node == null || header == null ? undefined : verifyTrailer({ node, header }, settings.blockstore, { signal })
      ])
    })
    // whoever adds the file gets the error, unless another one came first
    this.checked.catch(() => {})
  }

  /**
   * Open a base and begin to read and index its content. A base of a base takes its place, unless that is refused,
   * since files refer back only once (docs/format.md, section 6).
   *
   * @returns undefined if the file is too small or too large to be a base
   * @throws {InvalidBaseError} it is not a file, cannot be decompressed, or has a base, and that is refused
   * @throws {NotFoundError} a block of it is missing
   */
  static async open (
    asked: CID,
    settings: StoredBaseSettings,
    { signal, refuseBased = false }: WrittenBaseOptions
  ): Promise<WrittenBase | undefined> {
    const { roots } = settings
    const open = async (cid: CID): Promise<{ entry: Entry, root: boolean }> => {
      const root = roots?.get(cid) != null

      return { entry: await openRoot(cid, 'in-tree', settings, { signal }), root }
    }

    let { entry, root } = await open(unmark(asked))

    if (entry.header != null && hasBase(entry.header) && entry.node != null) {
      const baseOfBase = baseOf(entry.node)

      if (refuseBased) {
        throw new InvalidBaseError(entry.cid, `it has a base itself, ${baseOfBase}`, { baseOfBase })
      }

      ({ entry, root } = await open(baseOfBase))
    }

    throwIfNotFile(entry)

    if (originalSize(entry) < MIN_REGION_SIZE || linkTo(entry).size > MAX_STORED_BASE_SIZE) {
      return undefined
    }

    const { content, leaves } = await checkBase(entry.cid, async () => contentToLink(entry, settings, { signal }))

    return new WrittenBase(entry, { content, cached: { root, leaves } }, settings, { signal })
  }

  /** Free its content, which no file may use any more. */
  async close (): Promise<void> {
    await this.checked.catch(() => {})
    await this.#reader.close()
  }

  /**
   * The original bytes of a region.
   *
   * @throws {InvalidBaseError} the base cannot be decompressed
   */
  async read (region: Region): Promise<Uint8Array> {
    return checkBase(this.link.cid, async () => {
      // of a base that is not kept, nothing is read twice at the same time
      await (this.#reader.keepsAll ? undefined : this.#finder)

      return this.#reader.read(region)
    })
  }

  async aid (bytes: Uint8Array, options: AidOptions): Promise<Piece> {
    const { start, frameSize, comparing } = options
    const expected = this.#comparer.expect(bytes, options)
    const changed = comparing ? await this.#comparer.compress(bytes, expected) : undefined

    if (changed != null) {
      return changed
    }

    const finder = await checkBase(this.link.cid, async () => this.#finder)
    const { byteLength } = bytes
    const isWhole = start === 0 && byteLength < frameSize
    const region = finder.find(bytes, start, maxRegion(byteLength, frameSize), isWhole) ?? NO_REGION
    const moved = comparing && !contains(expected, region) ? await this.#comparer.compress(bytes, region) : undefined

    return moved ?? this.#aidFrom(bytes, region, finder)
  }

  async findResembling (bytes: Uint8Array, from: number, frameSize: number): Promise<number | undefined> {
    const finder = await checkBase(this.link.cid, async () => this.#finder)

    for (let start = from; start < bytes.byteLength; start += frameSize) {
      if (finder.find(bytes.subarray(start, start + frameSize), start) != null) {
        return start
      }
    }

    return undefined
  }

  async findShared (bytes: Uint8Array, start: number, frameSize: number): Promise<number | undefined> {
    const finder = await checkBase(this.link.cid, async () => this.#finder)

    return finder.findShared(bytes, start, frameSize)
  }

  /** A piece with a region of the base, for a codec. */
  async #aidFrom (bytes: Uint8Array, region: Region, finder: RegionFinder): Promise<Piece> {
    if (region.length === 0) {
      return { bytes, region }
    }

    const dictionary = await this.read(region)
    const newBytes = (): number => bytes.byteLength - finder.sharedBytes(bytes)

    if (!FORMATTED_DICTIONARY.every((byte, i) => dictionary[i] === byte)) {
      return { bytes, region, dictionary, newBytes }
    }

    // what begins one byte later cannot begin so too
    const { offset, length } = region

    return length <= MIN_REGION_SIZE
      ? { bytes, region: NO_REGION }
      : { bytes, region: { offset: offset + 1, length: length - 1 }, dictionary: dictionary.subarray(1), newBytes }
  }
}

/** Say which base it is if it cannot be decompressed. */
async function checkBase<T> (cid: CID, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (err) {
    throw err instanceof Error && err.name === 'CorruptFrameError'
      ? new InvalidBaseError(cid, `it cannot be decompressed: ${err.message}`, { cause: err })
      : err
  }
}

function rootOf ({ cid, block, node, header }: Entry, { dagSize }: FileLink): WrittenBaseRoot | undefined {
  // UnixFS says a default mode where there is none
  if (node == null || header == null || [...readFields(node.data)].some(isMetadata)) {
    return undefined
  }

  return { cid, block, unixfs: node.unixfs, dagSize, code: header.codec, onlyIpfsz: needsIpfsz(header) }
}

function isMetadata ({ number }: { number: number }): boolean {
  return number === MESSAGE.mode || number === MESSAGE.mtime
}

function linkTo (entry: Entry): FileLink {
  const { cid, block, node } = entry

  return { cid, size: node == null ? block.byteLength : fileSize(node), dagSize: dagSize(entry) }
}
