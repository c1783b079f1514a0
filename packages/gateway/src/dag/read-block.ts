import { checkBlock, checkHash, isIdentity, NotFoundError } from '@ipfsz/core/reader'
import { concat } from '@ipfsz/utils/bytes'
import { BlockTooLargeError } from '../errors.ts'
import type { GatewayBlocks } from '../contract.ts'
import type { PathLimit } from './path-limit.ts'
import type { CID } from 'multiformats/cid'

/** The largest block that is served, in bytes: other nodes take no larger ones (Bitswap). */
export const MAX_BLOCK_SIZE = 2 * 1024 * 1024

/** Reads the block of a CID, and checks that it matches. */
export type ReadBlock = (cid: CID) => Promise<Uint8Array>

/**
 * A reader of blocks, each compared with its CID. That of an identity CID is in the CID.
 *
 * @param limit - counts their bytes
 * @throws {NotFoundError} the block is missing
 * @throws {BlockTooLargeError}
 * @throws {CorruptBlockError} its bytes do not match the CID
 * @throws {UnknownHashError} the hash function is not supported
 * @throws {DigestLengthError} the digest is too short to be trusted
 */
export function blockReader (
  blocks: Pick<GatewayBlocks, 'get'>,
  signal: AbortSignal,
  limit?: Pick<PathLimit, 'take'>
): ReadBlock {
  return async cid => {
    signal.throwIfAborted()
    checkHash(cid)

    if (isIdentity(cid)) {
      limit?.take(cid, cid.multihash.size)

      return cid.multihash.digest
    }

    const bytes = await read(cid, blocks, signal)
    limit?.take(cid, bytes.byteLength)
    await checkBlock(cid, bytes)

    return bytes
  }
}

/** @throws {BlockTooLargeError} */
export function checkBlockSize (cid: CID, size: number): void {
  if (size > MAX_BLOCK_SIZE) {
    throw new BlockTooLargeError(cid, MAX_BLOCK_SIZE)
  }
}

/**
 * The error of a read that failed: `NotFoundError` if the block is missing, whatever a store says of it.
 *
 * @throws the reason of an abort, which a blockstore may report as a missing block
 */
export function readErrorOf (err: unknown, cid: CID, signal: AbortSignal): unknown {
  signal.throwIfAborted()

  return err instanceof Error && err.name === 'NotFoundError' ? new NotFoundError(cid, { cause: err }) : err
}

async function read (cid: CID, blocks: Pick<GatewayBlocks, 'get'>, signal: AbortSignal): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0

  try {
    for await (const part of blocks.get(cid, { signal })) {
      signal.throwIfAborted()
      size += part.byteLength
      checkBlockSize(cid, size)
      parts.push(part)
    }
  } catch (err) {
    throw readErrorOf(err, cid, signal)
  }

  return concat(parts)
}
