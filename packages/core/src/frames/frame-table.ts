import { SMALL_FRAME_TABLE_SIZE } from '../constants.ts'
import { FileTooLargeError } from '../errors.ts'
import { FrameGroups } from '../format/frame-groups.ts'
import { varint } from '../format/protobuf.ts'
import { MAX_SEEKABLE_FRAMES } from '../format/seek-table.ts'
import type { Frame } from './compress-frames.ts'
import type { Header, Region } from '../format/header.ts'

type FrameList = Pick<Header, 'size' | 'frameSize' | 'frameLengths' | 'frameSizes' | 'regions' | 'table'>

interface FrameTableInit {
  /** Maximum number of original bytes in a frame. */
  frameSize: number
  /** Whether the header is to have room for the sizes of frames even if none but the last has fewer. */
  listsSizes: boolean
  /**
   * Maximum bytes of the list of frames in the header. A longer list becomes a table. A file with a base has version 2
   * in any case, and lists at most {@link SMALL_FRAME_TABLE_SIZE}.
   */
  maxListed: number
  /** The path of the file, for errors. */
  path?: string | undefined
}

/** Records the frames of a file while it is written: their lengths, their regions, and their total size. */
export class FrameTable {
  /** Compressed bytes of each frame. */
  readonly lengths: number[] = []
  /** The region of each frame, if the file has a base: empty before the first frame that was compared with it. */
  readonly regions: Region[] = []
  /** Original bytes of each frame. */
  readonly sizes: number[] = []
  /** Original bytes in all of them. */
  size = 0
  /** Whether any frame refers back to the base. */
  isBased = false
  readonly #init: FrameTableInit
  readonly #groups = new FrameGroups()
  /** Whether all frames but the last have the same size. */
  #isEven = true
  /** Bytes that each list takes in the header. */
  readonly #encoded = { lengths: 0, sizes: 0, regions: 0 }

  constructor (init: FrameTableInit) {
    this.#init = init
  }

  /**
   * @throws {FileTooLargeError} there are more frames than a table can list
   */
  add (frame: Frame): void {
    const { frameSize, path } = this.#init
    const { region, size, bytes: { byteLength: length } } = frame
    this.#isEven &&= this.size === this.lengths.length * frameSize
    this.#encoded.lengths += varint(length).length
    this.#encoded.sizes += varint(size).length

    if (region != null) {
      this.#addRegion(region)
    }

    if (!this.isListed && this.lengths.length === MAX_SEEKABLE_FRAMES) {
      throw new FileTooLargeError(this.lengths.length, frameSize, path)
    }

    this.lengths.push(length)
    this.sizes.push(size)
    this.#groups.add({ length, size, region })
    this.size += size
  }

  /** Add the region of the next frame, and empty ones for those before it that have none. */
  #addRegion (region: Region): void {
    while (this.regions.length < this.lengths.length) {
      this.#pushRegion({ offset: 0, length: 0 })
    }

    this.#pushRegion(region)
  }

  #pushRegion (region: Region): void {
    this.regions.push(region)
    this.#encoded.regions += varint(region.offset).length + varint(region.length).length
    this.isBased ||= region.length > 0
  }

  /** The frames as the header lists them: their sizes only if they differ, or groups of them. */
  get header (): FrameList {
    const { size, lengths: { length: frames } } = this
    const { frameSize } = this.#init
    const { groups, regions } = this.#groups

    return this.isListed
      ? this.all
      : { size, frameSize, frameLengths: [], table: { frames, groups, ...this.isBased ? { regions } : {} } }
  }

  /** All frames, as a header lists them that has room for them. */
  get all (): FrameList {
    const { size, lengths: frameLengths, sizes, regions } = this
    const { frameSize } = this.#init

    return {
      size,
      frameSize,
      frameLengths,
      ...this.#isEven ? {} : { frameSizes: sizes },
      ...this.isBased ? { regions } : {}
    }
  }

  /** Whether the header has room for all frames. */
  get isListed (): boolean {
    const { listsSizes, maxListed } = this.#init
    const { lengths, sizes, regions } = this.#encoded
    const length = lengths + (listsSizes || !this.#isEven ? sizes : 0) + (this.isBased ? regions : 0)

    // there is no table of a single frame
    return length <= (this.isBased ? Math.min(maxListed, SMALL_FRAME_TABLE_SIZE) : maxListed) || this.lengths.length < 2
  }
}
