import { expect, it, vi } from 'vitest'
import { StoreAwayError, StoreMissingError } from '../src/errors.ts'
import { StoreWatch } from '@ipfsz/shared-store/objects'
import { ManualClock } from '../../../test/support/manual-clock.ts'

/** A store that answers looks, refuses them, or keeps silent. */
interface Store {
  clock: ManualClock
  watch: StoreWatch
  looks: () => number
  state: 'answers' | 'refuses' | 'is silent'
  /** Begin to read what takes for ever, and see how that ends. */
  reading: () => { outcome: unknown }
}

function makeStore (state: Store['state']): Store {
  const clock = new ManualClock()
  let looks = 0
  const store: Store = {
    clock,
    watch: new StoreWatch({
      name: 's3://bucket',
      isRemote: true,
      clock,
      async look () {
        looks++

        if (store.state === 'refuses') {
          throw new Error('the cable is out')
        }

        await (store.state === 'answers' ? undefined : new Promise(() => {}))
      }
    }),
    looks: () => looks,
    state,
    reading () {
      const reading: { outcome: unknown } = { outcome: 'waits' }
      store.watch.read(async () => new Promise(() => {})).catch((err: unknown) => { reading.outcome = err })

      return reading
    }
  }

  return store
}

it('ends reads of a store that answers nobody within seconds, and new ones at once', async () => {
  for (const state of ['refuses', 'is silent'] as const) {
    const { watch, clock, reading } = makeStore(state)
    const first = reading()
    await clock.pass(900)
    expect([first.outcome, watch.away]).toEqual(['waits', undefined])
    await clock.pass(4200)

    expect(first.outcome).toMatchObject({ name: 'StoreAwayError', store: 's3://bucket' })
    const work = vi.fn()
    await expect(watch.read(work)).rejects.toBeInstanceOf(StoreAwayError)
    expect(work).not.toHaveBeenCalled()
  }
})

it('tells what it waits for to stop', async () => {
  const { watch, clock } = makeStore('refuses')
  let reason: unknown
  const reading = watch.read(async signal => new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      reason = signal.reason
      reject(signal.reason as Error)
    })
  }))
  const failed = expect(reading).rejects.toBeInstanceOf(StoreAwayError)
  await clock.pass(1000)
  await failed

  expect(reason).toBe(watch.away)
})

it('waits for a store that is slow, as long as it answers something', async () => {
  const store = makeStore('answers')
  const slow = store.reading()
  await store.clock.pass(60_000)
  expect(slow.outcome).toBe('waits')

  // it answers others while a look gets no answer
  store.state = 'is silent'
  for (let second = 0; second < 20; second++) {
    await store.clock.pass(1000)
    await store.watch.read(async () => 'an answer')
  }

  expect(slow.outcome).toBe('waits')
  expect(store.looks()).toBeLessThan(20)
})

it('notices by itself that the store is back, and tells both', async () => {
  const store = makeStore('refuses')
  const changes: unknown[] = []
  store.watch.onChange = away => { changes.push(away?.message) }
  store.reading()
  await store.clock.pass(10_000)
  store.state = 'answers'
  await store.clock.pass(1000)

  expect(await store.watch.read(async () => 'an answer')).toBe('an answer')
  expect(changes).toEqual(['The store s3://bucket is unavailable: the cable is out', undefined])
  const looks = store.looks()
  await store.clock.pass(60_000)
  expect(store.looks()).toBe(looks)
})

it('looks at once when a read fails as those of a store that is away do', async () => {
  const { watch } = makeStore('refuses')
  const cause = Object.assign(new Error('no answer'), { name: 'S3NetworkError' })
  const failed = new Error('Could not read the block', { cause })

  await expect(watch.read(async () => { throw failed })).rejects.toBe(failed)
  await expect.poll(() => watch.away).toMatchObject({ message: expect.stringContaining('the cable is out') })
})

it('does not doubt a store that refuses', async () => {
  const store = makeStore('refuses')
  const refusal = Object.assign(new Error('no'), { name: 'S3ResponseError', status: 403 })

  await expect(store.watch.read(async () => { throw refusal })).rejects.toBe(refusal)
  await store.clock.pass(0)
  expect(store.looks()).toBe(0)
})

it('has one look under way at most: a file system that hangs keeps a thread for each', async () => {
  const { watch, clock, looks } = makeStore('is silent')
  const away = expect(watch.check()).rejects.toBeInstanceOf(StoreAwayError)
  await clock.pass(4000)
  await away
  await clock.pass(60_000)

  expect(looks()).toBe(1)
})

it('takes no store for away that sends something to whoever asked for it', async () => {
  const store = makeStore('is silent')
  const slow = store.reading()

  for (let second = 0; second < 20; second++) {
    await store.clock.pass(1000)
    store.watch.heard()
  }

  expect([slow.outcome, store.watch.away]).toEqual(['waits', undefined])
})

it('takes a store for away that is no longer there, whatever is answered in its place', async () => {
  const clock = new ManualClock()
  const watch = new StoreWatch({
    name: '/mnt',
    isRemote: false,
    clock,
    async look () {
      watch.heard()
      throw new StoreMissingError('/mnt')
    }
  })

  await expect(watch.check()).rejects.toMatchObject({ name: 'StoreAwayError', cause: { name: 'StoreMissingError' } })
})

it.each([
  [true, undefined, 'no answer over the network within 4 s'],
  [false, undefined, 'no answer within 4 s'],
  [true, 429, 'the store only answered 429 within 4 s']
])('says what there was in place of an answer: remote %s, status %s', async (isRemote, status, reason) => {
  const clock = new ManualClock()
  const watch = new StoreWatch({
    name: 's3://bucket',
    isRemote,
    refusal: () => status,
    clock,
    look: async () => new Promise(() => {})
  })
  const failed = expect(watch.check()).rejects.toThrow(`The store s3://bucket is unavailable: ${reason}`)
  await clock.pass(4000)
  await failed
})
