import { WrongBaseError } from '../errors.ts'
import type { CID } from 'multiformats/cid'

/** Errors of codecs which say that a frame and its dictionary do not belong together, by name. */
const MISFITS: ReadonlySet<string> = new Set(['CorruptFrameError', 'InvalidDictionaryError'])

/**
 * Decompress a frame whose dictionary is a region of a base. Blocks are verified, so a frame that does not fit was made
 * with another base, or incorrectly.
 *
 * @param cid - of the file
 * @throws {WrongBaseError}
 */
export async function decompressBased (
  cid: CID,
  base: CID,
  decompress: () => Promise<Uint8Array>
): Promise<Uint8Array> {
  try {
    return await decompress()
  } catch (err) {
    throw err instanceof Error && MISFITS.has(err.name) ? new WrongBaseError(cid, base, err) : err
  }
}
