import { InvalidDagError } from '@ipfsz/core'
import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import { CID } from 'multiformats/cid'
import { EntryNotFoundError, PathInDocumentError } from '../errors.ts'
import { checkLinkTexts } from './link-text.ts'

/** The first link on a path in a document. */
export interface DocumentLink {
  cid: CID
  /** How many names lead to it. */
  used: number
}

/** Whether a codec is one of documents with links: DAG-CBOR or DAG-JSON. */
export function isDocument ({ code }: CID): boolean {
  return code === dagCbor.code || code === dagJson.code
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
  let value = decodeDocument(cid, block)

  for (const [used, name] of names.entries()) {
    const link = CID.asCID(value)

    if (link != null) {
      return { cid: link, used }
    }

    if (!hasName(value, name)) {
      throw new EntryNotFoundError(name, cid)
    }

    value = value[name]
  }

  const link = CID.asCID(value)

  if (link == null) {
    throw new PathInDocumentError(cid, names.join('/'))
  }

  return { cid: link, used: names.length }
}

function hasName (value: unknown, name: string): value is Record<string, unknown> {
  if (typeof value !== 'object' || value == null || value instanceof Uint8Array) {
    return false
  }

  // a list has a property `length` that is no element
  return Array.isArray(value)
    ? /^(0|[1-9]\d{0,9})$/.test(name) && Number(name) < value.length
    : Object.hasOwn(value, name)
}
