import { fileSize } from '../dag/read.ts'
import { findHeader } from './entry.ts'
import { baseOf, baseSizeOf } from '../dag/base-link.ts'
import { frameCount } from '../format/frame-sizes.ts'
import { hasBase } from '../format/header.ts'
import { codecName, mark } from '../marker.ts'
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
  const storedSize = dagSize(entry)

  return {
    cid,
    ...metadata(node),
    size: BigInt(size),
    codec: (code == null ? undefined : codecName(code)) ?? 'none',
    storedSize: BigInt(storedSize),
    ratio: size === 0 ? 1 : storedSize / size,
    frames: header == null ? 0 : frameCount(header),
    ...header == null ? {} : { frameSize: header.frameSize },
    ...header?.filters == null ? {} : { filters: header.filters },
    ...header == null || !hasBase(header) || node == null ? {} : { base: baseOf(node), baseSize: baseSizeOf(node) },
    ...header?.contentCid == null ? {} : { contentCid: header.contentCid },
    plainCid: cid,
    ...stream == null ? markedTwin(node, header) : { markedCid: mark(cid, stream), sizeKnown: false }
  }
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

/** Bytes of all blocks. The sizes below the root are those that its links state. */
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

  try {
    const found = header ?? findHeader(node)

    return found == null ? {} : { markedCid: mark(node.cid, found.codec) }
  } catch {
    // a plain CID does not ask for the header, so a broken one does not matter
    return {}
  }
}
