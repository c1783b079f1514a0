import { maxRegion, NO_REGION } from '../base/frame-base.ts'
import { DEFAULT_FRAME_SIZE, THIN_DICTIONARY_LEVEL, THIN_LARGE_LEVEL, THIN_LARGE_SIZE } from '../constants.ts'
import { writeRoot } from '../dag/write.ts'
import type { AidOptions, FrameBase } from '../base/frame-base.ts'
import type { PutStore } from '../dag/block.ts'
import type { FileLink } from '../dag/file-block.ts'
import type { Piece } from '../frames/compress-frames.ts'
import type { Coder, Trained } from './train.ts'

/** A dictionary that files of a tree share: a compressed file of one block. All of it is the region of each frame. */
export class TreeDictionary implements FrameBase {
  readonly link: FileLink
  readonly size: number
  readonly pieceSize: number
  readonly content: Uint8Array
  /** Whether most of its files is not in it. */
  readonly isThin: boolean

  /**
   * @param link - to the file that it is
   * @param content - all of its original bytes
   * @param isThin - whether most of its files is not in it
   */
  constructor (link: FileLink, content: Uint8Array, isThin: boolean) {
    this.link = link
    this.size = content.byteLength
    this.pieceSize = content.byteLength
    this.content = content
    this.isThin = isThin
  }

  /** Write a dictionary as the file that it is. */
  static async write (
    { content, frame, isThin }: Omit<Trained, 'files'>,
    { codec, signal }: Coder,
    blockstore: PutStore
  ): Promise<TreeDictionary> {
    const size = content.byteLength
    const header = { codec: codec.code, size, frameSize: DEFAULT_FRAME_SIZE, frameLengths: [frame.byteLength] }
    const { cid, dagSize } = await writeRoot({ inline: frame, header }, {}, blockstore, { signal })

    return new TreeDictionary({ cid, size: frame.byteLength, dagSize }, content, isThin)
  }

  /** See `FrameBase`. Small frames go without a dictionary that is larger than the format allows for them. */
  aid (bytes: Uint8Array, { frameSize, comparing }: AidOptions): Piece {
    const { size, content: dictionary, isThin } = this
    const thinLevel = bytes.byteLength > THIN_LARGE_SIZE ? THIN_LARGE_LEVEL : THIN_DICTIONARY_LEVEL
    const maxLevel = comparing && isThin ? thinLevel : undefined

    return size > maxRegion(bytes.byteLength, frameSize)
      ? { bytes, region: NO_REGION }
      : { bytes, region: { offset: 0, length: size }, dictionary, isAided: true, maxLevel }
  }

  /** See `FrameBase`. A trial shows whether it helps, if the first frame can have it. */
  findResembling (bytes: Uint8Array, from: number, frameSize: number): number | undefined {
    return from < bytes.byteLength &&
      this.size <= maxRegion(Math.min(bytes.byteLength - from, frameSize), frameSize)
      ? from
      : undefined
  }

  /** See `FrameBase`. Files that have a dictionary are small. */
  findShared (): undefined {
    return undefined
  }
}
