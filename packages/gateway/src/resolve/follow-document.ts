import { checkBlock } from '@ipfsz/core'
import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import { CID } from 'multiformats/cid'
import { EntryNotFoundError, InvalidDocumentError } from '../errors.ts'
import type { GatewayBlocks } from '../contract.ts'

/** The most bytes of a document that is decoded: what other nodes send in one block. */
const MAX_DOCUMENT_SIZE = 2 * 1024 * 1024

const DECODERS = new Map<number, (bytes: Uint8Array) => unknown>([
  [dagCbor.code, dagCbor.decode],
  [dagJson.code, dagJson.decode]
])

/** Whether a CID names a document whose links a path can follow. */
export function isDocument ({ code }: CID): boolean {
  return DECODERS.has(code)
}

/** The first link on a path in a document, and how many names lead to it. */
export interface DocumentLink {
  /** Undefined: the names lead to a value that is no link. */
  link?: CID
  used: number
}

/**
 * Follow names through a DAG-CBOR or DAG-JSON document, to the first link.
 *
 * @throws {EntryNotFoundError} the document has no such value
 * @throws {InvalidDocumentError} the block cannot be decoded, or is too large
 */
export async function followDocument (
  cid: CID,
  names: string[],
  blocks: GatewayBlocks,
  signal: AbortSignal
): Promise<DocumentLink> {
  let value = decode(cid, await readBlock(cid, blocks, signal))

  for (const [i, name] of names.entries()) {
    value = select(value, name)

    if (value === undefined) {
      throw new EntryNotFoundError(name, cid)
    }

    const link = CID.asCID(value)

    if (link != null) {
      return { link, used: i + 1 }
    }
  }

  return { used: names.length }
}

function select (value: unknown, name: string): unknown {
  if (Array.isArray(value)) {
    return /^(?:0|[1-9]\d*)$/.test(name) ? value[Number(name)] : undefined
  }

  if (typeof value !== 'object' || value == null || value instanceof Uint8Array || !Object.hasOwn(value, name)) {
    return undefined
  }

  return (value as Record<string, unknown>)[name]
}

function decode (cid: CID, bytes: Uint8Array): unknown {
  try {
    return DECODERS.get(cid.code)?.(bytes)
  } catch (cause) {
    // also a stack overflow, of a document that is nested too deeply
    throw new InvalidDocumentError(cid, 'it is not valid', { cause })
  }
}

async function readBlock (cid: CID, blocks: GatewayBlocks, signal: AbortSignal): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0

  for await (const chunk of blocks.get(cid, { signal })) {
    signal.throwIfAborted()
    size += chunk.byteLength

    if (size > MAX_DOCUMENT_SIZE) {
      throw new InvalidDocumentError(cid, `it has more than ${MAX_DOCUMENT_SIZE} bytes`)
    }

    chunks.push(chunk)
  }

  const bytes = new Uint8Array(await new Blob(chunks as Array<Uint8Array<ArrayBuffer>>).arrayBuffer())
  await checkBlock(cid, bytes)

  return bytes
}
