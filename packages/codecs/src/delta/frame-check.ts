import { hasZlibDictionaries, runZlib } from '#platform'
import { decodeZstdFrameInto } from '../format/zstd/zstd-decode.ts'
import { freeBytes } from '../util/free-bytes.ts'
import type { ZlibResult } from '../platform/node.ts'
import type { DeltaModule } from './delta-module.ts'

/** zlib refuses a smaller buffer. */
const MIN_CHUNK_SIZE = 64

/**
 * Whether a frame decodes to the content of a module, and has its checksum. So a fault of an encoder loses nothing. In
 * Node, libzstd decodes it: our decoder would take the first frame of a process ten times as long.
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
  try {
    const before = hasZlibDictionaries()
      ? decodeWithZlib(module, frame, size, dictionary)
      : decodeInModule(module, frame, size, dictionary)

    return module.isContentAt(before)
  } catch {
    return false
  }
}

/** @returns what is in the module's second room before what it decoded, in bytes, as `decodeInModule` does */
function decodeWithZlib (module: DeltaModule, frame: Uint8Array, size: number, dictionary: Uint8Array): number {
  // not on the thread pool, so it is no promise. With one byte more it needs no second buffer to find out that it ends
  const { bytes, consumed } = runZlib('zstdDecompress', frame, {
    chunkSize: Math.max(size + 1, MIN_CHUNK_SIZE),
    maxOutputLength: size,
    dictionary
  }, true) as ZlibResult

  if (bytes.byteLength !== size || consumed !== frame.byteLength) {
    throw new Error('It decodes to something else')
  }

  module.secondRoom().set(bytes)
  freeBytes(bytes)

  return 0
}

function decodeInModule (module: DeltaModule, frame: Uint8Array, size: number, dictionary: Uint8Array): number {
  const room = module.secondRoom().subarray(0, dictionary.byteLength + size)
  decodeZstdFrameInto(room, frame, size, dictionary, () => module.checksum())

  return dictionary.byteLength
}
