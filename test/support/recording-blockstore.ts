import { CarReader, CarWriter } from '@ipld/car'
import { MemoryBlockstore } from 'blockstore-core'
import { CID } from 'multiformats/cid'

/** A blockstore in memory that remembers the CIDs of its blocks, codec included, to write them to a CAR. */
export class RecordingBlockstore extends MemoryBlockstore {
  readonly #cids = new Map<string, CID>()

  override put (...args: Parameters<MemoryBlockstore['put']>): ReturnType<MemoryBlockstore['put']> {
    this.#cids.set(args[0].toString(), args[0])

    return super.put(...args)
  }

  /** A CAR of all blocks. */
  async toCar (root: CID): Promise<Buffer> {
    const { writer, out } = CarWriter.create([root])
    const chunks = Array.fromAsync(out)

    for (const cid of this.#cids.values()) {
      await writer.put({ cid, bytes: Buffer.concat(await Array.fromAsync(this.get(cid))) })
    }

    await writer.close()

    return Buffer.concat(await chunks)
  }
}

/** A blockstore with the blocks of a CAR. */
export async function fromCar (car: Uint8Array): Promise<MemoryBlockstore> {
  const blockstore = new MemoryBlockstore()

  for await (const { cid, bytes } of (await CarReader.fromBytes(car)).blocks()) {
    await blockstore.put(CID.decode(cid.bytes), bytes)
  }

  return blockstore
}
