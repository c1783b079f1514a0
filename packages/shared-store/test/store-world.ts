import { BaseBlockstore } from 'blockstore-core'
import { NotFoundError } from 'interface-store'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import * as Digest from 'multiformats/hashes/digest'
import { sleep } from '../src/clock.ts'
import { collect } from '../src/collect/collect.ts'
import { encodeAck, Objections } from '../src/protocol/round-objects.ts'
import { StoreSession } from '../src/sessions/store-session.ts'
import { Scheduler } from './store-scheduler.ts'
import type { AbortOptions, GetObjectOptions, ObjectInfo, ObjectStore } from '../src/objects/object-store.ts'
import type { Actor, SchedulerInit } from './store-scheduler.ts'

const TIMEOUT = 60_000
/** Few blocks condemned at a time, and few names on a page of a list. */
const ROUND_SIZE = 2
const PAGE = 2

/** What a world may do wrong, to show that the test would find it. */
export type Sabotage =
  | 'objections get lost'
  | 'pins are read once'
  | 'fences are hidden'
  | 'sessions are hidden'
  | 'pins are not confirmed'
  | 'nobody waits'
  | 'pins are taken back'
  | 'deletes come late'

export interface WorldInit {
  seed: number
  /** For each session the blocks that it adds, and the name of its pin. */
  sessions: ReadonlyArray<{ blocks: readonly number[], pin: string }>
  collectors: number
  /** How often each collector runs. */
  collections: number
  chances: SchedulerInit['chances']
  sabotage?: Sabotage
}

/** Sessions and collectors of several nodes over one store, the real code, in an order that a seed chooses. */
export class World {
  readonly #init: WorldInit
  readonly #scheduler: Scheduler
  readonly #objects = new Map<string, Uint8Array>()
  readonly #blocks = new Set<string>()
  /** The blocks that each pin keeps. */
  readonly #pins = new Map<string, readonly string[]>()
  readonly #acknowledged = new Map<string, readonly string[]>()
  /** What happened, by name, and how often. */
  readonly events: Record<string, number> = {}

  constructor (init: WorldInit) {
    this.#init = init
    this.#scheduler = new Scheduler({
      ...init, timeout: TIMEOUT, mayDeleteLate: init.sabotage === 'deletes come late'
    })

    for (const i of [0, 1, 2, 3]) {
      // 0 to 2 are garbage, 3 is pinned
      this.#blocks.add(keyOf(cidOf(i)))
    }

    this.#pins.set('base', [keyOf(cidOf(3))])
    this.#acknowledged.set('base', [keyOf(cidOf(3))])
  }

  /** The order of what happened. */
  get trace (): readonly string[] {
    return this.#scheduler.trace
  }

  /** @throws {Error} an acknowledged block is lost */
  async run (): Promise<void> {
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

    await this.#scheduler.run(20_000, () => { this.#check() })
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

  async #add (actor: Actor, { blocks, pin }: WorldInit['sessions'][number]): Promise<void> {
    const { sabotage } = this.#init
    const session = await StoreSession.open(this.#objectStore(actor), {
      leaseTimeout: TIMEOUT,
      command: 'add',
      clock: actor.clock
    })
    const { relyOn } = session

    if (sabotage === 'nobody waits') {
      session.relyOn = async multihash => { relyOn.call(session, multihash).catch(() => {}) }
    }

    try {
      const blockstore = session.blockstore(this.#blockstore(actor))
      const added = blocks.map(cidOf)

      // leaves and their root are written at the same time
      const stored = await Promise.allSettled(added.map(async cid => {
        // reading and compressing takes time
        await sleep(actor.clock, this.#scheduler.random(2) * TIMEOUT)

        if (await blockstore.has(cid)) {
          this.#count('found')
        } else {
          await blockstore.put(cid, new Uint8Array())
        }
      }))
      stored.forEach(unwrap)

      const keys = added.map(keyOf)
      await session.confirm()
      await this.#scheduler.send(actor, `pins ${pin}`, () => { this.#pins.set(pin, keys) })

      if (sabotage !== 'pins are not confirmed') {
        await session.confirm().catch(async err => {
          if (sabotage === 'pins are taken back') {
            await this.#scheduler.send(actor, `takes back ${pin}`, () => { this.#pins.delete(pin) })
          }

          throw err
        })
      }

      this.#acknowledged.set(pin, keys)
      this.#count('acknowledged')
    } finally {
      await session.end()
    }
  }

  async #collect (actor: Actor): Promise<void> {
    const scheduler = this.#scheduler
    const reached = new Set<string>()
    const pins = this.#pins
    const blocks = this.#blocks
    const isReadOnce = this.#init.sabotage === 'pins are read once'
    let reads = 0
    const signal = new AbortController().signal
    const pages = async function * (what: string, values: () => string[]): AsyncGenerator<string[]> {
      let last = ''

      while (true) {
        const after = last
        const page = await scheduler.send(actor, `lists ${what}`, () => values().filter(v => v > after).slice(0, PAGE))
        yield page

        if (page.length < PAGE) {
          return
        }

        last = page[page.length - 1]
      }
    }

    await collect({
      store: this.#objectStore(actor),
      leaseTimeout: TIMEOUT,
      clock: actor.clock,
      roundSize: ROUND_SIZE,
      blocks: {
        list: async function * () {
          for await (const page of pages('blocks', () => [...blocks].toSorted())) {
            yield page.map(key => ({ multihash: Buffer.from(key, 'hex') }))
          }
        },
        delete: async (unwanted, { signal }) => {
          await Promise.all(unwanted.map(async ({ multihash }) => {
            const key = Buffer.from(multihash).toString('hex')
            await scheduler.send(actor, `deletes ${key.slice(4, 6)}`, () => { blocks.delete(key) }, signal, true)
            this.#count('deleted')
          }))
          actor.isDeleting = false
        }
      },
      readPins: async function * () {
        reads++

        if (!isReadOnce || reads === 1) {
          for await (const page of pages('pins', () => [...pins.keys()].toSorted())) {
            yield * page.map(id => ({ id }))
          }
        }
      },
      walk: async function * ({ id }) {
        for (const key of pins.get(id) ?? []) {
          reached.add(key)
          yield key
        }
      },
      reached: { has: multihash => reached.has(Buffer.from(multihash).toString('hex')) }
    }, { signal, onProgress: ({ type }) => { this.#count(type) } })
      .finally(() => { actor.isDeleting = false })
  }

  #blockstore (actor: Actor): Parameters<StoreSession['blockstore']>[0] {
    const scheduler = this.#scheduler

    return Object.assign(new BaseBlockstore(), {
      has: async (cid: CID) => scheduler.send(actor, `looks for ${nameOf(cid)}`, () => this.#blocks.has(keyOf(cid))),
      put: async (cid: CID) => scheduler.send(actor, `puts ${nameOf(cid)}`, () => {
        this.#blocks.add(keyOf(cid))

        return cid
      }),
      get: async function * (): AsyncGenerator<Uint8Array> {}
    })
  }

  #objectStore (actor: Actor): ObjectStore {
    const scheduler = this.#scheduler
    const objects = this.#objects
    const isHidden = (prefix: string): boolean => (
      this.#init.sabotage === 'sessions are hidden' && prefix === 'sessions/' && actor.name.startsWith('collector')
    )
    const read = (key: string): Uint8Array | undefined => this.#read(actor, key)

    return {
      get: async (key, { offset = 0, length = Infinity, signal }: GetObjectOptions = {}) => {
        if (key.endsWith('.fence')) {
          // the collector looks whether it may delete: from now on the clock waits for what it deletes
          actor.isDeleting = true
          actor.deletesSince = actor.clock.now()
        }

        return scheduler.send(actor, `reads ${shorten(key)}`, () => {
          const bytes = read(key)

          if (bytes == null) {
            throw new NotFoundError()
          }

          return bytes.slice(offset, offset + length)
        }, signal)
      },
      put: async (key, bytes, { signal }: AbortOptions = {}) => {
        await scheduler.send(actor, `writes ${shorten(key)}`, () => objects.set(key, bytes), signal)
      },
      stat: async () => { throw new Error('not used') },
      delete: async (keys, { signal }: AbortOptions = {}) => {
        for (const key of keys) {
          await scheduler.send(actor, `deletes ${shorten(key)}`, () => objects.delete(key), signal)
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

    switch (this.#init.sabotage) {
      case 'fences are hidden':
        return key.endsWith('.fence') ? undefined : bytes
      case 'objections get lost':
        return bytes != null && key.startsWith('acks/') && actor.name.startsWith('collector')
          ? encodeAck(key, new Objections(ROUND_SIZE))
          : bytes
      default:
        return bytes
    }
  }

  #check (): void {
    for (const [pin, keys] of this.#acknowledged) {
      if (!this.#pins.has(pin) || keys.some(key => !this.#blocks.has(key))) {
        throw new LostBlockError(`seed ${this.#init.seed}: ${pin} is lost\n${this.trace.join('\n')}`)
      }
    }
  }

  #count (event: string): void {
    this.events[event] = (this.events[event] ?? 0) + 1
  }
}

/** An acknowledged block is lost. */
export class LostBlockError extends Error {
  override readonly name = 'LostBlockError'
}

function unwrap (result: PromiseSettledResult<unknown>): void {
  if (result.status === 'rejected') {
    throw result.reason
  }
}

function cidOf (i: number): CID {
  return CID.createV1(raw.code, Digest.create(0x12, new Uint8Array(32).fill(i + 1)))
}

function keyOf (cid: CID): string {
  return Buffer.from(cid.multihash.bytes).toString('hex')
}

function nameOf (cid: CID): string {
  return keyOf(cid).slice(4, 6)
}

/** A key without most of its digits. */
function shorten (key: string): string {
  return key.replaceAll(/([0-9a-f]{4})[0-9a-f]{28}/g, '$1')
}
