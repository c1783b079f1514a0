import { varint } from 'multiformats'

/** The header of a CARv1 without roots: `{ roots: [], version: 1 }` in DAG-CBOR, after its length. */
export const CAR_HEADER: Uint8Array = Buffer.from('11a265726f6f7473806776657273696f6e01', 'hex')

/** What precedes the block in a section: the length of the rest, and the CID. */
export function sectionHead (cid: Uint8Array, length: number): Uint8Array {
  const size = cid.byteLength + length
  const varintSize = varint.encodingLength(size)
  const head = new Uint8Array(varintSize + cid.byteLength)
  varint.encodeTo(size, head)
  head.set(cid, varintSize)

  return head
}
