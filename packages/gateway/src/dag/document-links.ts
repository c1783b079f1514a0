// Room: reads and checks one block; links of documents.
import { parseLink } from '@ipfsz/core'
import { CID } from 'multiformats/cid'

/** The CBOR tag of a link (ipld.io/specs/codecs/dag-cbor/spec/#links). */
const LINK_TAG = 42

/** CBOR's major types (RFC 8949, section 3.1). */
const BYTES = 2
const TEXT = 3
const TAG = 6

/** A map of one entry, `/`, whose value is a text. Inside a text the quotes would be escaped. */
const JSON_LINK = /\{\s*"(?:\\?\/|\\u002[fF])"\s*:\s*"([^"\\]*)"\s*\}/g

/**
 * The links of a DAG-CBOR block, as they occur in it. Only the links are decoded: a document of
 * 2 MiB may decode to values of a hundred times that, and sorts its keys as JavaScript does.
 *
 * @throws {Error} the block is not DAG-CBOR
 */
export function * cborLinks (block: Uint8Array): Generator<CID> {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength)
  let at = 0
  let tagged = false

  // nesting does not matter: what is in a list or a map simply follows
  while (at < block.byteLength) {
    const major = block[at] >> 5
    const { argument, length } = readArgument(view, at)
    at += length

    if (tagged && major !== BYTES) {
      throw new Error('its tag 42 is not before bytes')
    }

    if (major === BYTES || major === TEXT) {
      if (argument > block.byteLength - at) {
        throw new Error('it ends too soon')
      }

      if (tagged) {
        yield decodeLink(block.subarray(at, at + argument))
      }

      at += argument
    }

    tagged = major === TAG && argument === LINK_TAG
  }
}

/**
 * The links of a DAG-JSON block, as they occur in it (ipld.io/specs/codecs/dag-json/spec/#links).
 *
 * @throws {Error} a link is not a CID
 */
export function * jsonLinks (block: Uint8Array): Generator<CID> {
  for (const [, link] of new TextDecoder().decode(block).matchAll(JSON_LINK)) {
    yield parseLink(link)
  }
}

function decodeLink (bytes: Uint8Array): CID {
  if (bytes[0] !== 0) {
    throw new Error('it has a link without the prefix 0x00')
  }

  return CID.decode(bytes.subarray(1))
}

/** The argument of the item at a position, and how many bytes its head has. */
function readArgument (view: DataView, at: number): { argument: number, length: number } {
  const info = view.getUint8(at) & 0x1f

  switch (info) {
    case 24: return { argument: view.getUint8(at + 1), length: 2 }
    case 25: return { argument: view.getUint16(at + 1), length: 3 }
    case 26: return { argument: view.getUint32(at + 1), length: 5 }
    case 27: return { argument: Number(view.getBigUint64(at + 1)), length: 9 }
    default:
      if (info > 27) {
        throw new Error('it has an item of indefinite length')
      }

      return { argument: info, length: 1 }
  }
}
