import { collectBytes } from '@ipfsz/utils/bytes'
import { MAX_SEEK_TABLE_FRAMES } from '../constants.ts'
import { fileSize, readRange } from '../dag/read.ts'
import { isSeekable, SEEK_TABLE } from '../format/seek-table.ts'
import type { GetStore } from '../dag/block.ts'
import type { FileNode } from '../dag/node.ts'
import type { ReadOptions } from '../dag/read.ts'
import type { Codec } from '@ipfsz/codecs'

/** Bytes read from the end of a file to find a table, 16 KiB: less than a block, and enough for 2,000 frames. */
const TAIL = 16 * 1024

/** Bits of the descriptor: entries have a checksum; reserved bits. */
const HAS_CHECKSUMS = 0x80
const RESERVED = 0x7c
const CHECKSUM_LENGTH = 4

/** A frame: its range in the stream (`position`, `length`), and in the original (`start`, `size`). */
export interface StreamFrame {
  number: number
  position: number
  length: number
  start: number
  size: number
}

/**
 * The seek table at the end of a stream (Zstandard Seekable Format 0.1.0). Its frame lengths
 * have been checked to add up to the stream's length; decompressing checks the sizes. It
 * stays encoded, because there may be a million frames.
 */
export class SeekTable {
  readonly frames: number
  /** Original bytes in all frames. */
  readonly size: number
  readonly #view: DataView
  readonly #stride: number

  private constructor (view: DataView, stride: number, size: number) {
    this.frames = view.byteLength / stride
    this.size = size
    this.#view = view
    this.#stride = stride
  }

  /**
   * @param entries - `stride` bytes each
   * @returns undefined if the lengths do not add up to `streamLength`
   */
  static read (entries: Uint8Array, stride: number, streamLength: number): SeekTable | undefined {
    const view = new DataView(entries.buffer, entries.byteOffset, entries.byteLength)
    let length = 0
    let size = 0

    for (let at = 0; at < view.byteLength; at += stride) {
      length += view.getUint32(at, true)
      size += view.getUint32(at + 4, true)
    }

    return length === streamLength ? new SeekTable(view, stride, size) : undefined
  }

  /** The frames that hold the bytes from `start` to `end` (exclusive), without empty ones. */
  * within (start: number, end: number): Generator<StreamFrame> {
    let position = 0
    let at = 0

    for (let number = 0; number < this.frames && at < end; number++) {
      const length = this.#view.getUint32(number * this.#stride, true)
      const size = this.#view.getUint32(number * this.#stride + 4, true)

      if (size > 0 && at + size > start) {
        yield { number, position, length, start: at, size }
      }

      position += length
      at += size
    }
  }
}

/** The seek table of a stream that was looked for. */
export interface HeldTable {
  seekTable?: { found: SeekTable | undefined }
}

interface TabledFile {
  node: FileNode
  codec: Pick<Codec, 'name'>
  held?: HeldTable | undefined
}

/**
 * The seek table at the end of a file, if there is one. An invalid table is ignored: the
 * stream can still be read from the front.
 */
export async function findSeekTable (
  { node, codec, held }: TabledFile,
  blockstore: GetStore,
  options: ReadOptions
): Promise<SeekTable | undefined> {
  const { found } = held?.seekTable ?? { found: await readSeekTable(node, codec.name, blockstore, options) }

  if (held != null) {
    held.seekTable = { found }
  }

  return found
}

async function readSeekTable (
  node: FileNode,
  codec: string,
  blockstore: GetStore,
  options: ReadOptions
): Promise<SeekTable | undefined> {
  if (!isSeekable(codec)) {
    return undefined
  }

  const fileLength = fileSize(node)
  const read = async (start: number, end: number): Promise<Uint8Array> =>
    collectBytes(readRange(node, { start, end }, blockstore, options))
  const tail = await read(Math.max(0, fileLength - TAIL), fileLength)
  const footer = readFooter(tail)

  if (footer == null || footer.length > fileLength) {
    return undefined
  }

  const { frames, stride, length } = footer
  const streamLength = fileLength - length
  const isInTail = length <= tail.byteLength
  const table = isInTail ? tail.subarray(tail.byteLength - length) : await read(streamLength, fileLength)
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength)
  const { skippableMagic, headerLength } = SEEK_TABLE

  if (view.getUint32(0, true) !== skippableMagic || view.getUint32(4, true) !== length - headerLength) {
    return undefined
  }

  return SeekTable.read(table.subarray(headerLength, headerLength + frames * stride), stride, streamLength)
}

function readFooter (tail: Uint8Array): { frames: number, stride: number, length: number } | undefined {
  const { headerLength, footerLength, entryLength, seekableMagic } = SEEK_TABLE

  if (tail.byteLength < headerLength + footerLength) {
    return undefined
  }

  const view = new DataView(tail.buffer, tail.byteOffset + tail.byteLength - footerLength, footerLength)
  const frames = view.getUint32(0, true)
  const descriptor = view.getUint8(4)

  if (view.getUint32(5, true) !== seekableMagic || (descriptor & RESERVED) !== 0 || frames > MAX_SEEK_TABLE_FRAMES) {
    return undefined
  }

  const stride = entryLength + ((descriptor & HAS_CHECKSUMS) === 0 ? 0 : CHECKSUM_LENGTH)

  return { frames, stride, length: headerLength + frames * stride + footerLength }
}
