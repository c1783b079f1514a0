import { MAX_FRAME_TABLE_SIZE } from '../constants.ts'
import { FileTooLargeError } from '../errors.ts'
import { varint } from '../format/protobuf.ts'
import type { Frame } from './compress-frames.ts'

/** Records the frames of a file while it is written: their lengths, and their total size. */
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
   * @throws {FileTooLargeError} the lengths no longer fit into a root block
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
