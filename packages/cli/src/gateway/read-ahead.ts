import type { GatewayComponents } from '@ipfsz/gateway'

/** How many blocks all responses together read ahead, about. A block has up to 1 MiB. */
const BLOCKS_AHEAD = 64
/** The most of one response. Below it, the reader itself decides. */
const MAX_BLOCKS_AHEAD = 8

/**
 * Shares the memory for reading ahead among the responses that run: alone, each would hold 8 MiB and more for a
 * client that does not read.
 */
export class ReadAhead {
  #readers = 0

  /** Files of which each reader reads ahead the less, the more readers there are when it begins. */
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
