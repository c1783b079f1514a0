import { keyOf } from '../dag/dag-walk.ts'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

type Store = Pick<Blockstore, 'get' | 'has' | 'put'>

/** Maximum number of bytes that wait to be written, 8 MiB. */
const MAX_WAITING = 8 * 1024 * 1024
/** The least that a block counts against that, 64 KiB: at most 128 files are written at a time. */
const LEAST_COST = 64 * 1024

/** Work with a blockstore whose `put` does not wait, and then wait until all blocks are written. */
export async function writingBehind<T> (store: Store, work: (blockstore: WriteBehind) => Promise<T>): Promise<T> {
  const behind = new WriteBehind(store)

  try {
    const result = await work(behind)
    await behind.flush()

    return result
  } finally {
    await behind.settled()
  }
}

/**
 * A blockstore whose `put` does not wait until the block is written: writing a file takes many steps, and meanwhile its
 * reader can go on. Blocks that are being written can be read.
 */
class WriteBehind implements Store {
  readonly #inner: Store
  readonly #writing = new Map<string, { bytes: Uint8Array, written: Promise<unknown> }>()
  #waiting = 0
  /** Resolves when there is room for another block. One promise for all that wait: hundreds may. */
  #room = Promise.withResolvers<void>()
  #failure: { reason: unknown } | undefined

  constructor (inner: Store) {
    this.#inner = inner
  }

  async put (cid: CID, bytes: Parameters<Store['put']>[1]): Promise<CID> {
    const key = keyOf(cid)

    if (!(bytes instanceof Uint8Array) || this.#writing.has(key)) {
      return this.#inner.put(cid, bytes)
    }

    const cost = Math.max(bytes.byteLength, LEAST_COST)
    this.#waiting += cost
    const written = this.#write(cid, bytes).finally(() => {
      this.#writing.delete(key)
      this.#waiting -= cost

      if (this.#waiting <= MAX_WAITING) {
        this.#room.resolve()
        this.#room = Promise.withResolvers()
      }
    })
    this.#writing.set(key, { bytes, written })

    while (this.#waiting > MAX_WAITING) {
      await this.#room.promise
    }

    this.#check()

    return cid
  }

  async * get (...[cid, ...rest]: Parameters<Store['get']>): AsyncGenerator<Uint8Array> {
    const writing = this.#writing.get(keyOf(cid))

    if (writing == null) {
      yield * this.#inner.get(cid, ...rest)
    } else {
      yield writing.bytes
    }
  }

  async has (...[cid, ...rest]: Parameters<Store['has']>): Promise<boolean> {
    return this.#writing.has(keyOf(cid)) || this.#inner.has(cid, ...rest)
  }

  /** Wait until all blocks are written. */
  async flush (): Promise<void> {
    await this.settled()
    this.#check()
  }

  /** The same, if none could be too. */
  async settled (): Promise<void> {
    while (this.#writing.size > 0) {
      await Promise.all(Array.from(this.#writing.values(), ({ written }) => written))
    }
  }

  /** Never rejects. */
  async #write (cid: CID, bytes: Uint8Array): Promise<void> {
    try {
      await this.#inner.put(cid, bytes)
    } catch (reason) {
      this.#failure ??= { reason }
    }
  }

  #check (): void {
    if (this.#failure != null) {
      throw this.#failure.reason
    }
  }
}
