import { SharedFsBlockstore } from '@ipfsz/blockstore-compressed/fs'
import type { Blockstore } from 'interface-blockstore'

/** The first bytes of every envelope; the low four bits of the first byte vary (docs/format.md, sections 1 and 5). */
const MARKER = [0x80, 0xb4, 0xfd, 0x01]

/**
 * The blocks of a repo that does not compress. `ipfsz blockstore convert` may compress them while this process has the
 * repo open: reads then still work.
 */
export class PlainBlockstore extends SharedFsBlockstore {
  readonly #disk: SharedFsBlockstore
  #opener: Promise<Blockstore> | undefined

  /** @param disk - the files of the same blocks */
  constructor (disk: SharedFsBlockstore) {
    super(disk.path)
    this.#disk = disk
  }

  /** Goes through `disk`, which keeps track of the blocks to sync. */
  override async put (...args: Parameters<SharedFsBlockstore['put']>): ReturnType<SharedFsBlockstore['put']> {
    return this.#disk.put(...args)
  }

  override async * get (...args: Parameters<SharedFsBlockstore['get']>): AsyncGenerator<Uint8Array> {
    let isFirst = true

    for await (const chunk of super.get(...args)) {
      if (isFirst && beginsLikeEnvelope(chunk)) {
        this.#opener ??= makeOpener(this.#disk)
        // this may also be a plain block with the same first bytes: the CompressedBlockstore decides by the hash
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
