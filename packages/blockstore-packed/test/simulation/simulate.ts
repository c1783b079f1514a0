import { hash } from 'node:crypto'
import { constants, zstdCompressSync } from 'node:zlib'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import * as Digest from 'multiformats/hashes/digest'
import { sha256 } from 'multiformats/hashes/sha2'
import { encodeBlocks } from '../../src/encode/encode-blocks.ts'
import { PackedBlockstore } from '../../src/index.ts'
import { History } from './history.ts'
import { Random } from '../../../../test/support/random.ts'
import { Scheduler } from './scheduler.ts'
import { SimulatedDisk } from '../../../../test/support/simulated-disk.ts'
import type { Disk } from '../../src/disk/disk.ts'
import type { PlainBlock } from '../../src/index.ts'
import type { SimulatedProcess } from './scheduler.ts'

/** A fault that is planted into the store, to see whether the simulation finds it. */
export interface Plant {
  /** The disk that a process gets. */
  disk?: (disk: Disk, role: Role) => Disk
  /** Changes code. @returns what takes that back */
  patch?: () => () => void
  newId?: (newId: () => string) => () => string
}

export type Role = 'writer 1' | 'writer 2' | 'reader' | 'collector'

const ROLES: Role[] = ['writer 1', 'writer 2', 'reader', 'collector']
const BLOCKS = makeBlocks(14)
/** Calls to the disk of a run at most: one that needs more does not end. */
const MAX_STEPS = 60_000
/** Times that nothing waits for its turn until nothing ever will: code may wait for the thread pool. */
const MAX_IDLE = 2000

class Violation extends Error {}

/** Run two writers, a reader and a collector until each has done its work. @returns what went wrong */
export async function simulate (seed: number, plant: Plant = {}): Promise<string | undefined> {
  const restore = plant.patch?.()

  try {
    await new Simulation(seed, plant).run()

    return undefined
  } catch (err) {
    return err instanceof Violation ? err.message : `${err instanceof Error ? err.stack : String(err)}`
  } finally {
    restore?.()
  }
}

interface Actor {
  role: Role
  process: SimulatedProcess
  /** Actions that are left. */
  budget: number
  isDone: boolean
}

class Simulation {
  readonly #random: Random
  readonly #ids: Random
  readonly #scheduler: Scheduler
  readonly #disk: SimulatedDisk
  readonly #history = new History()
  readonly #plant: Plant
  readonly #durability: 'put' | 'sync'
  /** In small packs nearly every put begins a new one; of larger ones, many are small enough to be joined. */
  readonly #packSize: number
  #failure: unknown

  constructor (seed: number, plant: Plant) {
    this.#random = new Random(seed)
    this.#ids = new Random(seed + 0x5eed)
    this.#scheduler = new Scheduler(this.#random)
    this.#disk = new SimulatedDisk(this.#random, this.#scheduler)
    this.#plant = plant
    this.#durability = this.#random.pick(['put', 'sync'])
    this.#packSize = this.#random.pick([3000, 20_000])
  }

  async run (): Promise<void> {
    const random = this.#random
    const rate = random.pick([0, 0, 0.002, 0.02])
    this.#disk.faults = { readError: random.pick([0, rate]), writeError: rate, syncError: random.pick([0, rate]) }
    const kills = random.pick([0, 0.001, 0.01])
    const powerCuts = random.pick([0, 0.001, 0.005])
    const full = random.pick([0, 0, 0.003])
    const actors = ROLES.map(role => this.#start({
      role, process: newProcess(role), budget: 5 + random.below(role === 'collector' ? 6 : 14), isDone: false
    }))
    let idle = 0

    for (let step = 0; actors.some(({ isDone }) => !isDone); step++) {
      idle = await this.#scheduler.step() ? 0 : idle + 1

      if (this.#failure != null) {
        throw this.#failure
      }

      if (step > MAX_STEPS || idle > MAX_IDLE) {
        throw new Violation(`does not end after ${step} calls`)
      }

      if (random.chance(kills)) {
        this.#restart(random.pick(actors))
      }

      if (random.chance(powerCuts)) {
        actors.forEach(({ process }) => this.#kill(process))
        this.#disk.losePower()
        actors.forEach(actor => this.#restart(actor))
      }

      if (random.chance(full)) {
        this.#disk.capacity = this.#disk.capacity === Infinity ? random.below(20_000) : Infinity
      }
    }

    actors.forEach(({ process }) => this.#kill(process))
    await this.#checkEnd()
  }

  #start (actor: Actor): Actor {
    const work = { reader: this.#read, collector: this.#collect, 'writer 1': this.#write, 'writer 2': this.#write }
    const { process } = actor
    const working = work[actor.role].call(this, actor)
    void this.#follow(actor, process, working)

    return actor
  }

  async #follow (actor: Actor, process: SimulatedProcess, working: Promise<void>): Promise<void> {
    try {
      await working
      actor.isDone ||= actor.process === process
    } catch (err) {
      if (process.isAlive) {
        this.#failure ??= err
      }
    }
  }

  #kill (process: SimulatedProcess): void {
    if (process.isAlive) {
      this.#scheduler.kill(process)
      this.#disk.release(process)
      this.#history.end(process)
    }
  }

  #restart (actor: Actor): void {
    this.#kill(actor.process)

    if (!actor.isDone) {
      actor.process = newProcess(actor.role)
      this.#start(actor)
    }
  }

  #store (process: SimulatedProcess, role: Role): PackedBlockstore {
    const disk = this.#disk.of(process)
    const newId = (): string => Array.from({ length: 32 }, () => this.#ids.below(16).toString(16)).join('')

    return new PackedBlockstore('', { durability: this.#durability, packSize: this.#packSize, level: 1 }, {
      disk: this.#plant.disk?.(disk, role) ?? disk,
      compress: bytes => zstdCompressSync(bytes, {
        params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
        pledgedSrcSize: bytes.byteLength
      }),
      newId: this.#plant.newId?.(newId) ?? newId
    })
  }

  /** Open the store, act, and close it, until the budget is spent. */
  async #act (actor: Actor, action: (store: PackedBlockstore) => Promise<void>): Promise<void> {
    const { process } = actor

    while (actor.budget > 0) {
      const store = this.#store(process, actor.role)
      await tolerate(async () => {
        await store.open()

        for (let actions = 1 + this.#random.below(6); actor.budget > 0 && actions > 0; actions--) {
          actor.budget--
          await action(store)
        }
      })
      // a store that has failed cannot be closed without an error
      await tolerate(async () => store.close())
      this.#history.end(process)
      actor.budget--
    }
  }

  async #write (actor: Actor): Promise<void> {
    const { process } = actor
    const random = this.#random

    await this.#act(actor, async store => {
      const blocks = random.some(BLOCKS, 3)

      if (random.chance(0.1)) {
        await this.#delete(store, process, random.some(BLOCKS, 2))
      } else if (random.chance(0.15)) {
        await this.#check(store, random.pick(BLOCKS))
      }

      const puts = blocks.map(block => ({ block, operation: this.#history.put(BLOCKS.indexOf(block), process) }))

      await tolerate(async () => {
        if (random.chance(0.4)) {
          await Array.fromAsync(store.putMany(blocks))
        } else if (random.chance(0.5)) {
          await this.#putEncoded(store, blocks)
        } else {
          await Promise.all(blocks.map(async ({ cid, bytes }) => store.put(cid, bytes)))
        }

        if (this.#durability === 'sync' && random.chance(0.7)) {
          await store.sync()
        } else if (this.#durability === 'sync') {
          return
        }

        puts.forEach(({ operation }) => this.#history.acknowledge(operation))
      })
    })
  }

  /** As worker threads do: several groups, of blocks that are not here for certain. */
  async #putEncoded (store: PackedBlockstore, blocks: readonly PlainBlock[]): Promise<void> {
    const has = await store.hasMany(blocks.map(({ cid }) => cid), { durable: true })

    for (const block of blocks.filter((_, i) => !has[i])) {
      await store.putEncoded(encodeBlocks([block], { level: 1 }))
    }

    if (this.#durability === 'put') {
      // what this store has put before may have failed to be written
      await store.sync()
    }
  }

  async #read (actor: Actor): Promise<void> {
    await this.#act(actor, async store => this.#check(store, this.#random.pick(BLOCKS)))
  }

  async #collect (actor: Actor): Promise<void> {
    await this.#act(actor, async store => {
      await this.#delete(store, actor.process, this.#random.some(BLOCKS, 5))

      if (this.#random.chance(0.7)) {
        await tolerate(async () => { await store.repack({ maxUnused: 0 }) })
      }

      if (this.#random.chance(0.1)) {
        await tolerate(async () => store.rebuildIndex())
      }
    })
  }

  async #delete (store: PackedBlockstore, process: SimulatedProcess, blocks: PlainBlock[]): Promise<void> {
    const deletes = blocks.map(block => this.#history.delete(BLOCKS.indexOf(block), process))

    await tolerate(async () => {
      await Array.fromAsync(store.deleteMany(blocks.map(({ cid }) => cid)))
      deletes.forEach(operation => this.#history.acknowledge(operation))
    })
  }

  /** Read a block, and compare with what must be. */
  async #check (store: PackedBlockstore, block: PlainBlock): Promise<void> {
    const start = this.#history.now()
    const number = BLOCKS.indexOf(block)
    const has = this.#random.chance(0.5) ? await settled(store.has(block.cid)) : undefined

    if (has === false && this.#history.mustExist(number, start) && this.#disk.faults.readError === 0) {
      throw new Violation(`block ${number} was acknowledged, and has() denies it`)
    }

    // a get may return what another process has just deleted, if it knew the place
    if (has === true && this.#history.mustBeGone(number, start) && this.#disk.faults.readError === 0) {
      throw new Violation(`block ${number} was deleted or never put, and has() finds it`)
    }

    let bytes: Uint8Array | undefined

    try {
      [bytes] = await Array.fromAsync(store.get(block.cid))
    } catch (err) {
      if (!(err instanceof Error) || (err.name !== 'NotFoundError' && !isDiskError(err))) {
        throw err
      }

      if (err.name === 'NotFoundError' && this.#history.mustExist(number, start)) {
        throw new Violation(`block ${number} was acknowledged, and is not found`)
      }

      return
    }

    if (Buffer.compare(bytes, block.bytes) !== 0) {
      throw new Violation(`block ${number} has other bytes`)
    }

  }

  /** All processes have ended: what is there must be right, with the index and without it. */
  async #checkEnd (): Promise<void> {
    this.#disk.faults = { readError: 0, writeError: 0, syncError: 0 }
    this.#disk.capacity = Infinity

    if (this.#random.chance(0.5)) {
      this.#disk.losePower()
    }

    const first = await this.#alone(async store => this.#contents(store))
    const again = await this.#alone(async store => {
      await store.repack({ maxUnused: 0 })

      return this.#contents(store)
    })
    this.#disk.wipe('index')
    const rebuilt = await this.#alone(async store => this.#contents(store))

    if (first !== rebuilt || first !== again) {
      throw new Violation(`the index has ${first}, after a repack ${again}, and rebuilt ${rebuilt}`)
    }
  }

  /** Check all blocks. @returns which are there */
  async #contents (store: PackedBlockstore): Promise<string> {
    const present: number[] = []

    for (const [i, block] of BLOCKS.entries()) {
      await this.#check(store, block)

      if (await store.has(block.cid)) {
        present.push(i)
      }
    }

    const listed = (await Array.fromAsync(store.getAll())).map(({ cid }) => BLOCKS.findIndex(b => b.cid.equals(cid)))
    const damage = await Array.fromAsync(store.verify())

    if (String(listed.toSorted((a, b) => a - b)) !== String(present) || damage.length > 0) {
      throw new Violation(`listed ${listed}, there are ${present}, damage ${JSON.stringify(damage)}`)
    }

    return String(present)
  }

  async #alone (work: (store: PackedBlockstore) => Promise<string>): Promise<string> {
    const process = newProcess('reader')
    const store = this.#store(process, 'reader')
    const state: { result?: string, failure?: unknown } = {}
    void (async () => {
      try {
        await store.open()
        const result = await work(store)
        await store.close()
        state.result = result
      } catch (err) {
        state.failure = err
      }
    })()

    for (let idle = 0; state.result == null && state.failure == null; idle++) {
      idle = await this.#scheduler.step() ? 0 : idle

      if (idle > MAX_IDLE) {
        throw new Violation('the last look does not end')
      }
    }

    if (state.failure != null) {
      throw state.failure
    }

    return state.result ?? ''
  }
}

function newProcess (name: string): SimulatedProcess {
  return { name, isAlive: true }
}

/** Do something that may fail because of the disk. */
async function tolerate (work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (err) {
    if (!isDiskError(err)) {
      throw err
    }
  }
}

async function settled<T> (promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise
  } catch (err) {
    if (!isDiskError(err)) {
      throw err
    }

    return undefined
  }
}

/** Whether an error, or its cause, is one that the simulated disk made. */
function isDiskError (err: unknown): boolean {
  return err instanceof Error && (
    ('code' in err && (err.code === 'EIO' || err.code === 'ENOSPC')) ||
    err.name === 'StoreClosedError' || isDiskError(err.cause)
  )
}

/** Blocks that compress, and some that do not. */
function makeBlocks (count: number): PlainBlock[] {
  const random = new Random(1)

  return Array.from({ length: count }, (_, i) => {
    const length = 30 + random.below(900)
    const bytes = Buffer.from(Array.from({ length }, (_, at) => i % 3 === 0 ? random.below(256) : (at * i) % 7 + 97))
    bytes[0] = i

    return { cid: CID.createV1(raw.code, Digest.create(sha256.code, hash('sha256', bytes, 'buffer'))), bytes }
  })
}
