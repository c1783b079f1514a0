import { fileSize } from '../dag/read.ts'
import { headerOrNone } from './entry.ts'
import { blockKey } from '../dag/block-key.ts'
import { isIdentity } from '../dag/hashes.ts'
import { baseOf, baseSizeOf } from '../dag/base-link.ts'
import { frameCount } from '../format/frame-sizes.ts'
import { hasBase } from '../format/header.ts'
import { codecName } from '../codec-names.ts'
import { mark } from '../marker.ts'
import type { FileNode } from '../dag/node.ts'
import type { Entry } from './entry.ts'
import type { Header } from '../format/header.ts'
import type { CompressionStats } from '../unixfs.ts'
import type { Stats } from '@helia/unixfs'
import type { CID } from 'multiformats/cid'

// the defaults of @helia/unixfs for a file or directory without a mode
const DEFAULT_DIRECTORY_MODE = 0x755
const DEFAULT_FILE_MODE = 0x644

/** What is known from the root block alone. */
export type Description = Stats & CompressionStats

export function describe (entry: Entry): Description {
  const { cid, node, header, stream } = entry
  const code = header?.codec ?? stream
  const size = originalSize(entry)

  return {
    cid,
    ...metadata(node),
    size: BigInt(size),
    ...node?.unixfs.isDirectory() === true
      ? {}
      : { codec: (code == null ? undefined : codecName(code)) ?? 'none', ...storage(entry, size) },
    frames: header == null ? 0 : frameCount(header),
    ...header == null ? {} : { frameSize: header.frameSize },
    ...header?.filters == null ? {} : { filters: header.filters },
    ...header == null || !hasBase(header) || node == null ? {} : { base: baseOf(node), baseSize: baseSizeOf(node) },
    ...header?.contentCid == null ? {} : { contentCid: header.contentCid },
    plainCid: cid,
    ...stream == null ? markedTwin(node, header) : { markedCid: mark(cid, stream), sizeKnown: false }
  }
}

/** What a file takes, as its root states it: the blocks below an inner node count once, as often as it occurs. */
function storage (
  { cid, block, node, header }: Entry,
  size: number
): Pick<CompressionStats, 'storedSize' | 'fetchSize' | 'ratio'> {
  const found = header ?? (node == null ? undefined : headerOrNone(node))
  const isBased = found != null && hasBase(found)
  const base = node == null || !isBased ? 0n : baseSizeOf(node)
  // the last link is the base
  const links = node == null ? [] : [...node.links].slice(0, node.links.length - (isBased ? 1 : 0))
  const seen = new Set<string>()
  // an identity CID contains its bytes: no block is stored
  let storedSize = isIdentity(cid) ? 0n : BigInt(block.byteLength)

  for (const { Hash, Tsize = 0 } of links) {
    const key = blockKey(Hash)

    if (!seen.has(key)) {
      seen.add(key)
      storedSize += BigInt(Math.max(0, Tsize - (isIdentity(Hash) ? Hash.multihash.size : 0)))
    }
  }

  return { storedSize, fetchSize: storedSize + base, ratio: ratioOf(storedSize, size) }
}

/** storedSize / size, 1 for an empty file. */
export function ratioOf (storedSize: bigint, size: bigint | number): number {
  return Number(size) === 0 ? 1 : Number(storedSize) / Number(size)
}

function metadata (node?: FileNode): Pick<Stats, 'type' | 'mode' | 'mtime' | 'unixfs'> {
  if (node == null) {
    return { type: 'raw', mode: DEFAULT_FILE_MODE, mtime: undefined, unixfs: undefined }
  }

  const { unixfs } = node
  const directory = unixfs.isDirectory()

  return {
    type: directory ? 'directory' : 'file',
    mode: unixfs.mode ?? (directory ? DEFAULT_DIRECTORY_MODE : DEFAULT_FILE_MODE),
    mtime: unixfs.mtime,
    unixfs
  }
}

/** The number of bytes that reading returns. */
export function originalSize ({ block, node, header }: Pick<Entry, 'block' | 'node' | 'header'>): number {
  return header?.size ?? (node == null ? block.byteLength : fileSize(node))
}

/** Bytes of all blocks, a base included, as links to the root state them: a block counts as often as it occurs. */
export function dagSize ({ block, node }: Entry): number {
  let size = block.byteLength

  for (const link of node?.links ?? []) {
    size += link.Tsize ?? 0
  }

  return size
}

/** The marked CID of a compressed file, also if it was opened by its plain CID. */
function markedTwin (node: FileNode | undefined, header: Header | undefined): { markedCid?: CID } {
  if (node == null || node.unixfs.isDirectory()) {
    return {}
  }

  const found = header ?? headerOrNone(node)

  return found == null ? {} : { markedCid: mark(node.cid, found.codec) }
}
