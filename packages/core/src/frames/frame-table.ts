import { MAX_FRAME_TABLE_SIZE } from '../constants.ts'
import { FileTooLargeError } from '../errors.ts'
import { varint } from '../format/protobuf.ts'
import type { Frame } from './compress-frames.ts'

/** The frames of a file that is being written: how long each is, and what they hold together. */
export class FrameTable {
  readonly frameSize: number
  /** Compressed bytes of each frame. */
  readonly lengths: number[] = []
  /** Original bytes in all of them. */
  size = 0
  #encodedLength = 0

  constructor (frameSize: number) {
    this.frameSize = frameSize
  }

  /**
   * @throws {FileTooLargeError} the header of one frame more would not fit into a root
   */
  add (frame: Frame): void {
    this.#encodedLength += varint(frame.bytes.byteLength).length

    if (this.#encodedLength > MAX_FRAME_TABLE_SIZE) {
      throw new FileTooLargeError(this.lengths.length, this.frameSize)
    }

    this.lengths.push(frame.bytes.byteLength)
    this.size += frame.size
  }
}
