import { concat } from '@ipfsz/utils/bytes'
import { messageOf } from '@ipfsz/utils/message-of'
import { encode, prepare } from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import { NotUnixFSError } from '../errors.ts'
import { headerField } from '../format/header.ts'
import { marshalParts } from './marshal.ts'
import { fieldHead } from '../format/protobuf.ts'
import { decodeBlock } from './node-links.ts'
import type { Header } from '../format/header.ts'
import type { NodeLinks } from './node-links.ts'
import type { Mtime } from 'ipfs-unixfs'
import type { CID } from 'multiformats/cid'

/** The field of a dag-pb block that holds the UnixFS message, behind its links (dag-pb specification). */
const DATA = 1

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

/** A link to a part of a file. */
export interface FileLink {
  cid: CID
  /** Bytes of the file below it. */
  size: number
  /** Bytes of all blocks below it, its own included. */
  dagSize: number
}

export interface Metadata {
  mode?: number
  mtime?: Mtime
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

    return { cid, data, unixfs: UnixFS.unmarshal(data), links, length: block.byteLength }
  } catch (err) {
    throw new NotUnixFSError(cid, messageOf(err), { cause: err })
  }
}

/** Encode a node of a file: an inner node with links only, or a root. */
export function encodeNode ({ links = [], inline, header }: RootContent, metadata: Metadata = {}): EncodedNode {
  const unixfs = new UnixFS({
    type: 'file',
    data: inline,
    blockSizes: links.map(link => BigInt(link.size)),
    mode: metadata.mode,
    mtime: metadata.mtime
  })
  const data = marshalParts(unixfs)

  if (header != null) {
    data.push(headerField(header))
  }

  const length = data.reduce((length, { byteLength }) => length + byteLength, 0)
  const parts = [new Uint8Array(fieldHead(DATA, length)), ...data]

  if (links.length > 0) {
    parts.unshift(encode(prepare({ Links: links.map(link => ({ Name: '', Tsize: link.dagSize, Hash: link.cid })) })))
  }

  // not by dag-pb: the data of a small file is most of its block, and would be copied four times
  return { block: concat(parts), unixfs }
}
