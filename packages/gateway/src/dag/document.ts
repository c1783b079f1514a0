// Room: reads and checks one block; links of documents.
import { documentLinks, followDocument as follow, InvalidDagError } from '@ipfsz/core'
import { Mutex } from '@ipfsz/utils/mutex'
import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import { EntryNotFoundError, PathInDocumentError } from '../errors.ts'
import type { PathLimit } from './path-limit.ts'
import type { CID } from 'multiformats/cid'

/** The first link on a path in a document. */
export interface DocumentLink {
  cid: CID
  /** How many names lead to it. */
  used: number
}

/**
 * Decode a DAG-CBOR or DAG-JSON document.
 *
 * @throws {InvalidDagError} it cannot be decoded
 */
export function decodeDocument (cid: CID, block: Uint8Array): unknown {
  try {
    if (cid.code === dagCbor.code) {
      return dagCbor.decode(block)
    }

    // a link that would take too long to decode: the decoder has no such limit
    for (const _ of documentLinks(cid, block)) {
      // each is checked
    }

    return dagJson.decode(block)
  } catch (err) {
    // also a stack overflow, of a document that is nested too deeply
    throw new InvalidDagError(cid, 'cannot be decoded', { cause: err })
  }
}

/** Documents of this many bytes and fewer are looked through at once, 64 KiB. */
const SMALL_DOCUMENT = 64 * 1024

/** One large one at a time: of two million bytes, a hundred thousand keys are remembered, which takes some 50 MB. */
const turns = new Mutex()

/**
 * Follow names through the maps and lists of a DAG-CBOR or DAG-JSON document, up to the first link.
 *
 * @param limit - counts the time that it takes, and lets others go on
 * @throws {EntryNotFoundError} the document has no such value
 * @throws {PathInDocumentError} the names lead to a value that is no link
 * @throws {PathTooSlowError} it takes too long
 * @throws {InvalidDagError} the document cannot be decoded
 */
export async function followDocument (
  cid: CID,
  block: Uint8Array,
  names: readonly string[],
  limit: Pick<PathLimit, 'pause'>
): Promise<DocumentLink> {
  const pause = async (time: number): Promise<void> => limit.pause(cid, time)
  const followIt = async (): ReturnType<typeof follow> => follow(cid, block, names, pause)
  const end = await (block.byteLength <= SMALL_DOCUMENT ? followIt() : turns.run(followIt))

  if (end === 'value') {
    throw new PathInDocumentError(cid, names.join('/'))
  }

  if ('missing' in end) {
    throw new EntryNotFoundError(end.missing, cid)
  }

  return end
}
