import { EventLoopBreaks } from '@ipfsz/utils/event-loop'
import { quoteName } from '@ipfsz/utils/quote-name'
import { BadPathError, walkPath } from 'ipfs-unixfs-exporter'
import { getBlock, verifyingBlockstore } from '../dag/block.ts'
import { isDocument } from '../documents/document-tokens.ts'
import { followDocument } from '../documents/follow-document.ts'
import { notUnixFS } from '../errors.ts'
import { isMarked } from '../marker.ts'
import type { GetBlockOptions, GetStore } from '../dag/block.ts'
import type { ObjectReader } from './path.ts'
import type { Segment } from './path-cache.ts'
import type { CID } from 'multiformats/cid'

/** Reads IPLD objects, with the decoders and errors of ipfs-unixfs-exporter. */
export const ipldObjects: ObjectReader = {
  async follow (cid, names, blockstore, options) {
    const segments: Segment[] = []
    let at = cid
    let left = names
    const breaks = new EventLoopBreaks()
    const pause = async (): Promise<void> => {
      if (breaks.isDue()) {
        await breaks.take()
      }

      options.signal?.throwIfAborted()
    }

    // not by the exporter: it would decode each document as a whole
    while (left.length > 0 && isDocument(at)) {
      const end = await followDocument(at, await getBlock(at, blockstore, options), left, pause)

      if (end === 'value') {
        throw notUnixFS(at)
      }

      // a document that is itself a link has no keys
      if ('missing' in end || end.used === 0) {
        throw new BadPathError(`The document ${at} has no key ${quoteName('missing' in end ? end.missing : left[0])}`)
      }

      // what is below it would be read as stored, not as it was added
      if (isMarked(end.cid)) {
        throw new BadPathError(`The document ${at} links to the marked CID ${end.cid}: use that CID itself`)
      }

      segments.push({ name: left[end.used - 1], cid: end.cid })
      left = left.slice(end.used)
      at = end.cid
    }

    return left.length === 0 ? segments : [...segments, ...await followByExporter(at, left, blockstore, options)]
  }
}

async function followByExporter (
  cid: CID,
  names: readonly string[],
  blockstore: GetStore,
  options: GetBlockOptions
): Promise<Segment[]> {
  const path = `/ipfs/${cid}/${names.join('/')}`
  const segments: Segment[] = []

  for await (const segment of walkPath(path, verifyingBlockstore(blockstore, options))) {
    segments.push(segment)
  }

  return segments.slice(1)
}
