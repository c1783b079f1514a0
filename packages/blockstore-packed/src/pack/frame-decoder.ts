/* oxlint-disable no-underscore-dangle -- the names of Node */
import { constants, createZstdDecompress } from 'node:zlib'

/** What Node's zlib has inside, and its own `zstdDecompressSync` uses. Other runtimes have none of it. */
interface Internals {
  destroyed: boolean
  on: (event: 'error', listener: () => void) => void
  _handle?: {
    writeSync: (
      flush: number, input: Uint8Array, from: number, length: number, output: Uint8Array, to: number, room: number
    ) => void
  }
  /** Room left in the output, and bytes left of the input. */
  _writeState?: Uint32Array
}

let decoder: Internals | undefined

/**
 * Decompress a frame into memory of just its size, with a context that is used again: making one, and its buffers, for
 * each frame takes longer than decompressing 64 KiB.
 *
 * @returns false if that did not work: `zstdDecompressSync` knows why
 */
export function decompressInto (target: Uint8Array, frame: Uint8Array): boolean {
  decoder ??= makeDecoder()
  const { _handle: handle, _writeState: state } = decoder

  if (handle?.writeSync == null || state == null) {
    return false
  }

  handle.writeSync(constants.ZSTD_e_end, frame, 0, frame.byteLength, target, 0, target.byteLength)

  const isWhole = !decoder.destroyed && state[0] === 0 && state[1] === 0

  if (!isWhole) {
    // it may wait for the rest of a frame
    decoder = undefined
  }

  return isWhole
}

function makeDecoder (): Internals {
  const decoder: Internals = createZstdDecompress() as object as Internals
  // it is destroyed by damaged bytes
  decoder.on('error', () => {})

  return decoder
}
