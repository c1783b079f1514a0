import { MAX_FRAME_TABLE_SIZE } from '../constants.ts'
import { FileTooLargeError } from '../errors.ts'
import { varint } from '../format/protobuf.ts'
import type { Frame } from './compress-frames.ts'
import type { Header, Region } from '../format/header.ts'

type FrameList = Pick<Header, 'size' | 'frameSize' | 'frameLengths' | 'frameSizes'>

/** Records the frames of a file while it is written: their lengths, their regions, and their total size. */
export class FrameTable {
  readonly frameSize: number
  /** Compressed bytes of each frame. */
  readonly lengths: number[] = []
  /** The region of each frame, if the file has a base. */
  readonly regions: Region[] = []
  /** Original bytes of each frame. */
  readonly sizes: number[] = []
  /** Original bytes in all of them. */
  size = 0
  readonly #listsSizes: boolean
  #encodedLength = 0

  /**
   * @param frameSize - original bytes in every frame but the last
   * @param listsSizes - frames may have fewer
   */
  constructor (frameSize: number, listsSizes = false) {
    this.frameSize = frameSize
    this.#listsSizes = listsSizes
  }

  /**
   * @throws {FileTooLargeError} the lengths no longer fit into a root block
   */
  add (frame: Frame): void {
    const { region } = frame
    const listed = this.#listsSizes ? [frame.size] : []
    const numbers = [frame.bytes.byteLength, ...listed, ...region == null ? [] : [region.offset, region.length]]
    this.#encodedLength += numbers.reduce((total, number) => total + varint(number).length, 0)

    if (this.#encodedLength > MAX_FRAME_TABLE_SIZE) {
      throw new FileTooLargeError(this.lengths.length, this.frameSize)
    }

    this.lengths.push(frame.bytes.byteLength)
    this.sizes.push(frame.size)
    this.size += frame.size

    if (region != null) {
      this.regions.push(region)
    }
  }

  /** The frames as the header lists them: their sizes only if they differ. */
  get header (): FrameList {
    const { size, frameSize, lengths: frameLengths, sizes } = this
    const even = sizes.slice(0, -1).every(size => size === frameSize)

    return { size, frameSize, frameLengths, ...even ? {} : { frameSizes: sizes } }
  }

  /** Whether any frame refers back to the base. */
  get isBased (): boolean {
    return this.regions.some(({ length }) => length > 0)
  }
}
