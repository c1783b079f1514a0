import { SharedFsBlockstore } from '@ipfsz/blockstore-compressed/fs'
import type { Blockstore } from 'interface-blockstore'

/** How every envelope begins, but for the last four bits of the first byte (docs/format.md, sections 1 and 5). */
const MARKER = [0x80, 0xb4, 0xfd, 0x01]

/**
 * The blocks of a repo that compresses none, as far as this process knows. Meanwhile
 * `ipfsz blockstore convert` may have compressed them: whoever reads goes on reading.
 */
export class PlainRepoBlockstore extends SharedFsBlockstore {
  readonly #disk: SharedFsBlockstore
  #opener: Promise<Blockstore> | undefined

  /** @param disk - the files of the same blocks */
  constructor (disk: SharedFsBlockstore) {
    super(disk.path)
    this.#disk = disk
  }

  /** By the files of the blocks, which know then what is to be synced. */
  override async put (...args: Parameters<SharedFsBlockstore['put']>): ReturnType<SharedFsBlockstore['put']> {
    return this.#disk.put(...args)
  }

  override async * get (...args: Parameters<SharedFsBlockstore['get']>): AsyncGenerator<Uint8Array> {
    let isFirst = true

    for await (const chunk of super.get(...args)) {
      if (isFirst && beginsLikeEnvelope(chunk)) {
        this.#opener ??= makeOpener(this.#disk)
        // it has been replaced since it was read, or not: there the hash decides
        yield * (await this.#opener).get(...args)
        return
      }

      isFirst = false
      yield chunk
    }
  }
}

function beginsLikeEnvelope (value: Uint8Array): boolean {
  return MARKER.every((byte, i) => (i === 0 ? value[i] & 0xf0 : value[i]) === byte)
}

async function makeOpener (disk: SharedFsBlockstore): Promise<Blockstore> {
  const { CompressedBlockstore } = await import('@ipfsz/blockstore-compressed')

  return new CompressedBlockstore(disk, { codec: 'none' })
}
