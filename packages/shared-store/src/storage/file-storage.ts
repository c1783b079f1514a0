import { stat } from 'node:fs/promises'
import { SharedFsBlockstore } from '@ipfsz/blockstore-compressed/fs'
import { mapOrdered } from '@ipfsz/utils/map-ordered'
import { removeFile } from '@ipfsz/utils/while-open'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import type { BlockFile } from '@ipfsz/blockstore-compressed/fs'
import type { BlockStorage, StoredBlock } from './block-storage.ts'

/** How many files are deleted at a time: as many as Node has threads for. */
const REMOVALS = 4

/** Blocks as files. */
export class FileStorage extends SharedFsBlockstore implements BlockStorage {
  blocks ({ signal }: { signal?: AbortSignal | null | undefined } = {}): AsyncGenerator<BlockFile[]> {
    return this.files({ signal: signal ?? undefined })
  }

  async sizeOf (block: StoredBlock): Promise<number> {
    try {
      const stats = await stat(this.#pathOf(block))

      return stats.isFile() ? stats.size : 0
    } catch (err) {
      if ((err as NodeJS.ErrnoException).code === 'ENOENT') {
        // it was deleted since it was listed
        return 0
      }

      throw err
    }
  }

  async remove (...[blocks, { signal } = {}]: Parameters<BlockStorage['remove']>): Promise<void> {
    // not all at once: Node would queue them, and delete the last ones long after the signal has aborted
    const removals = mapOrdered(blocks, async block => removeFile(this.#pathOf(block)), {
      concurrency: REMOVALS,
      signal
    })

    for await (const _ of removals) {
      // nothing else to do
    }
  }

  /** The path where it was found, which may be another than that where it would be put. */
  #pathOf (block: StoredBlock): string {
    return (block as Partial<BlockFile>).path ?? this.pathOf(CID.createV1(raw.code, block.multihash))
  }
}
