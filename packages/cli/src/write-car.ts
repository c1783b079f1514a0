import { createWriter, headerLength } from '@ipld/car/buffer-writer'
import { varint } from 'multiformats'
import { Reached, walkDag } from './dag-walk.ts'
import type { WalkStore } from './dag-walk.ts'
import type { CID } from 'multiformats/cid'

/**
 * A CAR of version 1 with all that roots lead to, every block once, each compared with its
 * hash. Not by @helia/car: it leaves out what is below a root that holds its block itself.
 *
 * @throws {DamagedDagError} not all of it is there
 */
export async function * writeCar (roots: CID[], blockstore: WalkStore, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reached = new Reached()

  yield createWriter(new ArrayBuffer(headerLength({ roots })), { roots }).close()

  for (const root of roots) {
    for await (const { cid, bytes } of walkDag(root, blockstore, { signal, leaves: 'read', reached })) {
      if (bytes != null) {
        const length = cid.bytes.byteLength + bytes.byteLength

        yield Buffer.concat([varint.encodeTo(length, new Uint8Array(varint.encodingLength(length))), cid.bytes])
        yield bytes
      }
    }
  }
}
