import { isDocument, locateEntry, NotUnixFSError, unmark } from '@ipfsz/core'
import { decodeNode } from '@ipfsz/core/nodes'
import * as dagPb from '@ipld/dag-pb'
import { followDocument } from '../dag/document.ts'
import { EntryNotFoundError } from '../errors.ts'
import type { ReadBlock } from '../dag/read-block.ts'
import type { PathLimit } from '../dag/path-limit.ts'
import type { FileNode } from '@ipfsz/core/nodes'
import type { CID } from 'multiformats/cid'

/** A path, and the blocks that it leads through. */
export interface WalkedPath {
  /** The blocks before the end, in order, with the shards of sharded directories. */
  through: CID[]
  end: CID
}

/**
 * Follow names through directories and documents.
 *
 * @throws {EntryNotFoundError}
 * @throws {PathInDocumentError}
 * @throws {PathTooCostlyError} `read` counts, and the path leads through too many bytes
 * @throws {PathTooSlowError}
 * @throws {NotFoundError} a block is missing
 * @throws {InvalidDagError} a block on the way cannot be decoded, or has the name twice
 */
export async function walkPath (
  root: CID,
  names: readonly string[],
  read: ReadBlock,
  limit: Pick<PathLimit, 'pause'>
): Promise<WalkedPath> {
  const through: CID[] = []
  const blocks = { async * get (cid: CID) { yield await read(cid) } }
  let end = unmark(root)

  for (let i = 0; i < names.length;) {
    await limit.pause(end)
    const block = await read(end)
    through.push(end)

    if (isDocument(end)) {
      const link = await followDocument(end, block, names.slice(i), limit)
      end = link.cid
      i += link.used
    } else {
      const node = directoryNode(end, block)
      const found = node == null ? undefined : await locateEntry(node, names[i], blocks)

      if (found == null) {
        throw new EntryNotFoundError(names[i], end)
      }

      through.push(...found.shards)
      end = found.cid
      i++
    }
  }

  return { through, end }
}

/** The node of a directory. Undefined: the block is something else. */
function directoryNode (cid: CID, block: Uint8Array): FileNode | undefined {
  if (cid.code !== dagPb.code) {
    return undefined
  }

  try {
    const node = decodeNode(cid, block)

    return node.unixfs.isDirectory() ? node : undefined
  } catch (err) {
    if (err instanceof NotUnixFSError) {
      return undefined
    }

    throw err
  }
}
