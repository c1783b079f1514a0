import type { GatewayComponents } from '@ipfsz/gateway'

/** Original bytes of the frames that one response decompresses at a time, 8 MiB: two frames of the usual size. */
export const IN_FLIGHT_BYTES = 8 * 1024 * 1024
/** How many blocks all responses together read ahead, about. A block has up to 1 MiB. */
const BLOCKS_AHEAD = 64
/** The most that one response reads ahead. While few run, each chooses for itself. */
const MAX_BLOCKS_AHEAD = 8

/**
 * Shares the memory for reading ahead among the responses that run: alone, each would hold 8 MiB and more for a
 * client that does not read.
 */
export class ReadAhead {
  #readers = 0

  /** Wraps `files`: the more responses read when another one begins, the less it reads ahead. */
  limit (files: GatewayComponents['fs']): GatewayComponents['fs'] {
    return {
      stat: files.stat.bind(files),
      ls: files.ls.bind(files),
      cat: (cid, options) => this.#count(files.cat(cid, { ...options, ...this.#options() })),
      storedFile: async (cid, options) => {
        const file = await files.storedFile(cid, { ...options, ...this.#options() })

        return file == null ? undefined : { ...file, frames: options => this.#count(file.frames(options)) }
      }
    }
  }

  #options (): { blockReadConcurrency?: number } {
    const share = Math.floor(BLOCKS_AHEAD / (this.#readers + 1))

    return share >= MAX_BLOCKS_AHEAD ? {} : { blockReadConcurrency: Math.max(1, share) }
  }

  async * #count (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    this.#readers++

    try {
      yield * source
    } finally {
      this.#readers--
    }
  }
}
