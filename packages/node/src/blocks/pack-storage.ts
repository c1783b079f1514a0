import { mkdir } from 'node:fs/promises'
import { BaseBlockstore } from 'blockstore-core/base'
import { equals } from 'multiformats/bytes'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { OpenPacks } from './open-packs.ts'
import type { PackedBlockstore } from '@ipfsz/blockstore-packed'
import type { BlockStorage, StoredBlock } from '@ipfsz/shared-store/storage'
import type { Blockstore, Pair } from 'interface-blockstore'

type Source<T> = Iterable<T> | AsyncIterable<T>
type Options = Parameters<Blockstore['has']>[1]

/** Blocks in packs. They are opened at the first call. */
export class PackStorage extends BaseBlockstore implements BlockStorage {
  readonly path: string
  /** Each block that `get` returns is in memory of its own. */
  readonly freshBlocks = true
  /** Who put a block may free its bytes: they are copied. */
  readonly releasesBlocks = true
  readonly #sync: boolean
  #packs: OpenPacks | undefined
  #isHeld = false

  /** @param init - `sync`: whether `sync` waits until what was put survives a loss of power */
  constructor (path: string, { sync }: { sync: boolean }) {
    super()
    this.path = path
    this.#sync = sync
  }

  /** The packs themselves, for those who read or write many blocks at a time. They are open until `close`. */
  async packs (): Promise<PackedBlockstore> {
    return (await this.#open()).store
  }

  async open (): Promise<void> {
    await mkdir(this.path).catch((err: NodeJS.ErrnoException) => {
      if (err.code !== 'EEXIST') {
        throw err
      }
    })
    const packs = await this.#open()

    if (!this.#isHeld) {
      this.#isHeld = true
      packs.hold()
    }
  }

  /** Give the packs back. If nobody else in this process has opened them, what was put is synced. */
  async close (): Promise<void> {
    if (this.#isHeld) {
      this.#isHeld = false
      this.#packs?.release()
    }

    await this.#packs?.settle()
  }

  async sync (): Promise<void> {
    await this.#use(async packs => (this.#sync ? packs.sync() : packs.flush()))
    this.#packs?.checkPlace()
  }

  async flush (): Promise<void> {
    await this.#use(async packs => packs.flush())
  }

  async syncLater (cid: CID): Promise<void> {
    await this.#use(async packs => packs.syncLater(cid))
  }

  async settled (): Promise<void> {
    // a put that has resolved is in memory
  }

  /** Store a block. One that is damaged is replaced, so adding its file repairs it. */
  override async put (cid: CID, value: Parameters<Blockstore['put']>[1], options?: Options): Promise<CID> {
    return this.#use(async packs => {
      if (value instanceof Uint8Array && await packs.has(cid, options) && !await hasBytes(packs, cid, value, options)) {
        await packs.delete(cid, options)
      }

      await packs.put(cid, value, options)
      this.#packs?.wasPut()

      return cid
    })
  }

  override async has (cid: CID, options?: Options): Promise<boolean> {
    return this.#use(async packs => packs.has(cid, options))
  }

  override async * get (cid: CID, options?: Options): AsyncGenerator<Uint8Array> {
    yield * this.#useAll(packs => packs.get(cid, options))
  }

  override async * getMany (source: Source<CID>, options?: Options): AsyncGenerator<Pair> {
    yield * this.#useAll(packs => packs.getMany(source, options))
  }

  override async * getAll (options?: Options): AsyncGenerator<Pair> {
    yield * this.#useAll(packs => packs.getAll(options))
  }

  override async delete (cid: CID, options?: Options): Promise<void> {
    await this.#use(async packs => packs.delete(cid, options))
  }

  override async * deleteMany (source: Source<CID>, options?: Options): AsyncGenerator<CID> {
    yield * this.#useAll(packs => packs.deleteMany(source, options))
  }

  async * blocks (options?: Options): AsyncGenerator<StoredBlock[]> {
    yield * this.#useAll(packs => packs.list(options))
  }

  async sizeOf ({ multihash, size }: StoredBlock): Promise<number> {
    return size ?? this.#use(async packs => (await packs.locations([cidOf({ multihash })]))[0]?.size ?? 0)
  }

  async remove (...[blocks, { signal } = {}]: Parameters<BlockStorage['remove']>): Promise<void> {
    for await (const _ of this.deleteMany(blocks.map(cidOf), { signal })) {
      // nothing else to do
    }
  }

  async #open (): Promise<OpenPacks> {
    const { failure } = this.#packs ?? {}

    if (failure != null) {
      // what this has put may be lost, and nobody may call it stored
      throw failure
    }

    if (this.#packs == null || this.#packs.isClosed) {
      this.#packs = await OpenPacks.of(this.path)

      if (this.#isHeld) {
        this.#packs.hold()
      }
    }

    return this.#packs
  }

  /** Packs that are not closed before `end` is called. */
  async #begin (): Promise<OpenPacks> {
    for (;;) {
      const packs = await this.#open()

      // after the wait, somebody else may have begun to close them: what is put then is lost
      if (!packs.isClosed) {
        packs.begin()

        return packs
      }
    }
  }

  async #use<T> (work: (packs: PackedBlockstore) => Promise<T>): Promise<T> {
    const packs = await this.#begin()
    let error: unknown

    try {
      return await work(packs.store)
    } catch (err) {
      error = err
      throw err
    } finally {
      packs.end(error)
    }
  }

  async * #useAll<T> (work: (packs: PackedBlockstore) => AsyncIterable<T>): AsyncGenerator<T> {
    const packs = await this.#begin()
    let error: unknown

    try {
      yield * work(packs.store)
    } catch (err) {
      error = err
      throw err
    } finally {
      packs.end(error)
    }
  }
}

function cidOf ({ multihash }: StoredBlock): CID {
  return CID.createV1(raw.code, multihash)
}

/** Whether a stored block has these bytes: not if it cannot be read. */
async function hasBytes (packs: PackedBlockstore, cid: CID, bytes: Uint8Array, options: Options): Promise<boolean> {
  try {
    const { value } = await packs.get(cid, options).next()

    return value != null && equals(value, bytes)
  } catch {
    options?.signal?.throwIfAborted()

    return false
  }
}
