import { zstdCompressSync } from 'node:zlib'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import * as Digest from 'multiformats/hashes/digest'
import { describe, expect, it } from 'vitest'
import { sleep } from '../src/clock.ts'
import { collect } from '../src/collect/collect.ts'
import { evictSession } from '../src/collect/evict-session.ts'
import { parsePackKey, tailOfPack } from '../src/packs/pack-keys.ts'
import { PackStorage } from '../src/packs/pack-storage.ts'
import { encodeAck, encodeRound, Objections } from '../src/protocol/round-objects.ts'
import { roundKey, roundName } from '../src/protocol/store-keys.ts'
import { StoreSession } from '../src/sessions/store-session.ts'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { MemoryObjects } from '../../../test/support/memory-objects.ts'
import type { CollectionEvent, CollectionInit, CollectOptions } from '../src/collect/collection.ts'

const T = 60_000

/** A store with packs of one block each. A block is a number, and a pin keeps the block with its number. */
class Store {
  readonly clock = new ManualClock()
  readonly objects: MemoryObjects
  readonly pins = new Set<number>()
  readonly events: CollectionEvent[] = []
  /** The keys of the packs, by their blocks. */
  readonly #packs = new Map<number, string>()

  private constructor (objects: MemoryObjects) {
    this.objects = objects
  }

  static async of (blocks: number[], objects = new MemoryObjects({ pageSize: 2 })): Promise<Store> {
    const store = new Store(objects)

    for (const block of blocks) {
      const before = new Set(objects.keys('packs/'))
      const storage = store.storage()
      const multihash = Digest.create(0x12, new Uint8Array(32).fill(block))
      await storage.writer.put(CID.createV1(raw.code, multihash), new Uint8Array(10))
      await storage.sync()
      store.#packs.set(block, objects.keys('packs/').find(key => !before.has(key)) ?? '')
    }

    return store
  }

  /** The blocks that are left. */
  get blocks (): number[] {
    return Array.from(this.#packs).filter(([, key]) => this.objects.keys().includes(key)).map(([block]) => block)
  }

  /** All other objects. */
  get others (): string[] {
    return this.objects.keys().filter(key => !key.startsWith('packs/'))
  }

  storage (): PackStorage {
    return new PackStorage({
      objects: this.objects, clock: this.clock, compress: async bytes => zstdCompressSync(bytes)
    })
  }

  /** What stands for the pack of a block. */
  tailOf (block: number): Uint8Array {
    return tailOfPack(parsePackKey(this.#packs.get(block) ?? '')?.id ?? '')
  }

  /** Begin a collection. */
  collect (change: Partial<CollectionInit> = {}, options: Partial<CollectOptions> = {}): { outcome: unknown } {
    const { pins, events } = this
    const reached = new Set<number>()
    const state: { outcome: unknown } = { outcome: 'works' }
    const init: CollectionInit = {
      store: this.objects,
      storage: this.storage(),
      leaseTimeout: T,
      clock: this.clock,
      readPins: async function * () {
        yield * Array.from(pins, pin => ({ id: String(pin) }))
      },
      walk: async function * ({ id }) {
        reached.add(Number(id))
        yield id
      },
      reached: { has: key => reached.has(key[0]) },
      ...change
    }

    const onProgress = (event: CollectionEvent): void => { events.push(event) }
    const work = async (): Promise<void> => {
      try {
        state.outcome = await collect(init, { signal: new AbortController().signal, onProgress, ...options })
      } catch (err) {
        state.outcome = err
      }
    }

    void work()

    return state
  }

  async open (objects = this.objects): Promise<StoreSession> {
    return StoreSession.open(objects, { leaseTimeout: T, command: 'add', clock: this.clock })
  }
}

describe('a collection', () => {
  it('deletes packs of which no pin reaches anything, and leaves no other object behind', async () => {
    const store = await Store.of([1, 2, 3, 4])
    store.pins.add(2)
    const state = store.collect()
    await store.clock.pass(T / 6)

    expect(state.outcome).toEqual({ pins: 1, kept: 1, removed: 3, removedSize: 30, rounds: 1, fenced: 0, left: 0 })
    expect(store.blocks).toEqual([2])
    expect(store.others).toEqual([])
  })

  it('writes nothing in a dry run', async () => {
    const store = await Store.of([1, 2])
    const before = store.objects.keys()
    const state = store.collect({}, { dryRun: true })
    await store.clock.pass(0)

    expect(state.outcome).toMatchObject({ removed: 2, removedSize: 20, rounds: 0 })
    expect(store.objects.keys()).toEqual(before)
  })

  it('asks before it deletes anything', async () => {
    const store = await Store.of([1])
    const state = store.collect({ beforeRounds: async ({ pins }) => { throw new Error(`${pins} pins`) } })
    await store.clock.pass(0)

    expect(state.outcome).toMatchObject({ message: '0 pins' })
    expect([store.blocks, store.others]).toEqual([[1], []])
  })

  it('leaves nothing behind if it may not delete', async () => {
    const refusal = Object.assign(new Error('AccessDenied'), { name: 'S3ResponseError', status: 403 })
    const store = await Store.of([1], new MemoryObjects({
      before: async ({ kind }) => { if (kind === 'delete') { throw refusal } }
    }))
    const state = store.collect()
    await store.clock.pass(0)

    expect(state.outcome).toBe(refusal)
    expect([store.blocks, store.others]).toEqual([[1], []])
  })

  it('spares what was pinned since it walked the pins', async () => {
    const store = await Store.of([1, 2])
    const session = await store.open()
    const state = store.collect()
    await store.clock.pass(0)
    store.pins.add(1)
    await session.end()
    await store.clock.pass(T / 3)

    expect(state.outcome).toMatchObject({ pins: 1, removed: 1 })
    expect(store.blocks.length).toBe(1)
  })

  it('deletes packs of which nothing is needed before it copies, as a disk may have no space', async () => {
    const store = await Store.of([1, 2])
    const session = await store.open()
    const state = store.collect()
    await store.clock.pass(0)
    store.pins.add(1)
    const steps: string[] = []
    const [put, remove] = [store.objects.put.bind(store.objects), store.objects.delete.bind(store.objects)]
    store.objects.put = async (key, ...rest) => {
      steps.push(...key.startsWith('packs/') ? ['copies'] : [])
      await put(key, ...rest)
    }
    store.objects.delete = async (keys, ...rest) => {
      steps.push(...keys.filter(key => key.startsWith('packs/')).map(() => 'deletes'))
      await remove(keys, ...rest)
    }
    await session.end()

    while (state.outcome === 'works') {
      await store.clock.pass(T / 60)
    }

    expect(steps[0]).toBe('deletes')
  })

  it('fences a session that is dead, and not before', async () => {
    const store = await Store.of([1])
    let isAway = false
    const session = await store.open(new MemoryObjects({
      before: async () => { if (isAway) { throw new Error('the network is away') } }
    }, store.objects))
    await store.clock.pass(0)
    isAway = true
    const state = store.collect()
    await store.clock.pass(T * 0.99)
    expect([state.outcome, store.objects.keys('sessions/')]).toMatchObject([
      'works', expect.arrayContaining([`sessions/${session.id}`])
    ])

    await store.clock.pass(T / 20)
    expect(state.outcome).toMatchObject({ removed: 1, fenced: 1 })
    expect(store.events).toContainEqual({ type: 'fenced', owner: expect.stringContaining('add (process ') })
    isAway = false
    await expect(session.confirm()).rejects.toMatchObject({ name: 'SessionLostError' })
    await session.end()
  })

  it('refuses to run beside another one', async () => {
    const store = await Store.of([1])
    const first = store.collect({ beforeRounds: async () => sleep(store.clock, 2 * T) })
    await store.clock.pass(T)
    const second = store.collect()
    await store.clock.pass(T / 2)

    expect(second.outcome).toMatchObject({
      name: 'CollectionRunningError', owner: expect.stringContaining(`gc (process ${process.pid}`)
    })
    await store.clock.pass(T)
    expect(first.outcome).toMatchObject({ removed: 1 })
    expect(store.objects.keys()).toEqual([])
  })

  it('is the one of two that begin at the same time', async () => {
    const store = await Store.of([1])
    const both = [store.collect(), store.collect()]
    await store.clock.pass(T)

    expect(both.map(({ outcome }) => (outcome as Error).name).toSorted()).toEqual(['CollectionRunningError', undefined])
    expect(store.objects.keys()).toEqual([])
  })

  it('writes a round again under another name if the store did not answer; the next one ends the first', async () => {
    const store = await Store.of([1])
    const keys: string[] = []
    const put = store.objects.put.bind(store.objects)
    store.objects.put = async (key, bytes, options) => {
      await put(key, bytes, options)

      if (key.startsWith('rounds/') && keys.push(key) === 1) {
        throw Object.assign(new Error('the network is away'), { name: 'S3NetworkError' })
      }
    }
    const state = store.collect()
    await store.clock.pass(T)

    expect(state.outcome).toMatchObject({ removed: 1, rounds: 1 })
    expect(keys.map(key => key.slice(-8))).toEqual(['00000000', '00000001'])
    expect(store.objects.keys()).toEqual([keys[0]])
    store.collect()
    await store.clock.pass(T)
    expect(store.objects.keys()).toEqual([])
  })

  it('sends no delete of a name that it uses later: sent again, it could come while that round runs', async () => {
    const store = await Store.of([1])
    const [deleted, written] = [new Set<string>(), new Set<string>()]
    const [put, remove] = [store.objects.put.bind(store.objects), store.objects.delete.bind(store.objects)]
    store.objects.put = async (key, bytes, options) => {
      expect(deleted).not.toContain(key)
      written.add(key)
      await put(key, bytes, options)
    }
    store.objects.delete = async (keys, options) => {
      keys.forEach(key => { deleted.add(key) })
      await remove(keys, options)
    }
    const state = store.collect()
    await store.clock.pass(T)

    expect(state.outcome).toMatchObject({ removed: 1 })
    expect([...written].some(key => key.startsWith('rounds/'))).toBe(true)
  })

  it('cleans up the leases and acknowledgements of sessions that are gone', async () => {
    const store = await Store.of([])
    const id = '0'.repeat(32)
    await store.objects.put(`leases/${id}`, new Uint8Array())
    await store.objects.put(`acks/${id}-00000000-${id}`, new Uint8Array())
    await store.objects.put('acks/README', new Uint8Array())
    store.collect()
    await store.clock.pass(0)

    expect(store.objects.keys()).toEqual(['acks/README'])
  })

  it('deletes nothing if others took it for dead, and the next one goes on', async () => {
    const store = await Store.of([1])
    const put = store.objects.put.bind(store.objects)
    store.objects.put = async (key, ...rest) => {
      await put(key, ...rest)
      await (key.startsWith('rounds/') ? store.objects.delete(store.objects.keys('sessions/')) : undefined)
    }
    const state = store.collect()
    await store.clock.pass(0)

    expect(state.outcome).toMatchObject({ name: 'CollectionLostError', key: expect.stringMatching(/^rounds\//) })
    expect(store.blocks).toEqual([1])
    store.objects.put = put
    const next = store.collect()
    await store.clock.pass(T)
    expect(next.outcome).toMatchObject({ removed: 1, left: 0 })
    expect(store.objects.keys()).toEqual([])
  })

  it.each([
    ['empty', new Uint8Array()],
    ['of zeros', new Uint8Array(200)],
    ['that of another session', encodeAck(`acks/${'0'.repeat(32)}-00000000-${'1'.repeat(32)}`, new Objections(1))]
  ])('refuses an acknowledgement that is %s', async (_, bytes) => {
    const objects = new MemoryObjects()
    const store = await Store.of([1], objects)
    const session = await store.open(new MemoryObjects({
      before: async ({ kind, key }) => {
        if (kind === 'put' && key.startsWith('acks/')) {
          await objects.put(key, bytes)
          throw new Error('the network is away')
        }
      }
    }, objects))
    const state = store.collect()
    await store.clock.pass(T / 3)

    expect(state.outcome).toMatchObject({ name: 'StoreObjectError', key: expect.stringMatching(/^acks\//) })
    expect(store.blocks).toEqual([1])
    await session.end()
  })

  it.each(['collections/', 'rounds/'])(
    'refuses more objects below %s than processes could have written, soon, and deletes nothing', async prefix => {
      const objects = new MemoryObjects()
      const store = await Store.of([1], objects)
      const list = objects.list.bind(objects)
      let listed = 0
      objects.list = async function * (wanted, options) {
        yield * list(wanted, options)

        for (let page = 0; page < (wanted.startsWith(prefix) ? 1000 : 0); page++) {
          yield Array.from({ length: 1000 }, () => ({
            key: `${prefix}${String(listed++).padStart(32, '0')}`, size: 1, modified: new Date(0)
          }))
        }
      }
      const state = store.collect()
      await store.clock.pass(T / 60)

      expect(state.outcome).toMatchObject({ name: 'StoreObjectError', key: expect.stringContaining(prefix) })
      expect(listed).toBeLessThan(20_000)
      expect(store.blocks).toEqual([1])
    }
  )

  it('clears up after more killed processes than it can wait for, and spares one that lives', async () => {
    const killed = 10_001
    const store = await Store.of([1, 2], new MemoryObjects({ pageSize: 5000 }))
    const { objects, clock } = store
    const bytes = new Uint8Array([1])
    const session = await store.open()
    session.relyOnPack(store.tailOf(1))

    for (let i = 0; i < killed; i++) {
      const id = i.toString(16).padStart(32, '0')
      await objects.put(`sessions/${id}`, bytes)
      await objects.put(`leases/${id}`, bytes)
      await objects.put(`acks/${'0'.repeat(32)}-00000000-${id}`, bytes)
    }

    let listed = 0
    const list = objects.list.bind(objects)
    objects.list = async function * (prefix, options) {
      for await (const page of list(prefix, options)) {
        listed += prefix === 'sessions/' ? page.length : 0
        yield page
      }
    }
    const state = store.collect()
    await clock.pass(T * 0.9)
    expect(objects.keys('sessions/')).toHaveLength(killed + 1)
    expect(store.events).toContainEqual({ type: 'clearing', dead: 0 })

    // three times, but a busy machine takes more turns of the event loop for so many, in which time passes
    while (state.outcome === 'works') {
      await clock.pass(T)
    }

    expect(state.outcome).toMatchObject({ removed: 1, left: 1 })
    expect(store.blocks).toEqual([1])
    expect(objects.keys('sessions/')).toEqual([`sessions/${session.id}`])
    expect(listed).toBeLessThan(4 * killed)
    await session.confirm()
    await session.end()
  })

  it('sends few requests if nobody else uses the store', async () => {
    const store = await Store.of([1, 2])
    const requests: string[] = []
    const objects = new Proxy(store.objects, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name)

        return typeof value !== 'function' ? value : (...args: unknown[]) => {
          const [key] = [args[0]].flat()
          requests.push(...key == null ? [] : [`${String(name)} ${String(key).split('/', 1)[0]}`])

          return value.apply(target, args)
        }
      }
    })
    store.pins.add(1)
    const state = store.collect({ store: objects })
    await store.clock.pass(1)

    expect(state.outcome).toMatchObject({ removed: 1 })
    expect(requests).toEqual([
      // may it delete?
      'delete rounds',
      'put collections', 'list collections', 'put collections', 'list sessions',
      'put sessions', 'list rounds', 'list sessions',
      'put rounds', 'list sessions', 'get sessions', 'delete packs', 'delete rounds',
      'list leases', 'list acks',
      'delete sessions', 'delete collections'
    ])
  })

  it('completes the round of another one, whose own session need not answer it', async () => {
    const store = await Store.of([1, 2])
    const session = await store.open()
    const round = roundName(session.id, 0)
    store.pins.add(1)
    session.condemnPacks([store.tailOf(2)])
    await store.objects.put(roundKey(round), encodeRound(roundKey(round), [store.tailOf(2)]))
    const state = store.collect()
    await store.clock.pass(T)

    expect(state.outcome).toMatchObject({ removed: 1, left: 0 })
    expect(store.objects.keys('acks/')).toEqual([])
    await session.end()
  })

  it('does not wait for ever for a session that lives and does not answer, and says who it is', async () => {
    const store = await Store.of([1])
    const { objects, clock } = store
    const id = 'a'.repeat(32)
    await objects.put(`sessions/${id}`, Buffer.from('{"command":"add","host":"far","pid":7}'))
    const state = store.collect()

    for (let i = 0; i < 45; i++) {
      await objects.put(`leases/${id}`, new Uint8Array([i]))
      await clock.pass(T / 2)
      // for two thirds of the time it waits
      expect(i < 30 && state.outcome !== 'works').toBe(false)
    }

    expect(state.outcome).toMatchObject({
      name: 'SilentSessionError', session: id, owner: 'add (process 7 on far)', time: 20 * T
    })
    expect(store.blocks).toEqual([1])
    expect(store.others.map(key => key.replace(/\/.*/, ''))).toEqual(['leases', 'rounds', 'sessions'])

    // what the command does then
    await evictSession(objects, id, new AbortController())
    const next = store.collect()
    await clock.pass(T / 3)
    expect(next.outcome).toMatchObject({ removed: 1 })
    expect(objects.keys()).toEqual([])
  })

  it('evicts a session, which then confirms nothing', async () => {
    const store = await Store.of([1])
    const session = await store.open()
    const owners: string[] = []
    const { signal } = new AbortController()
    await evictSession(store.objects, session.id, { signal, onFenced: owner => { owners.push(owner) } })

    expect(owners).toMatchObject([expect.stringMatching(/process \d+ on /)])
    expect(store.others).toEqual([])
    await expect(session.confirm()).rejects.toMatchObject({ name: 'SessionLostError', key: `sessions/${session.id}` })
    await session.end()
  })

  it.each(['../mark', 'x', '0'.repeat(32)])('refuses to evict %s, which is no session', async id => {
    const store = await Store.of([])
    const refused = evictSession(store.objects, id, new AbortController())

    await expect(refused).rejects.toMatchObject({ name: 'UsageError', problem: 'no-session' })
  })

  it.each(['acks/', 'rounds/'])('is not held up by a session that reaches all but %s', async prefix => {
    const store = await Store.of([1])
    let isCut = false
    const session = await store.open(new MemoryObjects({
      before: async ({ key }) => { if (isCut && key.startsWith(prefix)) { throw new Error('the network is away') } }
    }, store.objects))
    session.relyOnPack(store.tailOf(1))
    isCut = true
    const state = store.collect()
    await store.clock.pass(T * 3)
    expect(state.outcome).toBe('works')
    await store.clock.pass(T * 3)

    expect(state.outcome).toMatchObject({ removed: 1, fenced: 1 })
    isCut = false
    await expect(session.confirm()).rejects.toMatchObject({ name: 'SessionLostError' })
    await session.end()
  })

  it.each([
    ['no JSON', '{', 'an unknown process'],
    ['null', 'null', 'an unknown process'],
    ['of other types', '{"command":["a"],"host":{},"pid":"1"}', 'an unknown process'],
    ['for a terminal', '{"command":"\\u001b[2J","host":"h\\nost","pid":1}', '?[2J (process 1 on h?ost)'],
    ['long', JSON.stringify({ command: 'x'.repeat(4000), host: '', pid: 1 }), 'x'.repeat(200)]
  ])('says who made a dead session, and what says so may be %s', async (_, text, owner) => {
    const store = await Store.of([1])
    await store.objects.put(`sessions/${'0'.repeat(32)}`, Buffer.from(text))
    const state = store.collect()
    await store.clock.pass(T * 1.1)

    expect(state.outcome).toMatchObject({ removed: 1, fenced: 1 })
    expect(store.events).toContainEqual({ type: 'fenced', owner })
  })

  it('leaves its round when it is interrupted, and the next one completes it', async () => {
    const store = await Store.of([1])
    const session = await store.open()
    const controller = new AbortController()
    const state = store.collect({}, { signal: controller.signal })
    await store.clock.pass(T / 60)
    expect(store.objects.keys('rounds/')).toHaveLength(1)
    controller.abort()
    await store.clock.pass(0)

    expect(state.outcome).toMatchObject({ name: 'AbortError' })
    expect(store.objects.keys('rounds/')).toHaveLength(1)
    expect(store.objects.keys('collections/')).toEqual([])
    await session.end()
    const next = store.collect()
    await store.clock.pass(T / 3)
    expect(next.outcome).toMatchObject({ removed: 1 })
    expect(store.objects.keys()).toEqual([])
  })
})
