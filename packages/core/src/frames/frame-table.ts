import { FileTooLargeError } from '../errors.ts'
import { FrameGroups } from '../format/frame-groups.ts'
import { varint } from '../format/protobuf.ts'
import { MAX_SEEKABLE_FRAMES } from '../format/seek-table.ts'
import type { Frame } from './compress-frames.ts'
import type { Header, Region } from '../format/header.ts'

type FrameList = Pick<Header, 'size' | 'frameSize' | 'frameLengths' | 'frameSizes' | 'regions' | 'table'>

interface FrameTableInit {
  /** Original bytes in every frame but the last. */
  frameSize: number
  /** Whether frames may have fewer. */
  listsSizes: boolean
  /** The most bytes of the list of frames in the header. A longer list becomes a table. */
  maxListed: number
  /** The path of the file, for errors. */
  path?: string | undefined
}

/** Records the frames of a file while it is written: their lengths, their regions, and their total size. */
export class FrameTable {
  /** Compressed bytes of each frame. */
  readonly lengths: number[] = []
  /** The region of each frame, if the file has a base. */
  readonly regions: Region[] = []
  /** Original bytes of each frame. */
  readonly sizes: number[] = []
  /** Original bytes in all of them. */
  size = 0
  readonly #init: FrameTableInit
  readonly #groups = new FrameGroups()
  #encodedLength = 0

  constructor (init: FrameTableInit) {
    this.#init = init
  }

  /**
   * @throws {FileTooLargeError} there are more frames than a table can list
   */
  add (frame: Frame): void {
    const { listsSizes, frameSize, path } = this.#init
    const { region, size, bytes: { byteLength: length } } = frame
    const numbers = [length, ...listsSizes ? [size] : [], ...region == null ? [] : [region.offset, region.length]]
    this.#encodedLength += numbers.reduce((total, number) => total + varint(number).length, 0)

    if (!this.isListed && this.lengths.length === MAX_SEEKABLE_FRAMES) {
      throw new FileTooLargeError(this.lengths.length, frameSize, path)
    }

    this.lengths.push(length)
    this.sizes.push(size)
    this.#groups.add({ length, size, region })
    this.size += size

    if (region != null) {
      this.regions.push(region)
    }
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
    const even = sizes.slice(0, -1).every(size => size === frameSize)

    return {
      size,
      frameSize,
      frameLengths,
      ...even ? {} : { frameSizes: sizes },
      ...this.isBased ? { regions } : {}
    }
  }

  /** Whether any frame refers back to the base. */
  get isBased (): boolean {
    return this.regions.some(({ length }) => length > 0)
  }

  /** Whether the header has room for all frames. */
  get isListed (): boolean {
    // there is no table of a single frame
    return this.#encodedLength <= this.#init.maxListed || this.lengths.length < 2
  }
}
