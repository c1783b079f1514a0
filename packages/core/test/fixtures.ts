import { concat } from '@ipfsz/utils/bytes'
import * as dagPb from '@ipld/dag-pb'
import { MemoryBlockstore } from 'blockstore-core'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { headerField } from '../src/format/header.ts'
import { ipfsz } from '../src/index.ts'
import { text } from '../../../test/support/data.ts'
import type { CodecName } from '@ipfsz/codecs'
import type { Header } from '../src/format/header.ts'
import type { Blockstore } from 'interface-blockstore'

export { noise, random, same, text } from '../../../test/support/data.ts'

/** A UnixFS message with a header, as its last field. */
export function appendHeader (unixfs: Uint8Array, header: Header): Uint8Array {
  return concat([unixfs, headerField(header)])
}

/** An in-memory blockstore that records its gets and puts. */
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

/** All bytes of a stream in one array. */
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

/** The frame size of {@link stored}. */
export const FRAME = 64 * 1024

/** A compressed file in a blockstore of its own. */
export async function stored (
  size = 1_000_000,
  codec: CodecName = 'zstd'
): Promise<{ blockstore: CountingBlockstore, cid: CID, bytes: Uint8Array }> {
  const blockstore = new CountingBlockstore()
  const bytes = text(size)
  const cid = await ipfsz({ blockstore }).addBytes(bytes, { compression: { codec, frameSize: FRAME, detect: false } })

  return { blockstore, cid, bytes }
}

export async function putNode (node: dagPb.PBNode, blockstore: Pick<Blockstore, 'put'>): Promise<CID> {
  const block = dagPb.encode(node)
  const cid = CID.createV1(dagPb.code, await sha256.digest(block))
  await blockstore.put(cid, block)

  return cid
}

/** The leaves of a file that has no other blocks below its root. */
export async function leavesOf (cid: CID, blockstore: CountingBlockstore): Promise<CID[]> {
  return dagPb.decode(await getBlock(CID.createV1(dagPb.code, cid.multihash), blockstore)).Links.map(link => link.Hash)
}
