import { emit } from '../events.ts'
import { RecentWriters } from './recent-writers.ts'
import type { PutStore } from '../dag/block.ts'
import type { AddFrameEvents } from '../events.ts'
import type { ProgressOptions } from 'progress-events'
import type { CID } from 'multiformats/cid'

/** The most blocks that are remembered. One that comes again much later counts again. */
const MAX_REMEMBERED = 262_144

/**
 * Reports blocks that one add writes again: the sizes in links count them as often as they occur, and a blockstore
 * stores them once.
 */
export class RepeatedBlocks {
  readonly #writers = new RecentWriters(MAX_REMEMBERED)
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
    const before = this.#writers.note(cid.multihash.bytes, path)

    if (before !== 'first') {
      emit(this.#options, 'ipfsz:add:repeated', { cid, size, path, isInFile: path !== '' && before === 'same' })
    }
  }

  /** A file has so many bytes of blocks that occur in it several times. */
  noteInFile (cid: CID, size: number, path: string): void {
    if (size > 0) {
      emit(this.#options, 'ipfsz:add:repeated', { cid, size, path, isInFile: true })
    }
  }
}
