import { raceSignal } from 'race-signal'
import { concat } from '../util/bytes.ts'
import { CorruptBlockError, NotFoundError } from '../errors.ts'
import { checkBlock, checkHash, isIdentity } from './hashes.ts'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

/** What a command passes on to the blockstore: the signal, progress, providers. */
export interface GetBlockOptions {
  signal?: AbortSignal | null | undefined
  /** @internal bytes of the block, where its parent says them */
  expectedSize?: number | undefined
  /** @internal aborted when nobody will take the block any more */
  until?: AbortSignal | undefined
  /** @internal what the blockstore gave before is not the block: one that can ask others asks them */
  damaged?: boolean | undefined
}

export interface GetStore extends Pick<Blockstore, 'get'> {
  /** The most bytes that a reader holds of what it has asked for before its turn. */
  readonly readAheadBytes?: number | undefined
  /** Whether blocks come from others, so that it pays to ask for as many as fit into those bytes. */
  fetches? (): boolean
}

export type PutStore = Pick<Blockstore, 'put'>

/**
 * The bytes of a block, compared with its hash. Helia compares what comes from
 * the network, but not what its blockstore holds. A blockstore that gives other bytes is
 * asked once more, as it may know somebody who has the block.
 *
 * @throws {NotFoundError} the blockstore does not have it
 * @throws {CorruptBlockError} the bytes are others than the CID names
 * @throws {UnknownHashError} they cannot be compared with it
 * @throws {DigestLengthError} nor with so short a digest
 */
export async function getBlock (cid: CID, blockstore: GetStore, options: GetBlockOptions): Promise<Uint8Array> {
  const { signal } = options

  signal?.throwIfAborted()
  checkHash(cid)

  if (isIdentity(cid)) {
    return cid.multihash.digest
  }

  const block = await read(cid, blockstore, options)

  try {
    await checkBlock(cid, block)

    return block
  } catch (err) {
    if (!(err instanceof CorruptBlockError)) {
      throw err
    }
  }

  // a blockstore that can ask others fetches it anew
  const anew = await read(cid, blockstore, { ...options, damaged: true })
  await checkBlock(cid, anew)

  return anew
}

async function read (cid: CID, blockstore: GetStore, options: GetBlockOptions): Promise<Uint8Array> {
  const { signal } = options

  try {
    return await raceSignal(collect(cid, blockstore, options), signal)
  } catch (err) {
    // blockstore-fs reports an aborted read as a block that is not there
    signal?.throwIfAborted()

    if (err instanceof Error && err.name === 'NotFoundError') {
      throw new NotFoundError(cid, { cause: err })
    }

    throw err
  }
}

/** The blockstore for those that read by themselves: what it gives has been compared with its hash. */
export function verifying (blockstore: GetStore, options: GetBlockOptions): GetStore {
  return {
    async * get (cid) {
      yield await getBlock(cid, blockstore, options)
    }
  }
}

/**
 * The blockstore for those that write many files at one time: a block that is
 * already being written is not written again, which sends blockstore-fs into a
 * second of retries.
 */
export function coalescing (blockstore: PutStore): PutStore {
  const writing = new Map<string, Promise<CID>>()

  return {
    async put (cid, bytes, options) {
      const key = cid.toString()
      const written = writing.get(key) ?? Promise.resolve(blockstore.put(cid, bytes, options))

      writing.set(key, written)

      try {
        return await written
      } finally {
        writing.delete(key)
      }
    }
  }
}

async function collect (cid: CID, blockstore: GetStore, options: GetBlockOptions): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []

  // the commands' options reach the blockstore as Helia's do
  for await (const chunk of blockstore.get(cid, options as Parameters<GetStore['get']>[1])) {
    chunks.push(chunk)
  }

  return concat(chunks)
}
