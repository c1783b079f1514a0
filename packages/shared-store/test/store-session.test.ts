import { BaseBlockstore } from 'blockstore-core'
import all from 'it-all'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import * as Digest from 'multiformats/hashes/digest'
import { describe, expect, it } from 'vitest'
import { encodeRound, readAck } from '../src/protocol/round-objects.ts'
import { StoreSession } from '../src/sessions/store-session.ts'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { MemoryObjects } from '../../../test/support/memory-objects.ts'
import type { MemoryObjectsInit } from '../../../test/support/memory-objects.ts'

const T = 60_000
const COLLECTION = 'c'.repeat(32)
const ROUND = `rounds/${COLLECTION}-00000000`

function multihash (i: number): Uint8Array {
  return Digest.create(0x12, new Uint8Array(32).fill(i)).bytes
}

function cidOf (i: number): CID {
  return CID.createV1(raw.code, Digest.decode(multihash(i)))
}

interface Opened {
  clock: ManualClock
  objects: MemoryObjects
  session: StoreSession
  errors: unknown[]
  /** Condemn blocks, and wait until the session has seen it. */
  condemn: (...blocks: number[]) => Promise<void>
  /** Begin to rely on a block, and see how that ends. */
  relying: (block: number) => { outcome: string }
}

async function open (init?: MemoryObjectsInit): Promise<Opened> {
  const clock = new ManualClock()
  const objects = new MemoryObjects(init)
  const errors: unknown[] = []
  const session = await StoreSession.open(objects, {
    leaseTimeout: T, command: 'add', clock, onError: err => { errors.push(err) }
  })

  return {
    clock,
    objects,
    session,
    errors,
    condemn: async (...blocks) => {
      await objects.put(ROUND, encodeRound(ROUND, blocks.map(multihash)))
      await clock.pass(T / 6)
    },
    relying: block => {
      const state = { outcome: 'waits' }
      const rely = async (): Promise<void> => {
        try {
          await session.relyOn(multihash(block))
          state.outcome = 'relies'
        } catch (err) {
          state.outcome = (err as Error).name
        }
      }

      void rely()

      return state
    }
  }
}

describe('a session', () => {
  it('writes its object, renews its lease, and deletes both at its end', async () => {
    const { objects, session, clock } = await open()
    await clock.pass(T / 6)

    expect(objects.keys()).toEqual([`leases/${session.id}`, `sessions/${session.id}`])
    const before = await objects.get(`leases/${session.id}`)
    await clock.pass(T / 6)
    expect(await objects.get(`leases/${session.id}`)).not.toEqual(before)

    await session.end()
    expect(objects.keys()).toEqual([])
  })

  it('that ends soon writes no lease, and looks for rounds once', async () => {
    const sent: string[] = []
    const { objects, session, clock } = await open({
      before: async ({ kind, key }) => { sent.push(`${kind} ${key.replace(/\w{32}/, 'ID')}`) }
    })
    await session.relyOn(multihash(1))
    await session.confirm()
    await clock.pass(T / 6 - 1)
    await session.end()

    expect(sent).toEqual(['put sessions/ID', 'list rounds/', 'get sessions/ID', 'delete sessions/ID'])
    expect(objects.keys()).toEqual([])
  })

  it('objects to a round that condemns blocks that it relies on', async () => {
    const { objects, session, condemn } = await open()
    await session.relyOn(multihash(1))
    await condemn(0, 1, 2)

    const ack = await readAck(objects, `acks/${COLLECTION}-00000000-${session.id}`, 3)
    expect(ack?.bits).toEqual(new Uint8Array([0b010]))
    // and goes on relying on them
    await session.relyOn(multihash(1))
    await session.end()
  })

  it('waits with a block that a round condemns until the round has ended', async () => {
    const { objects, session, condemn, relying, clock } = await open()
    await condemn(0)
    const condemned = relying(0)
    const other = relying(1)
    await clock.pass(T / 2)
    expect([condemned.outcome, other.outcome]).toEqual(['waits', 'relies'])

    await objects.delete([ROUND])
    await clock.pass(T / 60)
    expect(condemned.outcome).toBe('relies')
    await session.end()
  })

  it('waits before a blockstore looks for a block, reads it or stores it', async () => {
    const { objects, session, condemn, clock } = await open()
    const calls: string[] = []
    const blockstore = session.blockstore(Object.assign(new BaseBlockstore(), {
      has: async () => calls.push('has') > 0,
      get: async function * () {
        calls.push('get')
        yield new Uint8Array()
      },
      put: async (cid: CID) => {
        calls.push('put')
        return cid
      }
    }))
    await condemn(0)
    const work = Promise.all([
      blockstore.has(cidOf(0)),
      blockstore.put(cidOf(0), new Uint8Array()),
      blockstore.get(cidOf(0)).next(),
      blockstore.putMany([{ cid: cidOf(0), bytes: new Uint8Array() }]).next(),
      all(blockstore.getMany([cidOf(0)])).then(async ([{ bytes }]) => all(bytes))
    ])
    await clock.pass(T / 60)
    expect(calls).toEqual([])

    await objects.delete([ROUND])
    await clock.pass(T / 60)
    await work
    expect(calls.toSorted()).toEqual(['get', 'get', 'has', 'put', 'put'])
    await session.end()
  })

  it('fences the round of a dead collection, and goes on when no delete of it can come any more', async () => {
    const { objects, session, condemn, relying, clock } = await open()
    await objects.put(`collections/${COLLECTION}`, new Uint8Array([1]))
    await condemn(0)
    const state = relying(0)
    // the collection renews its lease once more
    await clock.pass(T / 2)
    await objects.put(`collections/${COLLECTION}`, new Uint8Array([2]))
    await clock.pass(T * 0.9)
    expect(objects.keys('rounds/')).toEqual([ROUND])

    await clock.pass(T * 0.2)
    expect(objects.keys('rounds/')).toEqual([ROUND, `${ROUND}.fence`])
    await clock.pass(T * 0.9)
    expect(state.outcome).toBe('waits')

    await clock.pass(T * 0.2)
    expect(state.outcome).toBe('relies')
    await session.end()
  })

  it('does not wait twice for a round that another session has fenced long ago', async () => {
    const { objects, session, condemn, relying, clock } = await open()
    await objects.put(`${ROUND}.fence`, new Uint8Array())
    await condemn(0)
    const state = relying(0)
    await clock.pass(T * 0.9)
    expect(state.outcome).toBe('waits')
    await clock.pass(T * 0.2)
    expect(state.outcome).toBe('relies')
    await session.end()
  })

  it('sends no name twice: what was sent first could come back after it was deleted', async () => {
    const keys: string[] = []
    const clock = new ManualClock()
    const objects = new MemoryObjects()
    const put = objects.put.bind(objects)
    objects.put = async (key, bytes, options) => {
      await put(key, bytes, options)

      // the store has it, but its answer gets lost
      if (key.startsWith('sessions/') && keys.push(key) < 3) {
        expect(options?.isSentOnce).toBe(true)
        throw Object.assign(new Error('the network is away'), { name: 'S3NetworkError' })
      }
    }
    const opening = StoreSession.open(objects, { leaseTimeout: T, command: 'add', clock })
    await clock.pass(1000)
    const session = await opening

    expect(new Set(keys).size).toBe(3)
    expect(keys[2]).toBe(`sessions/${session.id}`)
    await session.end()
  })

  it('refuses to go on when a collection took it for dead', async () => {
    const { objects, session, condemn, relying, clock } = await open()
    await condemn(0)
    const state = relying(0)
    await objects.delete([`sessions/${session.id}`])

    await expect(session.confirm()).rejects.toMatchObject({
      name: 'SessionLostError', key: `sessions/${session.id}`
    })
    await clock.pass(0)
    expect(state.outcome).toBe('SessionLostError')
    await expect(session.relyOn(multihash(1))).rejects.toMatchObject({ name: 'SessionLostError' })
    await session.end()
  })

  it('finds out by itself that it is lost, and does not come back by renewing its lease', async () => {
    const { objects, session, clock } = await open()
    await objects.delete([`sessions/${session.id}`])
    await clock.pass(T / 6)

    await expect(session.relyOn(multihash(1))).rejects.toMatchObject({ name: 'SessionLostError' })
    expect(objects.keys('sessions/')).toEqual([])
    await session.end()
  })

  it('goes on when a store that was away comes back', async () => {
    let isAway = false
    const { objects, session, condemn, errors, clock } = await open({
      before: async () => { if (isAway) { throw new Error('the network is away') } }
    })
    await session.relyOn(multihash(0))
    isAway = true
    await clock.pass(10 * T)
    expect(errors.length).toBeGreaterThan(10)
    await expect(session.confirm()).rejects.toMatchObject({ message: 'the network is away' })

    isAway = false
    await condemn(0)
    expect(objects.keys('acks/')).toHaveLength(1)
    await session.confirm()
    await session.end()
  })

  it('reports at its end that the store is away', async () => {
    let isAway = false
    const { session, errors } = await open({
      before: async () => { if (isAway) { throw new Error('the network is away') } }
    })
    isAway = true
    await session.end()

    expect(errors).toMatchObject([{ message: 'the network is away' }])
  })

  it('stops waiting when it is aborted', async () => {
    const { session, condemn, clock } = await open()
    await condemn(0)
    const controller = new AbortController()
    const relying = session.relyOn(multihash(0), { signal: controller.signal })
    controller.abort()

    await expect(relying).rejects.toMatchObject({ name: 'AbortError' })
    await clock.pass(0)
    await session.end()
  })

  it.each<[string, (round: Uint8Array) => Uint8Array]>([
    ['empty', () => new Uint8Array()],
    ['cut off', round => round.subarray(0, -1)],
    ['cut off in its header', round => round.subarray(0, 20)],
    ['damaged', round => round.map((byte, i) => i === round.length - 1 ? byte ^ 1 : byte)],
    ['of another kind', round => round.map((byte, i) => i === 0 ? byte ^ 1 : byte)],
    ['of another key', () => encodeRound(ROUND.replace('c', 'd'), [multihash(0)])],
    ['without blocks', () => encodeRound(ROUND, [])],
    ['too long', () => encodeRound(ROUND, Array.from({ length: 100_001 }, () => multihash(0)))]
  ])('refuses a round that is %s', async (_, damage) => {
    const { objects, session, clock } = await open()
    const round = damage(encodeRound(ROUND, [multihash(0)]))
    await objects.put(ROUND, round)
    await clock.pass(T / 6)

    await expect(session.relyOn(multihash(1))).rejects.toMatchObject({ name: 'StoreObjectError', key: ROUND })
    await session.end()
    await expect(StoreSession.open(objects, { leaseTimeout: T, command: 'add', clock: new ManualClock() }))
      .rejects.toMatchObject({ name: 'StoreObjectError', key: ROUND })
    expect(objects.keys('sessions/')).toEqual([])
  })

  it('refuses more rounds than collections could have', async () => {
    const { objects, session, clock } = await open()

    for (let i = 0; i < 201; i++) {
      const key = `rounds/${i.toString(16).padStart(32, '0')}-00000000`
      await objects.put(key, encodeRound(key, [multihash(0)]))
    }

    await clock.pass(T / 6)
    await expect(session.relyOn(multihash(1))).rejects.toMatchObject({ name: 'StoreObjectError' })
    await session.end()
  })

  it('leaves objects alone whose keys are not its own', async () => {
    const { objects, session, clock } = await open()
    await objects.put('rounds/README', new Uint8Array())
    await objects.put(`rounds/${'x'.repeat(32)}-00000000`, new Uint8Array())
    await clock.pass(T / 6)

    await session.relyOn(multihash(1))
    await session.end()
    expect(objects.keys()).toHaveLength(2)
  })
})
