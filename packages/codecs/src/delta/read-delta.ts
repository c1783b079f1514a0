import { decodeZstdFrameInto } from '../format/zstd/zstd-decode.ts'
import { DeltaModule } from './delta-module.ts'

/** Maximum number of original bytes of a frame, 1 MiB: more would keep the calling thread too long. */
const MAX_SIZE = 1024 * 1024
/** The largest dictionary, 2 MiB: with larger ones, the module would keep more memory. */
const MAX_DICTIONARY_SIZE = 2 * 1024 * 1024
/** Frames that take more than a 32nd of their original bytes are read by libzstd as quickly. */
const MAX_SHARE = 1 / 32

/**
 * Decompress a frame that says little more than what stayed where in its dictionary. libzstd would begin with a copy of
 * the dictionary, and with a context of more memory than the content has.
 *
 * @param size - bytes of the content
 * @returns bytes of their own, or undefined if it is not such a frame, or there is no WebAssembly
 * @throws {CorruptFrameError}
 */
export async function readDelta (
  frame: Uint8Array,
  size: number,
  dictionary: Uint8Array
): Promise<Uint8Array | undefined> {
  if (size > MAX_SIZE || dictionary.byteLength > MAX_DICTIONARY_SIZE || frame.byteLength > size * MAX_SHARE) {
    return undefined
  }

  const module = await DeltaModule.shared()
  const room = module?.reserve(dictionary.byteLength, size)

  return module && room &&
    decodeZstdFrameInto(room, frame, { size, dictionary, checksumOf: () => module.checksum() }).slice()
}
