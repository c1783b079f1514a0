import { loadAddon } from '#platform'
import { assembleLz4Frame, splitLz4Blocks } from '../format/lz4/lz4-frame.ts'
import type { Implementation } from '../implementation.ts'
import type * as Lz4Napi from 'lz4-napi'

/** The addon puts the uncompressed length before each block, in four bytes. */
const PREFIX_LENGTH = 4

/** Runs on the thread pool of the process. */
export function create (): Implementation {
  const addon = loadAddon('lz4-napi') as typeof Lz4Napi

  return {
    async compress (bytes) {
      const pieces = splitLz4Blocks(bytes)
      const blocks = await Promise.all(pieces.map(async piece => addon.compress(piece)))

      return assembleLz4Frame(bytes, pieces, blocks.map(block => block.subarray(PREFIX_LENGTH)))
    }
  }
}
