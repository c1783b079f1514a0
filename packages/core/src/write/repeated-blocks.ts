import { LruMap } from '@ipfsz/utils/lru-map'
import { blockKey } from '../dag/block-key.ts'
import { emit } from '../events.ts'
import type { PutStore } from '../dag/block.ts'
import type { AddFrameEvents } from '../events.ts'
import type { ProgressOptions } from 'progress-events'
import type { CID } from 'multiformats/cid'

/** The most blocks that are remembered, about 150 bytes for each. One that comes again much later counts again. */
const MAX_REMEMBERED = 262_144

/**
 * Reports blocks that one add writes again: the sizes in links count them as often as they occur, and a blockstore
 * stores them once.
 */
export class RepeatedBlocks {
  /** The path of the file that wrote each block last. */
  readonly #writers = new LruMap<string, string>({ maxEntries: MAX_REMEMBERED })
  readonly #options: ProgressOptions<AddFrameEvents>

  constructor (options: ProgressOptions<AddFrameEvents>) {
    this.#options = options
  }

  /** A view of a blockstore that notes what is put. */
  watch (blockstore: PutStore, path = ''): PutStore {
    if (this.#options.onProgress == null) {
      return blockstore
    }

    return {
      releasesBlocks: blockstore.releasesBlocks,
      put: (cid, block, options) => {
        if (block instanceof Uint8Array) {
          this.note(cid, block.byteLength, path)
        }

        return blockstore.put(cid, block, options)
      }
    }
  }

  note (cid: CID, size: number, path = ''): void {
    const key = blockKey(cid)
    const writer = this.#writers.peek(key)
    this.#writers.set(key, path)

    if (writer != null) {
      emit(this.#options, 'ipfsz:add:repeated', { cid, size, path, isInFile: path !== '' && writer === path })
    }
  }

  /** A file has so many bytes of blocks that occur in it several times. */
  noteInFile (cid: CID, size: number, path: string): void {
    if (size > 0) {
      emit(this.#options, 'ipfsz:add:repeated', { cid, size, path, isInFile: true })
    }
  }
}
