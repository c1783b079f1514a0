import { messageOf } from '@ipfsz/utils/message-of'
import { UnixFS } from 'ipfs-unixfs'
import { NotUnixFSError } from '../errors.ts'
import { BYTES, readFields, VARINT } from '../format/protobuf.ts'
import { encodeFileBlock } from './file-block.ts'
import { MESSAGE } from './message.ts'
import { decodeBlock } from './node-links.ts'
import type { Header } from '../format/header.ts'
import type { NodeLinks } from './node-links.ts'
import type { FileLink, Metadata } from './file-block.ts'
import type { CID } from 'multiformats/cid'

/** A decoded dag-pb block of UnixFS. */
export interface FileNode {
  cid: CID
  /** The UnixFS message exactly as stored, with the header. */
  data: Uint8Array
  unixfs: UnixFS
  links: NodeLinks
  /** Bytes of the block. */
  length: number
}

export interface RootContent {
  links?: FileLink[]
  /** The link to the base of a compressed file: the last one. */
  base?: FileLink | undefined
  /** The whole stream of a small file. Excludes `links` and `base`. */
  inline?: Uint8Array
  header?: Header
}

/** An encoded block, and its UnixFS message. */
interface EncodedNode {
  block: Uint8Array
  unixfs: UnixFS
}

/**
 * Decode the block of a UnixFS file or directory. The block is not compared with the CID.
 *
 * @throws {NotUnixFSError} the block is not dag-pb, or does not hold UnixFS
 */
export function decodeNode (cid: CID, block: Uint8Array): FileNode {
  try {
    const { data, links } = decodeBlock(block)

    if (data == null) {
      throw new Error('it has no data')
    }

    const unixfs = UnixFS.unmarshal(data)

    // sizes of a file that no number can have are refused with the file
    if (!isFile(unixfs) || unixfs.blockSizes.every(size => size <= Number.MAX_SAFE_INTEGER)) {
      checkFields(data)
    }

    return { cid, data, unixfs, links, length: block.byteLength }
  } catch (err) {
    throw new NotUnixFSError(cid, messageOf(err), { cause: err })
  }
}

function isFile ({ type }: UnixFS): boolean {
  return type === 'file' || type === 'raw'
}

/** Of numbers that are read into 32 bits. Of longer ones, ipfs-unixfs would skip the bytes after them. */
const MAX_SHORT_NUMBER = 5
const LAST_TYPE = 5

/**
 * ipfs-unixfs does not look at wire types: it would read packed block sizes as a size and other fields. It cuts the
 * type to 32 bits, and takes a message without one for a file.
 */
function checkFields (data: Uint8Array): void {
  let typed = false

  for (const { number, type, value, keyLength, numberLength } of readFields(data)) {
    const expected = number === MESSAGE.data || number === MESSAGE.mtime ? BYTES : VARINT

    if (number <= MESSAGE.mtime && type !== expected) {
      throw new Error(`its field ${number} has the wire type ${type}`)
    }

    const isShort = type === BYTES || number === MESSAGE.type || number === MESSAGE.mode

    if (keyLength > MAX_SHORT_NUMBER || (isShort && numberLength > MAX_SHORT_NUMBER)) {
      throw new Error(`its field ${number} has a number of more than ${MAX_SHORT_NUMBER} bytes`)
    }

    if (number === MESSAGE.type) {
      typed = true

      if (value > LAST_TYPE) {
        throw new Error(`its type is ${value}`)
      }
    }
  }

  if (!typed) {
    throw new Error('it has no type')
  }
}

/** Encode a node of a file: an inner node with links only, or a root. */
export function encodeNode (content: RootContent, metadata: Metadata = {}): EncodedNode {
  const { links = [], inline } = content
  const unixfs = new UnixFS({
    type: 'file',
    data: inline,
    blockSizes: links.map(link => BigInt(link.size)),
    mode: metadata.mode,
    mtime: metadata.mtime
  })

  return { block: encodeFileBlock(content, metadata), unixfs }
}
