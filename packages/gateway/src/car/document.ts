import { InvalidDagError } from '@ipfsz/core'
import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import { CID } from 'multiformats/cid'

/** Larger documents are not decoded, 2 MiB: the largest block that other nodes accept. */
export const MAX_DOCUMENT_SIZE = 2 * 1024 * 1024

/** What names lead to inside a document. */
export interface DocumentStep {
  /** The link that was reached. Undefined: the names lead to a value that is none. */
  link?: CID
  /** How many names lead to it. */
  names: number
}

/** Whether a codec is one of documents with links: DAG-CBOR or DAG-JSON. */
export function isDocument ({ code }: CID): boolean {
  return code === dagCbor.code || code === dagJson.code
}

/**
 * Decode a DAG-CBOR or DAG-JSON document.
 *
 * @throws {InvalidDagError} it cannot be decoded, or is larger than 2 MiB
 */
export function decodeDocument (cid: CID, block: Uint8Array): unknown {
  if (block.byteLength > MAX_DOCUMENT_SIZE) {
    throw new InvalidDagError(cid, `is a document of more than ${MAX_DOCUMENT_SIZE} bytes`)
  }

  try {
    return cid.code === dagCbor.code ? dagCbor.decode(block) : dagJson.decode(block)
  } catch (err) {
    throw new InvalidDagError(cid, 'cannot be decoded', { cause: err })
  }
}

/**
 * Follow names through the maps and lists of a document, up to the first link. Undefined: there is
 * no such name.
 */
export function followDocument (document: unknown, names: readonly string[]): DocumentStep | undefined {
  let value = document

  for (const [i, name] of names.entries()) {
    const link = CID.asCID(value)

    if (link != null) {
      return { link, names: i }
    }

    if (!hasName(value, name)) {
      return undefined
    }

    value = value[name]
  }

  return { link: CID.asCID(value) ?? undefined, names: names.length }
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
