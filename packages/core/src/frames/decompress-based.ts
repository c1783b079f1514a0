import { WrongBaseError } from '../errors.ts'
import { isDelta, loadDelta, MAX_DELTA_DICTIONARY } from './delta.ts'
import type { Codec, DecompressOptions } from '@ipfsz/codecs'
import type { CID } from 'multiformats/cid'

/** Errors of codecs which say that a frame and its dictionary do not belong together, by name. */
const MISFITS: ReadonlySet<string> = new Set(['CorruptFrameError', 'InvalidDictionaryError'])

/** A file and its base. */
interface BasedFile {
  cid: CID
  base: CID
  codec: Codec
}

/**
 * Decompress a frame whose dictionary is a region of a base. Blocks are verified, so a frame that does not fit was made
 * with another base, or incorrectly.
 *
 * @throws {WrongBaseError}
 */
export async function decompressBased (
  { cid, base, codec }: BasedFile,
  frame: Uint8Array,
  options: DecompressOptions & { dictionary: Uint8Array }
): Promise<Uint8Array> {
  const { dictionary, size } = options

  try {
    const isSmall = isDelta(frame, size) && dictionary.byteLength <= MAX_DELTA_DICTIONARY
    const delta = codec.name === 'zstd' && isSmall ? await loadDelta() : undefined

    return delta?.decompress(frame, size, dictionary) ?? await codec.decompress(frame, options)
  } catch (err) {
    throw err instanceof Error && MISFITS.has(err.name) ? new WrongBaseError(cid, base, err) : err
  }
}
