import { hash } from 'node:crypto'
import { zstdCompressSync } from 'node:zlib'
import { keyOf, readPackTable, tableSizeOf } from '@ipfsz/blockstore-packed/whole'
import { NotFoundError } from 'interface-store'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import * as Digest from 'multiformats/hashes/digest'
import { sleep } from '../src/clock.ts'
import { collectPacks } from '../src/packs/collect-packs.ts'
import { PackStorage } from '../src/packs/pack-storage.ts'
import { encodeAck, Objections } from '../src/protocol/round-objects.ts'
import { StoreSession } from '../src/sessions/store-session.ts'
import { Scheduler } from './store-scheduler.ts'
import { LostBlockError } from './store-world.ts'
import type { AbortOptions, GetObjectOptions, ObjectInfo, ObjectStore } from '../src/objects/object-store.ts'
import type { Actor, SchedulerInit } from './store-scheduler.ts'

const TIMEOUT = 60_000
/** Few names on a page of a list. */
const PAGE = 2
/** Blocks that are there at the beginning, in packs of two. The first of each pack is garbage, but for the last one. */
const BEGIN = [[0, 1], [2, 3], [4, 5]]
const PINNED = [1, 5]

/** What a world may do wrong, to show that the test would find it. */
export type PackSabotage =
  | 'objections get lost'
  | 'pins are read once'
  | 'sessions are hidden'
  | 'rounds are hidden'
  | 'pins are not confirmed'
  | 'pins are taken back'
  | 'condemned packs are relied on'
  | 'nothing is copied'

export interface PackWorldInit {
  seed: number
  /** For each session the blocks that it adds, and the name of its pin. */
  sessions: ReadonlyArray<{ blocks: readonly number[], pin: string }>
  collectors: number
  /** How often each collector runs. */
  collections: number
  chances: SchedulerInit['chances']
  sabotage?: PackSabotage
}

/** Sessions and collectors of several nodes over one store of packs, the real code, in an order that a seed chooses. */
export class PackWorld {
  readonly #init: PackWorldInit
  readonly #scheduler: Scheduler
  readonly #objects = new Map<string, Uint8Array>()
  /** The blocks of each pack that is there. */
  readonly #packs = new Map<string, ReadonlySet<number>>()
  readonly #pins = new Map<string, readonly number[]>([['base', PINNED]])
  readonly #acknowledged = new Map<string, readonly number[]>([['base', PINNED]])
  /** What happened, by name, and how often. */
  readonly events: Record<string, number> = {}

  constructor (init: PackWorldInit) {
    this.#init = init
    this.#scheduler = new Scheduler({ ...init, timeout: TIMEOUT })
  }

  /** @throws {Error} an acknowledged block is lost */
  async run (): Promise<void> {
    await this.#begin()

    for (const [i, session] of this.#init.sessions.entries()) {
      this.#start(`session ${i}`, async actor => this.#add(actor, session))
    }

    for (let i = 0; i < this.#init.collectors; i++) {
      this.#start(`collector ${i}`, async actor => {
        for (let j = 0; j < this.#init.collections; j++) {
          await this.#collect(actor)
        }
      })
    }

    await this.#scheduler.run(60_000, () => { this.#check() })
  }

  /** The blocks that are there, although nothing pins them. */
  get garbage (): number[] {
    const pinned = new Set([...this.#pins.values()].flat())

    return [...this.#packs.values()].flatMap(blocks => [...blocks]).filter(i => !pinned.has(i))
  }

  /** Collect until nothing more can be deleted, with nobody else. */
  async collectAlone (): Promise<void> {
    const scheduler = new Scheduler({ seed: 0, timeout: TIMEOUT, chances: { fail: 0, pause: 0, kill: 0 } })
    const actor = scheduler.actor('last collector')
    let failure: unknown
    void this.#collect(actor, scheduler)
      .catch((err: unknown) => { failure = err })
      .finally(() => { actor.isDone = true })
    await scheduler.run(60_000, () => { this.#check() })

    if (failure != null) {
      throw failure
    }
  }

  async #begin (): Promise<void> {
    for (const blocks of BEGIN) {
      const storage = this.#storage(undefined)

      for (const i of blocks) {
        await storage.writer.put(cidOf(i), bytesOf(i))
      }

      await storage.sync()
    }
  }

  #start (name: string, work: (actor: Actor) => Promise<void>): void {
    const actor = this.#scheduler.actor(name)
    const attempt = async (): Promise<void> => {
      // again after an error, as people do
      for (let i = 0; i < 3; i++) {
        try {
          await work(actor)
          return
        } catch (err) {
          this.#count((err as Error).name)
        }
      }
    }

    void attempt().finally(() => { actor.isDone = true })
  }

  async #add (actor: Actor, { blocks, pin }: PackWorldInit['sessions'][number]): Promise<void> {
    const { sabotage } = this.#init
    const storage = this.#storage(actor)
    const session = await StoreSession.open(this.#objectStore(actor), {
      leaseTimeout: TIMEOUT, command: 'add', clock: actor.clock, packs: storage
    })

    if (sabotage === 'condemned packs are relied on') {
      session.relyOnPack = () => true
    }

    try {
      const blockstore = session.blockstore(storage)

      for (const i of blocks) {
        // reading and compressing takes time
        await sleep(actor.clock, this.#scheduler.random(2) * TIMEOUT)

        if (await blockstore.has(cidOf(i))) {
          this.#count('found')
        } else {
          await blockstore.put(cidOf(i), bytesOf(i))
        }
      }

      await storage.sync()
      await session.confirm()
      await this.#scheduler.send(actor, `pins ${pin}`, () => { this.#pins.set(pin, blocks) })

      if (sabotage !== 'pins are not confirmed') {
        await session.confirm().catch(async err => {
          if (sabotage === 'pins are taken back') {
            await this.#scheduler.send(actor, `takes back ${pin}`, () => { this.#pins.delete(pin) })
          }

          throw err
        })
      }

      this.#acknowledged.set(pin, blocks)
      this.#count('acknowledged')
    } finally {
      await session.end()
    }
  }

  async #collect (actor: Actor, scheduler = this.#scheduler): Promise<void> {
    const reached = new Set<string>()
    const pins = this.#pins
    const isReadOnce = this.#init.sabotage === 'pins are read once'
    const copiesNothing = this.#init.sabotage === 'nothing is copied'
    let reads = 0

    const result = await collectPacks({
      store: this.#objectStore(actor, scheduler),
      storage: this.#storage(actor, scheduler),
      leaseTimeout: TIMEOUT,
      clock: actor.clock,
      readPins: async function * () {
        reads++

        if (!isReadOnce || reads === 1) {
          for (let last = ''; ;) {
            const after = last
            const page = await scheduler.send(actor, 'lists pins', () =>
              [...pins.keys()].toSorted().filter(pin => pin > after).slice(0, PAGE))
            yield * page.map(id => ({ id }))

            if (page.length < PAGE) {
              return
            }

            last = page[page.length - 1]
          }
        }
      },
      walk: async function * ({ id }) {
        for (const i of pins.get(id) ?? []) {
          reached.add(textOf(keyOf(cidOf(i).multihash).bytes))
          yield i
        }
      },
      // after the rounds have begun, nothing counts as reached
      reached: { has: key => reached.has(textOf(key)) && !(copiesNothing && reads > 1) }
    }, { signal: new AbortController().signal, onProgress: ({ type }) => { this.#count(type) } })

    this.#count(result.left > 0 ? 'left' : 'completed')
  }

  #storage (actor: Actor | undefined, scheduler = this.#scheduler): PackStorage {
    return new PackStorage({
      objects: actor == null ? this.#atOnce() : this.#objectStore(actor, scheduler),
      compress: content => zstdCompressSync(content),
      clock: actor?.clock
    })
  }

  #put (key: string, bytes: Uint8Array): void {
    this.#objects.set(key, bytes)

    if (key.startsWith('packs/')) {
      const id = key.slice(6, 38)
      const pack = Buffer.from(bytes)
      const { table } = readPackTable(pack.subarray(0, tableSizeOf(pack, id)), id)
      this.#packs.set(key, new Set(Array.from({ length: 10 }, (_, i) => i).filter(i => {
        const rows: Parameters<typeof table.find>[1] = []
        table.find(keyOf(cidOf(i).multihash), rows)

        return rows.length > 0
      })))
    }
  }

  #delete (key: string): void {
    this.#objects.delete(key)
    this.#packs.delete(key)
  }

  #atOnce (): ObjectStore {
    return {
      get: async () => { throw new NotFoundError() },
      put: async (key, bytes) => { this.#put(key, bytes) },
      stat: async () => undefined,
      delete: async () => {},
      list: async function * () {}
    }
  }

  #objectStore (actor: Actor, scheduler = this.#scheduler): ObjectStore {
    const objects = this.#objects
    const isHidden = (prefix: string): boolean => actor.name.startsWith('collector')
      ? this.#init.sabotage === 'sessions are hidden' && prefix === 'sessions/'
      : this.#init.sabotage === 'rounds are hidden' && prefix === 'rounds/'

    return {
      get: async (key, { offset = 0, length = Infinity, signal }: GetObjectOptions = {}) =>
        scheduler.send(actor, `reads ${shorten(key)}`, () => {
          const bytes = this.#read(actor, key)

          if (bytes == null) {
            throw new NotFoundError()
          }

          return bytes.slice(offset, offset + length)
        }, signal),
      put: async (key, bytes, { signal }: AbortOptions = {}) => {
        await scheduler.send(actor, `writes ${shorten(key)}`, () => { this.#put(key, bytes) }, signal)
      },
      stat: async () => { throw new Error('not used') },
      delete: async (keys, { signal }: AbortOptions = {}) => {
        for (const key of keys) {
          await scheduler.send(actor, `deletes ${shorten(key)}`, () => { this.#delete(key) }, signal)

          if (key.startsWith('packs/')) {
            this.#count('deleted')
            // the network may deliver it again, much later
            scheduler.send(actor, `deletes ${shorten(key)} again`, () => { this.#delete(key) }).catch(() => {})
          }
        }
      },
      list: async function * (prefix, { signal }: AbortOptions = {}) {
        let last = ''
        let page: ObjectInfo[] = []

        do {
          const after = last
          page = await scheduler.send(actor, `lists ${prefix}`, () => [...objects.keys()].toSorted()
            .filter(key => key.startsWith(prefix) && key > after && !isHidden(prefix))
            .slice(0, PAGE)
            .map(key => ({ key, size: 0, modified: new Date(0) })), signal)
          yield page
          last = page.at(-1)?.key ?? ''
        } while (page.length === PAGE)
      }
    }
  }

  #read (actor: Actor, key: string): Uint8Array | undefined {
    const bytes = this.#objects.get(key)
    const losesObjections = this.#init.sabotage === 'objections get lost' && actor.name.startsWith('collector')

    // an acknowledgement of this size is for as many packs
    return bytes != null && losesObjections && key.startsWith('acks/')
      ? encodeAck(key, new Objections((bytes.byteLength - encodeAck(key, new Objections(0)).byteLength) * 8))
      : bytes
  }

  #check (): void {
    const blocks = new Set([...this.#packs.values()].flatMap(blocks => [...blocks]))

    for (const [pin, kept] of this.#acknowledged) {
      if (!this.#pins.has(pin) || kept.some(i => !blocks.has(i))) {
        throw new LostBlockError(`seed ${this.#init.seed}: ${pin} is lost\n${this.#scheduler.trace.join('\n')}`)
      }
    }
  }

  #count (event: string): void {
    this.events[event] = (this.events[event] ?? 0) + 1
  }
}

/** Blocks that do not shrink. */
function bytesOf (i: number): Uint8Array {
  return Uint8Array.from(hash('sha256', `block ${i}`, 'buffer'))
}

function cidOf (i: number): CID {
  return CID.createV1(raw.code, Digest.create(0x12, hash('sha256', bytesOf(i), 'buffer')))
}

function textOf (bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

/** A key without most of its digits. */
function shorten (key: string): string {
  return key.replaceAll(/([0-9a-f]{4})[0-9a-f]{28}/g, '$1')
}
