import { decode, encode } from 'cborg'
import { MemoryDatastore } from 'datastore-core'
import { Key } from 'interface-datastore'
import * as raw from 'multiformats/codecs/raw'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { Histories, MAX_VERSIONS } from '../src/repo/history.ts'
import type { Version } from '../src/repo/history.ts'

async function version (number: number, name = 'a', date = new Date(1_700_000_000_000)): Promise<Version> {
  const cid = CID.createV1(raw.code, await sha256.digest(Uint8Array.of(number, number >>> 8)))

  return { name, cid, date, size: number, addedSize: 1 }
}

describe('Histories', () => {
  it('lists versions in the order in which they were added, whatever the clock says', async () => {
    const histories = new Histories({ records: new MemoryDatastore() })

    for (const [number, time] of [[1, 3000], [2, 1000], [3, 2000]]) {
      await histories.append(await version(number, 'a', new Date(time)))
    }

    expect((await histories.versions('a')).map(({ size }) => size)).toEqual([3, 2, 1])
    expect(await histories.versions('b')).toEqual([])
  })

  it('keeps versions that are added at the same time', async () => {
    const datastore = new MemoryDatastore()
    const versions = await Promise.all([1, 2, 3].map(async number => version(number)))
    await Promise.all(versions.map(async each => new Histories({ records: datastore }).append(each)))

    expect(await new Histories({ records: datastore }).versions('a')).toHaveLength(3)
  })

  it('forgets the oldest of too many', async () => {
    const datastore = new MemoryDatastore()
    const histories = new Histories({ records: datastore })

    // the records of a history, put without reading those before each time
    for (let number = 1; number <= MAX_VERSIONS; number++) {
      const one = new MemoryDatastore()
      await new Histories({ records: one }).append(await version(number, 'a', new Date(number)))

      for await (const { key, value } of one.query({})) {
        await datastore.put(key, value)
      }
    }

    await histories.append(await version(MAX_VERSIONS + 1))
    const versions = await histories.versions('a')

    expect(versions).toHaveLength(MAX_VERSIONS)
    expect([versions[0].size, versions.at(-1)?.size]).toEqual([MAX_VERSIONS + 1, 2])
  })

  it('refuses a damaged record, and forgets it with its history', async () => {
    for (const damaged of [[], [0xff], [0xa0], [0xa1, 0x64, 0x6e, 0x61, 0x6d, 0x65, 0x61, 0x61]]) {
      const datastore = new MemoryDatastore()
      const histories = new Histories({ records: datastore })
      await histories.append(await version(1))

      for await (const key of datastore.queryKeys({})) {
        await datastore.put(new Key(`${key.parent()}/damaged`), Uint8Array.from(damaged))
      }

      await expect(histories.versions('a')).rejects.toMatchObject({ name: 'RepoError' })
      await expect(histories.list()).rejects.toMatchObject({ name: 'RepoError' })
      await expect(histories.forget('a')).resolves.toBe(2)
      await expect(histories.list()).resolves.toEqual([])
    }
  })

  it.each([{ date: 8.64e15 + 1 }, { date: 1.5e308 }, { size: -1 }, { addedSize: -1 }, { sequence: 0.5 }])(
    'refuses a record with %j',
    async wrong => {
      const datastore = new MemoryDatastore()
      const histories = new Histories({ records: datastore })
      await histories.append(await version(1))

      for await (const { key, value } of datastore.query({})) {
        await datastore.put(key, encode({ ...decode(value) as object, ...wrong }))
      }

      await expect(histories.list()).rejects.toMatchObject({ name: 'RepoError' })
    }
  )
})
