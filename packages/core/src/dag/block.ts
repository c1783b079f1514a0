import { collectBytes } from '@ipfsz/utils/bytes'
import { raceSignal } from 'race-signal'
import { NotFoundError } from '../errors.ts'
import { cidKey } from './cid-key.ts'
import { checkBlock, checkHash, isIdentity } from './hashes.ts'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

/** Which bytes of a file a block holds, and how far the file is read. */
export interface FilePart {
  /** The root of the file, plain. */
  file: CID
  /** The offset of the block's first byte in the stored file. */
  start: number
  /** Where the range that is read ends (exclusive). Above `start`. */
  end: number
  /**
   * Where the next block begins that the blockstore has. Known once it was read: look again before each use. A response
   * need not go on to there, or beyond.
   */
  readonly here?: number | undefined
}

/** Options that commands pass on to the blockstore: signal, progress, providers. */
export interface GetBlockOptions {
  signal?: AbortSignal | null | undefined
  /** @internal the block's size in bytes, if its parent states it */
  expectedSize?: number | undefined
  /** @internal which bytes of a file it holds: a networked blockstore can request them with those that follow */
  part?: FilePart | undefined
  /** @internal whether it comes much later in the DAG than others that are waited for */
  isFarAhead?: boolean | undefined
  /** @internal counts the bytes of the blocks that are read, and throws if there are too many */
  limit?: { take (cid: CID, bytes: number): void } | undefined
  /** @internal aborted when the block is no longer needed */
  until?: AbortSignal | undefined
}

export interface GetStore extends Pick<Blockstore, 'get'> {
  /** Maximum bytes that a reader may hold of blocks it requested ahead. */
  readonly readAheadBytes?: number | undefined
  /** Whether blocks come from peers, so that it pays to request as many as fit into `readAheadBytes`. */
  fetches? (): boolean
  /** Whether it compares every block with its CID before it returns it. Those of others are compared here. */
  readonly checksBlocks?: boolean | undefined
  /** Whether nothing else refers to the memory of a block that it returned, or of a part of one. */
  isUnshared? (bytes: Uint8Array): boolean
}

export interface PutStore extends Pick<Blockstore, 'put'> {
  /** See `IpfszComponents`. */
  readonly releasesBlocks?: boolean | undefined
}

/**
 * Get a block and check that it matches its CID. Helia checks blocks from the network, but not
 * those in its blockstore. A blockstore that compares its blocks itself is believed.
 *
 * @throws {NotFoundError} the blockstore does not have it
 * @throws {CorruptBlockError} the bytes do not match the CID
 * @throws {UnknownHashError} the hash function is not supported
 * @throws {DigestLengthError} the digest is too short to be trusted
 */
export async function getBlock (cid: CID, blockstore: GetStore, options: GetBlockOptions): Promise<Uint8Array> {
  const { signal } = options

  signal?.throwIfAborted()
  checkHash(cid)

  if (isIdentity(cid)) {
    options.limit?.take(cid, cid.multihash.size)

    return cid.multihash.digest
  }

  const block = await read(cid, blockstore, options)
  options.limit?.take(cid, block.byteLength)

  if (blockstore.checksBlocks !== true) {
    await checkBlock(cid, block)
  }

  return block
}

async function read (cid: CID, blockstore: GetStore, options: GetBlockOptions): Promise<Uint8Array> {
  const { signal } = options

  try {
    // like Helia, pass the command's options on to the blockstore
    return await raceSignal(collectBytes(blockstore.get(cid, options as Parameters<GetStore['get']>[1])), signal)
  } catch (err) {
    // blockstore-fs reports an aborted read as a missing block
    signal?.throwIfAborted()

    if (err instanceof Error && err.name === 'NotFoundError') {
      throw new NotFoundError(cid, { cause: err })
    }

    throw err
  }
}

/** Wraps a blockstore for libraries that read from it: every block is checked against its CID. */
export function verifyingBlockstore (blockstore: GetStore, options: GetBlockOptions): GetStore {
  return {
    async * get (cid) {
      yield await getBlock(cid, blockstore, options)
    }
  }
}

/**
 * Wraps a blockstore for concurrent writers. A block that is already being written is not
 * written a second time, which would send blockstore-fs into a second of retries.
 */
export function coalescingBlockstore (blockstore: PutStore): PutStore {
  const writing = new Map<string, Promise<CID>>()

  return {
    releasesBlocks: blockstore.releasesBlocks,
    async put (cid, bytes, options) {
      const key = cidKey(cid)
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
