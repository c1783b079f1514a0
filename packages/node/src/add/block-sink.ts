import { freeBytes } from '@ipfsz/utils/free-bytes'
import { keyOf } from '../dag/dag-walk.ts'
import type { Session } from '../context.ts'
import type { NewBlocks, Packing } from './small-files-protocol.ts'
import type { PackedBlockstore } from '@ipfsz/blockstore-packed'
import type { CID } from 'multiformats/cid'

export interface BlockSinkInit extends Pick<Session['repo'], 'blockstore' | 'storage'> {
  /** The packs of a repo that has them. */
  packs?: (() => Promise<PackSink>) | undefined
  /** Those of a shared store. */
  sessionPacks?: (PackSink & { level: number }) | undefined
}

/** Takes blocks that are compressed as packs have them. */
type PackSink = Pick<PackedBlockstore, 'hasMany' | 'putEncoded'>

/** A block whose bytes are elsewhere. */
export interface ListedBlock {
  cid: CID
  size: number
}

/** How many blocks are put, or looked for, at a time: each may be a file. */
const CONCURRENCY = 32

/** Stores blocks that threads have made. Those of equal files are stored once. */
export class BlockSink {
  readonly #init: BlockSinkInit
  /** Blocks that are wanted, and not stored yet. */
  readonly #coming = new Set<string>()

  constructor (init: BlockSinkInit) {
    this.#init = init
  }

  /** How blocks are compressed for packs. Undefined: they do not go into packs. */
  get packing (): Packing | undefined {
    const { packs, sessionPacks } = this.#init

    return sessionPacks == null && packs == null
      ? undefined
      : { level: sessionPacks?.level, withLinks: sessionPacks != null }
  }

  /** Where all blocks are. */
  get blockstore (): BlockSinkInit['blockstore'] {
    return this.#init.blockstore
  }

  /** Which blocks to put: those that are neither stored nor on their way. Without packs, each put looks itself. */
  async want (blocks: readonly ListedBlock[]): Promise<ListedBlock[]> {
    const stored = await this.#hasInPacks(blocks.map(({ cid }) => cid))

    return blocks.filter(({ cid }, i) => {
      const isWanted = stored?.[i] !== true && !this.#coming.has(keyOf(cid))

      if (isWanted) {
        this.#coming.add(keyOf(cid))
      }

      return isWanted
    })
  }

  /** Store the blocks that were wanted. */
  async put (wanted: readonly ListedBlock[], blocks: NewBlocks): Promise<void> {
    if ('encoded' in blocks) {
      await (await this.#packs())?.putEncoded(blocks.encoded)
      // as garbage, every 20 to 60 MiB of it make V8 mark the whole heap
      freeBytes(blocks.encoded.data)
    } else {
      let at = 0
      const parts = wanted.map(({ cid, size }) => ({ cid, bytes: blocks.bytes.subarray(at, at += size) }))
      await inTurns(parts, async ({ cid, bytes }) => this.#init.blockstore.put(cid, bytes))
    }

    for (const { cid } of wanted) {
      this.#coming.delete(keyOf(cid))
    }
  }

  /** Whether each block is stored. The next sync includes those that are. */
  async has (cids: readonly CID[]): Promise<boolean[]> {
    const { blockstore, storage } = this.#init

    return await this.#hasInPacks(cids) ?? inTurns(cids, async cid => {
      const isStored = await blockstore.has(cid)

      if (isStored) {
        await storage.syncLater(cid)
      }

      return isStored
    })
  }

  /** Whether blocks are in packs, and would survive a loss of power there. Undefined without packs. */
  async #hasInPacks (cids: readonly CID[]): Promise<boolean[] | undefined> {
    return (await this.#packs())?.hasMany(cids, { durable: true })
  }

  async #packs (): Promise<PackSink | undefined> {
    const { packs, sessionPacks } = this.#init

    return sessionPacks ?? packs?.()
  }
}

async function inTurns<T, R> (values: readonly T[], work: (value: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []

  for (let first = 0; first < values.length; first += CONCURRENCY) {
    results.push(...await Promise.all(values.slice(first, first + CONCURRENCY).map(work)))
  }

  return results
}
