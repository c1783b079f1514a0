import { describe, expect, it } from 'vitest'
import { encodeRound, readAck } from '../src/protocol/round-objects.ts'
import { StoreSession } from '../src/sessions/store-session.ts'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { MemoryObjects } from '../../../test/support/memory-objects.ts'
import type { MemoryObjectsInit } from '../../../test/support/memory-objects.ts'

const T = 60_000
const COLLECTION = 'c'.repeat(32)
const ROUND = `rounds/${COLLECTION}-00000000`

/** What stands for a pack. */
function tail (i: number): Uint8Array {
  return new Uint8Array(8).fill(i)
}

interface Opened {
  clock: ManualClock
  objects: MemoryObjects
  session: StoreSession
  errors: unknown[]
  /** Condemn packs, and wait until the session has seen it. */
  condemn: (...packs: number[]) => Promise<void>
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
    condemn: async (...packs) => {
      await objects.put(ROUND, encodeRound(ROUND, packs.map(tail)))
      await clock.pass(T / 3)
    }
  }
}

describe('a session', () => {
  it('writes its object, renews its lease, and deletes both at its end', async () => {
    const { objects, session, clock } = await open()
    await clock.pass(T / 3)

    expect(objects.keys()).toEqual([`leases/${session.id}`, `sessions/${session.id}`])
    const before = await objects.get(`leases/${session.id}`)
    await clock.pass(T / 3)
    expect(await objects.get(`leases/${session.id}`)).not.toEqual(before)

    await session.end()
    expect(objects.keys()).toEqual([])
  })

  it('that ends soon writes no lease, and looks for rounds once', async () => {
    const sent: string[] = []
    const { objects, session, clock } = await open({
      before: async ({ kind, key }) => { sent.push(`${kind} ${key.replace(/\w{32}/, 'ID')}`) }
    })
    session.relyOnPack(tail(1))
    await session.confirm()
    await clock.pass(T / 3 - 1)
    await session.end()

    expect(sent).toEqual(['put sessions/ID', 'list rounds/', 'get sessions/ID', 'delete sessions/ID'])
    expect(objects.keys()).toEqual([])
  })

  it('objects to a round that condemns packs that it relies on, and goes on relying on them', async () => {
    const { objects, session, condemn } = await open()
    session.relyOnPack(tail(1))
    await condemn(0, 1, 2)

    const ack = await readAck(objects, `acks/${COLLECTION}-00000000-${session.id}`, 3)
    expect(ack?.bits).toEqual(new Uint8Array([0b010]))
    expect(session.relyOnPack(tail(1))).toBe(true)
    await session.end()
  })

  it('never relies on a pack that a round condemned, also when the round is over', async () => {
    const { objects, session, condemn, clock } = await open()
    await condemn(0)
    expect([session.relyOnPack(tail(0)), session.relyOnPack(tail(1))]).toEqual([false, true])

    await objects.delete([ROUND])
    await clock.pass(T / 3)
    expect(session.relyOnPack(tail(0))).toBe(false)
    await session.end()
  })

  it('looks for rounds often while a collection works, and then seldom, also if its round stays', async () => {
    let lists = 0
    const { session, condemn, clock } = await open({ before: async ({ kind }) => { lists += kind === 'list' ? 1 : 0 } })
    await condemn(0)
    lists = 0
    await clock.pass(T / 2)
    expect(lists).toBeGreaterThan(25)
    await clock.pass(T)
    lists = 0
    await clock.pass(T)
    expect(lists).toBeLessThan(8)
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
    const { objects, session } = await open()
    await objects.delete([`sessions/${session.id}`])

    await expect(session.confirm()).rejects.toMatchObject({
      name: 'SessionLostError', key: `sessions/${session.id}`
    })
    expect(() => session.relyOnPack(tail(1))).toThrow(expect.objectContaining({ name: 'SessionLostError' }))
    await session.end()
  })

  it('finds out by itself that it is lost, and does not come back by renewing its lease', async () => {
    let isAway = false
    const { objects, session, clock } = await open({
      before: async () => { if (isAway) { throw new Error('the network is away') } }
    })
    // renewals come in time
    await clock.pass(T)
    isAway = true
    await clock.pass(T)
    isAway = false
    await objects.delete([`sessions/${session.id}`])
    await clock.pass(T / 3)

    expect(() => session.relyOnPack(tail(1))).toThrow(expect.objectContaining({ name: 'SessionLostError' }))
    expect(objects.keys('sessions/')).toEqual([])
    await session.end()
  })

  it('goes on when a store that was away comes back', async () => {
    let isAway = false
    const { objects, session, condemn, errors, clock } = await open({
      before: async () => { if (isAway) { throw new Error('the network is away') } }
    })
    session.relyOnPack(tail(0))
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

  it.each<[string, (round: Uint8Array) => Uint8Array]>([
    ['empty', () => new Uint8Array()],
    ['cut off', round => round.subarray(0, -1)],
    ['cut off in its header', round => round.subarray(0, 20)],
    ['damaged', round => round.map((byte, i) => i === round.length - 1 ? byte ^ 1 : byte)],
    ['of another kind', round => round.map((byte, i) => i === 0 ? byte ^ 1 : byte)],
    ['of another key', () => encodeRound(ROUND.replace('c', 'd'), [tail(0)])],
    ['without packs', () => encodeRound(ROUND, [])],
    ['too long', () => encodeRound(ROUND, Array.from({ length: 100_001 }, () => tail(0)))]
  ])('refuses a round that is %s', async (_, damage) => {
    const { objects, session, clock } = await open()
    const round = damage(encodeRound(ROUND, [tail(0)]))
    await objects.put(ROUND, round)
    await clock.pass(T / 3)

    expect(() => session.relyOnPack(tail(1))).toThrow(
      expect.objectContaining({ name: 'StoreObjectError', key: ROUND })
    )
    await session.end()
    await expect(StoreSession.open(objects, { leaseTimeout: T, command: 'add', clock: new ManualClock() }))
      .rejects.toMatchObject({ name: 'StoreObjectError', key: ROUND })
    expect(objects.keys('sessions/')).toEqual([])
  })

  it('refuses more rounds than collections could have', async () => {
    const { objects, session, clock } = await open()

    for (let i = 0; i < 101; i++) {
      const key = `rounds/${i.toString(16).padStart(32, '0')}-00000000`
      await objects.put(key, encodeRound(key, [tail(0)]))
    }

    await clock.pass(T / 3)
    expect(() => session.relyOnPack(tail(1))).toThrow(expect.objectContaining({ name: 'StoreObjectError' }))
    await session.end()
  })

  it('leaves objects alone whose keys are not its own', async () => {
    const { objects, session, clock } = await open()
    await objects.put('rounds/README', new Uint8Array())
    await objects.put(`rounds/${'x'.repeat(32)}-00000000`, new Uint8Array())
    await clock.pass(T / 3)

    session.relyOnPack(tail(1))
    await session.end()
    expect(objects.keys()).toHaveLength(2)
  })
})
