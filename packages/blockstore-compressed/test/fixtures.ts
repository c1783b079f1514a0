import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import type { Blockstore } from 'interface-blockstore'

/** The CID of bytes as a raw block. */
export async function cidOf (bytes: Uint8Array): Promise<CID> {
  return CID.createV1(raw.code, await sha256.digest(bytes))
}

/** The only chunk of a block. Throws if there is not exactly one. */
export async function readBlock (store: Pick<Blockstore, 'get'>, cid: CID): Promise<Uint8Array> {
  return only(store.get(cid))
}

export async function only (chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const [chunk, ...others] = await Array.fromAsync<Uint8Array>(chunks)

  if (chunk == null || others.length > 0) {
    throw new Error(`There are ${chunk == null ? 0 : others.length + 1} chunks`)
  }

  // files are read as Buffers, which never equal a Uint8Array
  return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)
}

/** The error that a call throws. */
export async function failure (call: () => unknown): Promise<Error & Record<string, unknown>> {
  try {
    await call()
  } catch (err) {
    return err as Error & Record<string, unknown>
  }

  throw new Error('It does not throw')
}

/** Bytes in pieces, as a stream that can be read only once. */
export async function * stream (bytes: Uint8Array, pieceSize: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < bytes.byteLength; i += pieceSize) {
    yield bytes.subarray(i, i + pieceSize)
  }
}
