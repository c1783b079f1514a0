import { varint } from 'multiformats'
import { encodeRoots } from './car-header.ts'
import { walkDag } from '../dag/dag-walk.ts'
import { Reached } from '../dag/reached.ts'
import type { WalkStore } from '../dag/dag-walk.ts'
import type { CID } from 'multiformats/cid'

/**
 * The bytes of a CARv1 with all blocks below some roots, each once and checked against its hash. @helia/car is not
 * used: it leaves out the blocks below a root with an identity CID.
 *
 * @throws {DamagedDagError} a block is missing or damaged
 */
export async function * writeCar (
  roots: CID[],
  blockstore: WalkStore,
  signal: AbortSignal
): AsyncGenerator<Uint8Array> {
  const reached = new Reached()

  const header = encodeRoots(roots)

  yield withLength(header.byteLength, header)

  for (const root of roots) {
    for await (const { cid, bytes } of walkDag(root, blockstore, { signal, leaves: 'read', reached })) {
      if (bytes != null) {
        yield withLength(cid.bytes.byteLength + bytes.byteLength, cid.bytes)
        yield bytes
      }
    }
  }
}

function withLength (length: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([varint.encodeTo(length, new Uint8Array(varint.encodingLength(length))), bytes])
}
