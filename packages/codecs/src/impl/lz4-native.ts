import { loadAddon } from '#platform'
import { decodeLz4Block } from '../format/lz4-block.ts'
import { assembleLz4Frame, decodeLz4Frame, splitLz4Blocks } from '../format/lz4-frame.ts'
import { writeUint32 } from '../format/little-endian.ts'
import type { Lz4Decode } from '../format/lz4-frame.ts'
import type { Implementation } from '../implementation.ts'
import type * as Lz4Napi from 'lz4-napi'

/** The addon writes and wants the original length before each block, in four bytes. */
const PREFIX_LENGTH = 4
/** Blocks below this are decoded here: the way to a thread and back takes longer. */
const MIN_LENGTH = 4096

/** On the thread pool of the process. */
export function create (): Implementation {
  const addon = loadAddon('lz4-napi') as typeof Lz4Napi

  const decode: Lz4Decode = (block, target, start, end) => {
    if (block.byteLength < MIN_LENGTH) {
      return decodeLz4Block(block, target, start, end)
    }

    const prefixed = new Uint8Array(PREFIX_LENGTH + block.byteLength)
    writeUint32(prefixed, 0, end - start)
    prefixed.set(block, PREFIX_LENGTH)

    return addon.uncompress(prefixed).then(bytes => {
      target.set(bytes, start)

      return start + bytes.byteLength
    })
  }

  return {
    async compress (bytes) {
      const pieces = splitLz4Blocks(bytes)
      const blocks = await Promise.all(pieces.map(async piece => addon.compress(piece)))

      return assembleLz4Frame(bytes, pieces, blocks.map(block => block.subarray(PREFIX_LENGTH)))
    },

    decompress: async (frame, size) => decodeLz4Frame(frame, size, decode)
  }
}
