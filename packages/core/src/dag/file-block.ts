import { concat } from '@ipfsz/utils/bytes'
import { headerField } from '../format/header.ts'
import { pushFieldHead, pushVarintField } from '../format/protobuf.ts'
import { encodeMessage } from './message.ts'
import type { Allocate } from '@ipfsz/utils/bytes'
import type { Header } from '../format/header.ts'
import type { Mtime } from 'ipfs-unixfs'
import type { CID } from 'multiformats/cid'

/** Field numbers of a dag-pb node, and of a link in it (dag-pb specification). The links come first. */
export const NODE = { data: 1, link: 2 } as const
export const LINK = { hash: 1, name: 2, tsize: 3 } as const

/** The type of a UnixFS message. */
const FILE = 2

const DEFAULT_MODE = 0o644

/** The bits of a mode that are kept. */
const MODE_BITS = 0xfff

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

/** What a file's node holds. */
export interface FileContent {
  links?: ReadonlyArray<Pick<FileLink, 'size' | 'dagSize'> & { cid: { readonly bytes: Uint8Array } }>
  /** The whole stream of a small file. Excludes `links`. */
  inline?: Uint8Array | undefined
  header?: Header | undefined
}

/** The dag-pb block of a file's node: an inner node with links only, or a root. Loads nothing of dag-pb or UnixFS. */
export function encodeFileBlock (
  content: FileContent,
  metadata: Metadata = {},
  allocate?: Allocate
): Uint8Array {
  return concat(fileBlockParts(content, metadata), allocate)
}

/** The same in parts: the data of a small file, which is most of its block, stays where it lies. */
export function fileBlockParts (
  { links = [], inline, header }: FileContent,
  { mode, mtime }: Metadata
): Uint8Array[] {
  const head: number[] = []

  for (const link of links) {
    pushLink(head, link)
  }

  const data = encodeMessage({
    type: FILE,
    data: inline,
    fileSize: links.reduce((size, link) => size + link.size, inline?.byteLength ?? 0),
    blockSizes: links.map(({ size }) => size),
    mode: modeToWrite(mode),
    mtime
  })

  if (header != null) {
    data.push(headerField(header))
  }

  pushFieldHead(head, NODE.data, data.reduce((length, { byteLength }) => length + byteLength, 0))

  return [new Uint8Array(head), ...data]
}

function pushLink (block: number[], { cid: { bytes }, dagSize }: NonNullable<FileContent['links']>[number]): void {
  const link: number[] = []
  pushFieldHead(link, LINK.hash, bytes.byteLength)
  link.push(...bytes)
  pushFieldHead(link, LINK.name, 0)
  pushVarintField(link, LINK.tsize, dagSize)
  pushFieldHead(block, NODE.link, link.length)
  block.push(...link)
}

function modeToWrite (mode: number | undefined): number | undefined {
  const kept = mode == null ? DEFAULT_MODE : mode & MODE_BITS

  return kept === DEFAULT_MODE ? undefined : kept
}
