import { checkLinkTexts, followDocument as follow, InvalidDagError } from '@ipfsz/core'
import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import { EntryNotFoundError, PathInDocumentError } from '../errors.ts'
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

    checkLinkTexts(block)

    return dagJson.decode(block)
  } catch (err) {
    // also a stack overflow, of a document that is nested too deeply
    throw new InvalidDagError(cid, 'cannot be decoded', { cause: err })
  }
}

/**
 * Follow names through the maps and lists of a DAG-CBOR or DAG-JSON document, up to the first link.
 *
 * @throws {EntryNotFoundError} the document has no such value
 * @throws {PathInDocumentError} the names lead to a value that is no link
 * @throws {InvalidDagError} the document cannot be decoded
 */
export function followDocument (cid: CID, block: Uint8Array, names: readonly string[]): DocumentLink {
  const end = follow(cid, block, names)

  if (end === 'value') {
    throw new PathInDocumentError(cid, names.join('/'))
  }

  if ('missing' in end) {
    throw new EntryNotFoundError(end.missing, cid)
  }

  return end
}
