import { RepoBlockstore } from './repo-blockstore.ts'
import type { Blockstore } from 'interface-blockstore'

/** How every envelope begins, but for the last four bits of the first byte (docs/format.md, sections 1 and 5). */
const MARKER = [0x80, 0xb4, 0xfd, 0x01]

/**
 * The blocks of a repo that compresses none, as far as this process knows. Meanwhile
 * `ipfsz blockstore convert` may have compressed them: whoever reads goes on reading.
 */
export class PlainRepoBlockstore extends RepoBlockstore {
  readonly #disk: RepoBlockstore
  #opener: Promise<Blockstore> | undefined

  /** @param disk - the files of the same blocks */
  constructor (location: string, temporary: string, disk: RepoBlockstore) {
    super(location, temporary)
    this.#disk = disk
  }

  override async * get (...args: Parameters<RepoBlockstore['get']>): AsyncGenerator<Uint8Array> {
    for await (const value of super.get(...args)) {
      if (beginsLikeEnvelope(value)) {
        this.#opener ??= makeOpener(this.#disk)
        // it has been replaced since it was read, or not: there the hash decides
        yield * (await this.#opener).get(...args)
      } else {
        yield value
      }
    }
  }
}

function beginsLikeEnvelope (value: Uint8Array): boolean {
  return MARKER.every((byte, i) => (i === 0 ? value[i] & 0xf0 : value[i]) === byte)
}

async function makeOpener (disk: RepoBlockstore): Promise<Blockstore> {
  const { CompressedBlockstore } = await import('@ipfsz/blockstore-compressed')

  return new CompressedBlockstore(disk, { codec: 'none' })
}
