import { listDirectory } from '@ipfsz/core'
import { decodeNode } from '@ipfsz/core/nodes'
import { collectBytes } from '@ipfsz/utils/bytes'
import type { BlocksBelow, DirectoryLink } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** What a directory links to. Unlike `ls`, reads no root of an entry. */
export async function * listLinks (
  cid: CID,
  blocks: Pick<BlocksBelow, 'get'>,
  signal: AbortSignal
): AsyncGenerator<DirectoryLink> {
  yield * listDirectory(decodeNode(cid, await collectBytes(blocks.get(cid, { signal }))), blocks, { signal })
}
