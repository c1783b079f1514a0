import { decodeZstdFrameInto } from '../format/zstd/zstd-decode.ts'
import type { DeltaModule } from './delta-module.ts'

/**
 * Whether a frame decodes to the content of a module, and has its checksum. So a fault of an encoder loses nothing.
 *
 * @param size - bytes of the content
 * @param dictionary - the part of the module's dictionary that the frame refers to
 */
export function decodesToContent (
  module: DeltaModule,
  frame: Uint8Array,
  size: number,
  dictionary: Uint8Array
): boolean {
  const room = module.secondRoom().subarray(0, dictionary.byteLength + size)

  try {
    decodeZstdFrameInto(room, frame, size, dictionary, () => module.checksum())
  } catch {
    return false
  }

  return module.isContentAt(dictionary.byteLength)
}
