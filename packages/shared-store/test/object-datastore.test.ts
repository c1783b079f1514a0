import { Key } from 'interface-datastore'
import { interfaceDatastoreTests } from 'interface-datastore-tests'
import all from 'it-all'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { provideMocha } from '../../../test/support/mocha.ts'
import { ObjectDatastore } from '../src/records/object-datastore.ts'
import { MemoryObjects } from '../../../test/support/memory-objects.ts'

provideMocha()
Object.assign(globalThis, { after: afterAll, before: beforeAll })

const INIT = { prefix: 'records', name: 'a store' }
const { signal } = new AbortController()

describe('ObjectDatastore, compliance suite', () => {
  interfaceDatastoreTests({
    setup: async () => new ObjectDatastore(new MemoryObjects(), INIT),
    teardown: async () => {}
  })
})

describe('ObjectDatastore', () => {
  let objects: MemoryObjects
  let records: ObjectDatastore

  beforeEach(() => {
    objects = new MemoryObjects()
    records = new ObjectDatastore(objects, INIT)
  })

  it('keeps each record as an object, apart from other objects of the store', async () => {
    await records.put(new Key('/pin/a'), Buffer.from('1'))
    await objects.put('recordsX/pin/b', Buffer.from('2'))
    await objects.put('sessions/c', Buffer.from('3'))

    expect(Buffer.from(await objects.get('records/pin/a')).toString()).toBe('1')
    expect((await all(records.queryKeys({}))).map(String)).toEqual(['/pin/a'])
    expect(records.placeOf(new Key('/pin/a'))).toBe('records/pin/a in a store')
  })

  it('lists the keys right below a prefix', async () => {
    for (const key of ['/pin/a', '/pin/b', '/pin/b/c', '/pinned-block/d', '/pin']) {
      await records.put(new Key(key), new Uint8Array())
    }

    expect((await all(records.keys('/pin', signal))).map(String)).toEqual(['/pin/a', '/pin/b'])
  })

  it('reads no record that is larger than allowed, and tells which is missing', async () => {
    await records.put(new Key('/a'), new Uint8Array(11))

    expect((await records.read(new Key('/a'), 11))?.byteLength).toBe(11)
    await expect(records.read(new Key('/a'), 10)).rejects.toThrow(TypeError)
    expect(await records.read(new Key('/b'), 10)).toBeUndefined()
    await expect(records.get(new Key('/b'))).rejects.toMatchObject({ name: 'NotFoundError' })
    await expect(records.modified(new Key('/b'))).rejects.toMatchObject({ name: 'NotFoundError' })
  })

  it('leaves out of a query what another node deletes meanwhile', async () => {
    await records.put(new Key('/a'), new Uint8Array(1))
    await records.put(new Key('/b'), new Uint8Array(1))
    const list = objects.list.bind(objects)
    objects.list = async function * (...args) {
      for await (const page of list(...args)) {
        await objects.delete(['records/a'])
        yield page
      }
    }

    expect((await all(records.query({}))).map(({ key }) => String(key))).toEqual(['/b'])
  })

  it('stores many records, and says which could not be', async () => {
    const put = objects.put.bind(objects)
    objects.put = async (key, ...rest) => key.endsWith('bad') ? Promise.reject(new Error('full')) : put(key, ...rest)
    const records3 = ['/a', '/bad', '/c'].map(key => ({ key: new Key(key), value: new Uint8Array(1) }))

    expect(await records.putEach(records3)).toEqual([undefined, new Error('full'), undefined])
    expect((await all(records.queryKeys({}))).map(String)).toEqual(['/a', '/c'])
  })
})
