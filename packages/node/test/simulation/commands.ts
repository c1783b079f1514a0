import { constants, zstdCompressSync } from 'node:zlib'
import { encodeBlocks } from '@ipfsz/blockstore-packed/encode'
import { encodeLinks } from '@ipfsz/shared-store/pack-links'
import { ipfsz } from '@ipfsz/core'
import { collectBytes } from '@ipfsz/utils/bytes'
import { isStoreAway } from '@ipfsz/shared-store/objects'
import { PackStorage } from '@ipfsz/shared-store/packs'
import { ObjectDatastore } from '@ipfsz/shared-store/records'
import { BlockSink } from '../../src/add/block-sink.ts'
import { collectStore } from '../../src/repo/collect-store.ts'
import { RepoPins } from '../../src/repo/repo-pins.ts'
import { withSession } from '../../src/repo/with-session.ts'
import { addContent } from './contents.ts'
import { Violation } from './promises.ts'
import type { DamagedDagError } from '../../src/errors.ts'
import type { Repo } from '../../src/repo/repo.ts'
import type { Content } from './contents.ts'
import type { Plant } from './plant.ts'
import type { Promises } from './promises.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import type { Disk } from '@ipfsz/blockstore-packed'
import type { ObjectStore } from '@ipfsz/shared-store/objects'

/** After how long others take a process for dead, in milliseconds. */
export const LEASE_TIMEOUT = 30_000

/** In this thread: what ends in another one would come in any order. */
function compressNow (bytes: Uint8Array): Buffer {
  return zstdCompressSync(bytes, {
    params: { [constants.ZSTD_c_compressionLevel]: 1 }, pledgedSrcSize: bytes.byteLength
  })
}

/** What a process of a node has. */
export interface ProcessInit {
  process: SimulatedProcess
  objects: ObjectStore
  /** What the node knows of the packs. */
  disk: Disk
  packSize: number
  contents: readonly Content[]
  promises: Promises
  plant: Plant
}

type SharedRepo = Repo & { shared: NonNullable<Repo['shared']> }

/** What the commands of `ipfsz` do in a repo that shares a store, once their arguments are read. */
export class Commands {
  readonly #init: ProcessInit
  readonly #storage: PackStorage
  readonly #repo: SharedRepo
  readonly #signal = new AbortController().signal

  constructor (init: ProcessInit) {
    const { process: { clock }, disk, packSize, plant } = init
    const objects = plant.objects?.(init.objects) ?? init.objects
    const storage = new PackStorage({
      objects, disk: plant.disk?.(disk) ?? disk, packSize, clock, compress: compressNow
    })
    plant.storage?.(storage)
    this.#storage = storage
    this.#init = init
    this.#repo = {
      path: '',
      storage,
      blockstore: storage,
      records: new ObjectDatastore(objects, { prefix: 'records', name: 'the store' }),
      links: { exist: async () => true, open: () => { throw new Error('not used') } },
      shared: { leaseTimeout: LEASE_TIMEOUT, objects, packs: storage, clock } as unknown as SharedRepo['shared'],
      close: async () => storage.settled()
    } as unknown as SharedRepo
  }

  /** @param pause - awaited before each file */
  async add (number: number, pause: () => Promise<void>): Promise<void> {
    const { contents, promises, plant } = this.#init
    const acknowledge = promises.beginPin(number)
    await this.#inSession(async repo => {
      // files of one in two go through worker threads
      await (number % 2 === 0 ? addEncoded(repo, contents[number], pause) : undefined)
      const cid = await addContent(ipfsz({ blockstore: repo.blockstore }), contents[number], pause)
      await addNew(repo, cid)
    }).catch(async (err: unknown) => {
      if (plant.takesPinsBack === true && nameOf(err) === 'SessionLostError') {
        await this.unpin(number)
      }

      throw err
    })
    acknowledge()
  }

  /** Pin what is in the store. @returns false if something of it is missing */
  async pin (number: number): Promise<boolean> {
    const { contents, promises, plant } = this.#init
    const acknowledge = promises.beginPin(number)
    const wasKept = promises.isKept(number)

    try {
      await (plant.pinsWithoutSession === true
        ? this.#pins(this.#repo).add(contents[number].cid, this.#signal)
        : this.#inSession(async repo => this.#pins(repo).add(contents[number].cid, this.#signal)))
    } catch (err) {
      const isMissing = nameOf(err) === 'DamagedDagError' && nameOf((err as Error).cause) === 'NotFoundError'

      if (!isMissing || (wasKept && promises.isKept(number))) {
        throw err
      }

      return false
    }

    acknowledge()

    return true
  }

  async unpin (number: number): Promise<void> {
    await this.#pins(this.#repo).rm(this.#init.contents[number].cid)
  }

  /** @throws {Violation} other bytes are read, or something that must be there is not */
  async get (number: number): Promise<void> {
    const { contents, promises } = this.#init
    const { cid, files } = contents[number]
    const wasKept = promises.isKept(number)
    const reader = ipfsz({ blockstore: this.#repo.blockstore })

    try {
      for (const { path, bytes } of files) {
        const read = await collectBytes(reader.cat(cid, { path }))

        if (Buffer.compare(read, bytes) !== 0) {
          throw new Violation(`${path} of ${number} has other bytes`)
        }
      }
    } catch (err) {
      if (nameOf(err) === 'Violation' || (wasKept && promises.isKept(number) && !isStoreAway(err))) {
        throw new Violation(`${number} cannot be read: ${String(err)}`, { cause: err })
      }

      if (nameOf(err) !== 'NotFoundError') {
        throw err
      }
    }
  }

  /** Store what peers have sent, as the daemon does. */
  async fetch (number: number): Promise<void> {
    for (const { cid, bytes } of this.#init.contents[number].blocks) {
      await this.#repo.blockstore.put(cid, bytes)
    }

    await this.#storage.flush()
  }

  async collect (onProgress: (type: string) => void = () => {}): Promise<void> {
    const pins = this.#pins(this.#repo)
    const { plant } = this.#init
    await plant.collection?.(pins, this.#repo.shared.objects)
    await collectStore({ repo: this.#repo, shared: this.#repo.shared, packs: this.#storage, pins }, {
      signal: this.#signal, onProgress: ({ type }) => { onProgress(type) }
    })
  }

  async close (): Promise<void> {
    await this.#repo.close()
  }

  #pins (repo: Repo): RepoPins {
    return new RepoPins(repo)
  }

  async #inSession (work: (repo: Repo) => Promise<void>): Promise<void> {
    const { shared } = this.#repo
    const objects = this.#init.plant.sessionObjects?.(shared.objects) ?? shared.objects
    const seen = { ...shared, objects } as unknown as SharedRepo['shared']
    const repo = await withSession({ ...this.#repo, shared: seen }, { signal: this.#signal })

    if (repo.session != null) {
      this.#init.plant.session?.(repo.session)
    }

    try {
      await work(repo)
    } finally {
      await repo.close()
      await repo.session?.end()
    }
  }
}

/** Store blocks that were compressed elsewhere, two parts at a time. */
async function addEncoded (repo: Repo, { blocks }: Content, pause: () => Promise<void>): Promise<void> {
  const sink = new BlockSink(repo)

  for (let first = 0; first < blocks.length; first += 2) {
    await pause()
    await Promise.all(blocks.slice(first, first + 2).map(async block => {
      const wanted = await sink.want([{ cid: block.cid, size: block.bytes.byteLength }])

      if (wanted.length > 0) {
        await sink.put(wanted, { encoded: { ...encodeBlocks([block], sink.packing), links: encodeLinks([block]) } })
      }
    }))
  }
}

async function addNew (repo: Repo, cid: Content['cid']): Promise<void> {
  const [error] = await new RepoPins(repo).addNew([{ cid }])

  if (error != null) {
    throw error
  }
}

/** Which content a walk says is not complete. */
export function damagedContent (err: unknown, contents: readonly Content[]): number | undefined {
  const content = contents.findIndex(({ cid }) => nameOf(err) === 'DamagedDagError' &&
    Buffer.compare(cid.multihash.bytes, (err as DamagedDagError).root.multihash.bytes) === 0)

  return content < 0 ? undefined : content
}

export function nameOf (err: unknown): string {
  return err instanceof Error ? err.name : ''
}
