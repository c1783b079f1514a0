import { MemoryBlockstore } from 'blockstore-core'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

export { noise, random, text } from '../../../test/support/data.ts'

/** A blockstore in memory that counts what is asked of it. */
export class CountingBlockstore extends MemoryBlockstore {
  /** The CIDs of every get, in order. */
  readonly gets: string[] = []
  /** The CIDs of every put, in order. */
  readonly puts: string[] = []

  override get (...args: Parameters<MemoryBlockstore['get']>): ReturnType<MemoryBlockstore['get']> {
    this.gets.push(args[0].toString())

    return super.get(...args)
  }

  override put (...args: Parameters<MemoryBlockstore['put']>): ReturnType<MemoryBlockstore['put']> {
    this.puts.push(args[0].toString())

    return super.put(...args)
  }
}

/** Everything of a stream in one array. */
export async function collect (source: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []

  for await (const chunk of source) {
    chunks.push(chunk)
  }

  return Buffer.concat(chunks)
}

/** The bytes of one block. */
export async function getBlock (cid: CID, blockstore: Pick<Blockstore, 'get'>): Promise<Uint8Array> {
  return collect((async function * () { yield * blockstore.get(cid) })())
}

/** A stream of the bytes in chunks of the given length. */
export async function * chunked (bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += length) {
    yield bytes.subarray(start, start + length)
  }
}
