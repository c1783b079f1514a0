import { decodeNode, locateEntry, NotUnixFSError, unmark } from '@ipfsz/core'
import * as dagPb from '@ipld/dag-pb'
import { GatewayError } from '../errors.ts'
import { decodeDocument, followDocument, isDocument } from './document.ts'
import type { ReadBlock } from './read-block.ts'
import type { FileNode } from '@ipfsz/core'
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
 * @throws {GatewayError} 404: there is no such name. 501: the path ends inside a document
 * @throws {NotFoundError} a block is missing
 * @throws {InvalidDagError} a block on the way cannot be decoded, or has the name twice
 */
export async function walkPath (root: CID, names: readonly string[], read: ReadBlock): Promise<WalkedPath> {
  const through: CID[] = []
  const blocks = { async * get (cid: CID) { yield await read(cid) } }
  let end = unmark(root)

  for (let i = 0; i < names.length;) {
    const block = await read(end)
    through.push(end)

    if (isDocument(end)) {
      const step = followDocument(decodeDocument(end, block), names.slice(i))

      if (step == null) {
        throw noSuchName(end, names.slice(i))
      }

      if (step.link == null) {
        throw new GatewayError(501, `The path ends inside of ${end}: only a path to a link can be followed`)
      }

      end = step.link
      i += step.names
    } else {
      const node = directoryNode(end, block)
      const found = node == null ? undefined : await locateEntry(node, names[i], blocks)

      if (found == null) {
        throw noSuchName(end, names.slice(i))
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

function noSuchName (cid: CID, names: readonly string[]): GatewayError {
  return new GatewayError(404, `${cid} has nothing named ${JSON.stringify(names.join('/').slice(0, 200))}`)
}
