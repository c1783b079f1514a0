import { readFields } from '../format/protobuf.ts'
import { fileBlockParts, LINK, NODE } from './file-block.ts'
import { decodeTime, MESSAGE } from './message.ts'
import type { FileContent, Metadata } from './file-block.ts'

/** A file's block in parts. */
interface ReadBlock extends Metadata {
  /** The UnixFS message, with the header. */
  message: Uint8Array
  links: NonNullable<FileContent['links']>
  inline?: Uint8Array | undefined
}

/**
 * Take a block apart that `encodeFileBlock` made, with at most one link. Of other blocks, anything may come: ask
 * {@link isFileBlock}. Both take a tenth of the time that dag-pb and UnixFS take to decode one.
 *
 * @returns undefined if it has several links, or no data
 * @throws {InvalidProtobufError} it is malformed
 */
export function readFileBlock (block: Uint8Array): ReadBlock | undefined {
  let message: Uint8Array | undefined
  let link: { bytes: Uint8Array, dagSize: number } | undefined

  for (const { number, bytes } of readFields(block)) {
    if (number === NODE.data) {
      message = bytes
    } else if (link != null) {
      return undefined
    } else {
      link = readLink(bytes)
    }
  }

  if (message == null) {
    return undefined
  }

  const read: ReadBlock = { message, links: [] }
  let size = 0

  for (const { number, value, bytes } of readFields(message)) {
    if (number === MESSAGE.data) {
      read.inline = bytes
    } else if (number === MESSAGE.blockSizes) {
      size = value
    } else if (number === MESSAGE.mode) {
      read.mode = value
    } else if (number === MESSAGE.mtime) {
      read.mtime = decodeTime(bytes)
    }
  }

  return link == null ? read : { ...read, links: [{ cid: link, size, dagSize: link.dagSize }] }
}

function readLink (message: Uint8Array): { bytes: Uint8Array, dagSize: number } {
  let cid = message
  let dagSize = 0

  for (const { number, value, bytes } of readFields(message)) {
    if (number === LINK.hash) {
      cid = bytes
    } else if (number === LINK.tsize) {
      dagSize = value
    }
  }

  return { bytes: cid, dagSize }
}

/**
 * Whether a block is what `encodeFileBlock` makes of its parts: then nothing else is in it, nothing is in it twice, and
 * every reader reads the same.
 *
 * @param content - with the data where it lies in the block
 */
export function isFileBlock (block: Uint8Array, content: FileContent, metadata: Metadata): boolean {
  let position = 0

  for (const part of fileBlockParts(content, metadata)) {
    const isHere = part === content.inline && part.byteOffset === block.byteOffset + position

    if (!isHere && !hasAt(block, position, part)) {
      return false
    }

    position += part.byteLength
  }

  return position === block.byteLength
}

function hasAt (block: Uint8Array, position: number, part: Uint8Array): boolean {
  for (let i = 0; i < part.byteLength; i++) {
    if (block[position + i] !== part[i]) {
      return false
    }
  }

  return true
}
