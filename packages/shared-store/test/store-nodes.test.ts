/** How the nodes of a store find each other. */
import { describe, expect, it } from 'vitest'
import { encodeNode } from '../src/nodes/node-record.ts'
import { ownersOf } from '../src/nodes/owners.ts'
import { MAX_NODES, StoreNodes } from '../src/nodes/store-nodes.ts'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { MemoryObjects } from '../../../test/support/memory-objects.ts'
import type { Clock } from '../src/clock.ts'
import type { StoreNodesInit } from '../src/nodes/store-nodes.ts'

const LEASE_TIMEOUT = 30_000

/** A valid peer id that ends with a number. */
function peerOf (number: number): string {
  return `12D3KooW${String(number).padStart(44, 'A').replaceAll('0', 'z')}`
}

/** A clock that only goes on when the test says so. */
class TestClock implements Clock {
  #now = 0
  #waiting: Array<{ at: number, run: () => void }> = []

  now = (): number => this.#now

  after = (milliseconds: number, run: () => void): () => void => {
    const waiting = { at: this.#now + milliseconds, run }
    this.#waiting.push(waiting)

    return () => { this.#waiting = this.#waiting.filter(other => other !== waiting) }
  }

  pass (milliseconds: number): void {
    this.#now += milliseconds
  }
}

interface World {
  store: MemoryObjects
  clock: TestClock
  notes: string[]
}

function makeWorld (): World {
  return { store: new MemoryObjects(), clock: new TestClock(), notes: [] }
}

function nodeOf ({ store, clock, notes }: World, number: number, init: Partial<StoreNodesInit> = {}): StoreNodes {
  const peerId = peerOf(number)

  return new StoreNodes({
    store,
    clock,
    leaseTimeout: LEASE_TIMEOUT,
    peerId,
    addresses: () => [`/ip4/192.0.2.${number}/tcp/4101/p2p/${peerId}`],
    version: '0.1.0',
    onNote: message => { notes.push(message) },
    ...init
  })
}

describe('the nodes of a store', () => {
  it('know each other, and forget one that stops', async () => {
    const world = makeWorld()
    const [a, b] = [nodeOf(world, 1), nodeOf(world, 2)]
    await a.start()
    await b.start()
    await a.look()

    expect(a.others).toMatchObject([{ peerId: peerOf(2), addresses: [expect.stringContaining('192.0.2.2')] }])
    expect(b.living).toEqual([peerOf(2), peerOf(1)])

    await b.stop()
    await a.look()

    expect(a.living).toEqual([peerOf(1)])
    expect(world.store.keys()).toEqual([`nodes/${peerOf(1)}`])
    expect(world.notes).toEqual([])
    await a.stop()
  })

  it('take one for dead that has not written for the lease timeout, and delete its object', async () => {
    const world = makeWorld()
    const gone: string[] = []
    const [a, b] = [nodeOf(world, 1, { onLook: look => { gone.push(...look.gone) } }), nodeOf(world, 2)]
    // it never renews: the clock calls nobody
    await b.start()
    await a.start()
    world.clock.pass(LEASE_TIMEOUT - 1)
    await a.look()
    expect(a.has(peerOf(2))).toBe(true)

    world.clock.pass(1)
    await a.look()
    expect(a.has(peerOf(2))).toBe(false)
    expect(gone).toEqual([peerOf(2)])
    expect(world.store.keys()).toEqual([`nodes/${peerOf(1)}`])
    await Promise.all([a.stop(), b.stop()])
  })

  it('stop soon although the store is silent', async () => {
    const clock = new ManualClock()
    const world = makeWorld()
    const node = nodeOf(world, 1, { clock })
    await node.start()
    world.store.delete = async (_, { signal } = {}) => new Promise((_, reject) => {
      signal?.addEventListener('abort', () => { reject(signal.reason as Error) })
    })
    let isStopped = false
    const stop = async (): Promise<void> => {
      await node.stop()
      isStopped = true
    }
    const stopping = stop()
    await clock.pass(4000)
    expect(isStopped).toBe(false)
    await clock.pass(1000)
    await stopping

    expect(world.notes).toEqual([expect.stringContaining('the store does not answer')])
  })

  it('skip objects that are damaged, hostile or foreign, with one note each', async () => {
    const world = makeWorld()
    const node = nodeOf(world, 1)
    const valid = { addresses: [], host: 'h', version: '1', counter: 1 }
    const objects: Array<[string, Uint8Array]> = [
      [peerOf(2), Buffer.from('{')],
      [peerOf(3), Buffer.from('null')],
      [peerOf(4), encodeNode({ ...valid, peerId: peerOf(5) })],
      [peerOf(6), Buffer.alloc(1_000_000, ' ')],
      [peerOf(7), encodeNode({ ...valid, peerId: peerOf(7), addresses: [`/ip4/192.0.2.1/tcp/1/p2p/${peerOf(8)}`] })],
      [peerOf(8), encodeNode({ ...valid, peerId: peerOf(8), addresses: ['/ip4/nonsense'] })],
      [peerOf(9), Buffer.from(JSON.stringify({ ...valid, peerId: peerOf(9), addresses: { length: 1e9 } }))],
      ['../../etc', Buffer.from('foreign')]
    ]

    for (const [name, bytes] of objects) {
      await world.store.put(`nodes/${name}`, bytes)
    }

    await node.start()
    await node.look()

    expect(node.others).toEqual([])
    expect(world.notes).toHaveLength(objects.length - 1)
    await node.stop()
  })

  it('say so if another one has their peer id, as in a copy of a repo', async () => {
    const clock = new ManualClock()
    const world = makeWorld()
    const [notes, otherNotes]: [string[], string[]] = [[], []]
    const node = nodeOf(world, 1, { clock, onNote: message => { notes.push(message) } })
    await node.start()
    await clock.pass(LEASE_TIMEOUT)
    expect(notes).toEqual([])

    const copy = nodeOf(world, 1, { clock, onNote: message => { otherNotes.push(message) } })
    await copy.start()
    await clock.pass(2 * LEASE_TIMEOUT)
    await Promise.all([node.stop(), copy.stop()])

    expect(notes).toEqual([expect.stringContaining('has the same peer ID')])
    expect(otherNotes).toEqual(notes)
  })

  it('do not take a write of their own whose answer got lost for that of a copy', async () => {
    const clock = new ManualClock()
    const world = makeWorld()
    const node = nodeOf(world, 1, { clock })
    await node.start()
    const put = world.store.put.bind(world.store)
    world.store.put = async (...args) => {
      world.store.put = put
      await put(...args)
      throw new Error('no answer')
    }
    await clock.pass(LEASE_TIMEOUT)
    await node.stop()

    expect(world.notes).toEqual([expect.stringContaining('no answer')])
  })

  it('write their object again although what is there cannot be read', async () => {
    const clock = new ManualClock()
    const world = makeWorld()
    const [key, get] = [`nodes/${peerOf(1)}`, world.store.get.bind(world.store)]
    const node = nodeOf(world, 1, { clock })
    await node.start()
    const before = await get(key)
    world.store.get = async (asked, options) => {
      if (asked === key) {
        throw new Error('EACCES: permission denied')
      }

      return get(asked, options)
    }
    await clock.pass(LEASE_TIMEOUT)

    expect(await get(key)).not.toEqual(before)
    expect(world.notes).toEqual([])
    await node.stop()
  })

  it(`are at most ${MAX_NODES} for each other`, async () => {
    const world = makeWorld()

    for (let i = 0; i < MAX_NODES + 10; i++) {
      const peerId = peerOf(1000 + i)
      const record = { peerId, addresses: [], host: 'h', version: '1', counter: 1 }
      await world.store.put(`nodes/${peerId}`, encodeNode(record))
    }

    const node = nodeOf(world, 1)
    await node.start()

    expect(node.others).toHaveLength(MAX_NODES)
    expect(world.notes).toHaveLength(1)
    await node.stop()
  })

  it('count nobody as dead for the time in which the store did not answer', async () => {
    const world = makeWorld()
    let isDown = false
    const store = new MemoryObjects({
      before: async () => {
        if (isDown) {
          throw new Error('no answer')
        }
      }
    }, world.store)
    const a = nodeOf({ ...world, store }, 1)
    await nodeOf(world, 2).start()
    await a.start()

    isDown = true
    world.clock.pass(2 * LEASE_TIMEOUT)
    await a.start()
    isDown = false
    await a.look()

    expect(a.has(peerOf(2))).toBe(true)
    expect(world.notes).toEqual([expect.stringContaining('no answer')])
    await a.stop()
  })
})

describe('the owners of a CID', () => {
  const nodes = [1, 2, 3, 4].map(peerOf)
  const keys = Array.from({ length: 400 }, (_, i) => new Uint8Array([i >> 8, i]))

  it('are the same for all that know the same nodes, and only those of a node that goes change', () => {
    for (const key of keys) {
      const owners = ownersOf(key, nodes, 2)
      const rest = nodes.filter(node => node !== nodes[2])

      expect(ownersOf(key, nodes.toReversed(), 2)).toEqual(owners)
      expect(ownersOf(key, rest, 2).filter(node => owners.includes(node)))
        .toEqual(owners.filter(node => node !== nodes[2]))
    }
  })

  it('share CIDs out about evenly', () => {
    const counts = nodes.map(node => keys.filter(key => ownersOf(key, nodes, 1)[0] === node).length)

    counts.forEach(count => { expect(count).toBeGreaterThan(60) })
  })
})
