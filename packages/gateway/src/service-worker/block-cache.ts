import { NotFoundError } from '@ipfsz/core/reader'
import { LruMap } from '@ipfsz/utils/lru-map'
import type { StoredBlocks } from './stored-blocks.ts'
import type { ReaderComponents } from '@ipfsz/core/reader'
import type { CID } from 'multiformats/cid'

/** Maximum number of bytes of blocks that wait to be stored, 16 MiB. More are not stored. */
const MAX_WAITING = 16 * 1024 * 1024

/** Bytes of blocks that stay in memory, 16 MiB. */
const RECENT_SIZE = 16 * 1024 * 1024

type Blockstore = ReaderComponents['blockstore']

/**
 * The blocks that the worker keeps: the last ones in memory, and more in the browser's storage. Blocks are stored in
 * the background: a slow or full disk holds up no response, and a worker that is killed loses only what it had not
 * stored yet.
 */
export class BlockCache implements Blockstore {
  readonly #recent = new LruMap<string, Uint8Array>({
    maxSize: RECENT_SIZE,
    sizeOf: ({ byteLength }) => byteLength
  })
  readonly #stored: StoredBlocks
  /** Blocks to store next, by key. */
  #waiting = new Map<string, Uint8Array>()
  #waitingSize = 0
  #isStoring = false

  constructor (stored: StoredBlocks) {
    this.#stored = stored
  }

  async * get (cid: CID): AsyncGenerator<Uint8Array> {
    const key = keyOf(cid)
    const known = this.#recent.get(key) ?? this.#waiting.get(key)
    const bytes = known ?? await this.#stored.get(key)

    if (bytes == null) {
      throw new NotFoundError(cid)
    }

    if (known == null) {
      this.#recent.set(key, bytes)
    }

    yield bytes
  }

  async has (cid: CID): Promise<boolean> {
    const key = keyOf(cid)

    return this.#recent.has(key) || this.#waiting.has(key) || await this.#stored.get(key) != null
  }

  async put (cid: CID, bytes: Uint8Array): Promise<CID> {
    const key = keyOf(cid)

    this.#recent.set(key, bytes)

    if (this.#waitingSize + bytes.byteLength <= MAX_WAITING) {
      this.#waiting.set(key, bytes)
      this.#waitingSize += bytes.byteLength
      void this.#store()
    }

    return cid
  }

  /** Those that arrive while others are stored are stored together. */
  async #store (): Promise<void> {
    if (this.#isStoring) {
      return
    }

    this.#isStoring = true

    while (this.#waiting.size > 0) {
      const blocks = this.#waiting
      this.#waiting = new Map()
      this.#waitingSize = 0
      await this.#stored.put(blocks)
    }

    this.#isStoring = false
  }
}

/** The multihash: a CID of another version or codec names the same bytes. */
function keyOf ({ multihash: { bytes } }: CID): string {
  return String.fromCharCode(...bytes)
}
