import { documentLinks, InvalidDagError, isDocument, unmark } from '@ipfsz/core'
import { decodeBlock } from '@ipfsz/core/nodes'
import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import * as dagPb from '@ipld/dag-pb'
import * as raw from 'multiformats/codecs/raw'
import { GatewayError } from '../errors.ts'
import type { CID } from 'multiformats/cid'

/** The multicodecs of plain JSON and CBOR, which have no links. */
export const JSON_CODE = 0x0200
export const CBOR_CODE = 0x51

const WITHOUT_LINKS: readonly number[] = [raw.code, JSON_CODE, CBOR_CODE]
const WITH_LINKS: readonly number[] = [dagPb.code, dagCbor.code, dagJson.code]

/** Whether a block of this codec may have links. A marked CID names a dag-pb block. */
export function hasLinks (cid: CID): boolean {
  return WITH_LINKS.includes(unmark(cid).code)
}

/**
 * Refuse a codec whose links are unknown.
 *
 * @throws {GatewayError} 400
 */
export function checkCodec (cid: CID): void {
  if (!hasLinks(cid) && !WITHOUT_LINKS.includes(cid.code)) {
    const codec = `0x${cid.code.toString(16)}`
    throw new GatewayError(400, `${cid} has the codec ${codec}, whose links this gateway cannot read`)
  }
}

/**
 * The links of a block, as they occur in it, each decoded when it is read.
 *
 * @throws {InvalidDagError} the block cannot be decoded
 */
export function * linksOf (cid: CID, block: Uint8Array): Generator<CID> {
  try {
    const { code } = unmark(cid)

    if (isDocument({ code })) {
      yield * documentLinks({ code }, block)
    } else if (code === dagPb.code) {
      for (const { Hash } of decodeBlock(block).links) {
        yield Hash
      }
    }
  } catch (err) {
    throw new InvalidDagError(cid, 'has no valid links', { cause: err })
  }
}
