import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MemoryDatastore } from 'datastore-core'
import { LevelDatastore } from 'datastore-level'
import { Key } from 'interface-datastore'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unmark } from '../src/index.ts'
import { files, linksOn, listed, originals } from './link-fixtures.ts'

let directory: string
let level: LevelDatastore

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ipfsz-links-'))
  level = new LevelDatastore(directory)
  await level.open()
})

afterEach(async () => {
  await level.close()
  await rm(directory, { recursive: true })
})

describe('links in a LevelDB', () => {
  it('are listed and pruned as in a MemoryDatastore, beside foreign entries', async () => {
    const memory = new MemoryDatastore()

    for (const datastore of [memory, level]) {
      for (const name of ['/ipfsz/link', '/ipfsz/links/original-but-not', '/ipfsz/links/originals/a', '/zebra']) {
        await datastore.put(new Key(name), Uint8Array.of(255))
      }

      for (const [i, original] of originals.entries()) {
        await linksOn(datastore).add(original, files[i % 2])
      }
    }

    const before = await listed(linksOn(memory))

    expect(before).toHaveLength(originals.length)
    expect(await listed(linksOn(level))).toEqual(before)

    for (const datastore of [memory, level]) {
      await linksOn(datastore).prune({ has: cid => cid.equals(unmark(files[0])) })
    }

    expect(await listed(linksOn(level))).toEqual(await listed(linksOn(memory)))
    expect(await listed(linksOn(level))).not.toEqual(before)
    expect((await Array.fromAsync(level.query({}))).length).toBe((await Array.fromAsync(memory.query({}))).length)
  })

  it('are all listed if they exceed one batch', async () => {
    const key = await forwardKey()
    const value = await level.get(key)

    // one value under many keys will do: a listing shows the values
    await level.db.batch(Array.from({ length: 10_000 }, (_, i) => ({ type: 'put', key: `${key}${i}`, value })))

    expect(await Array.fromAsync(linksOn(level).list())).toHaveLength(10_001)
  })

  it('throw InvalidLinkError if an entry is invalid', async () => {
    const key = await forwardKey()
    await level.put(key, Uint8Array.of(1))

    await expect(Array.fromAsync(linksOn(level).list())).rejects.toMatchObject({ name: 'InvalidLinkError' })
  })

  it('may be listed in part, which closes the iterator', async () => {
    await forwardKey()

    for await (const { compressed } of linksOn(level).list()) {
      expect(compressed).toEqual(files[0])
      break
    }

    await linksOn(level).delete(files[0])
    expect(await Array.fromAsync(linksOn(level).list())).toEqual([])
  })
})

/** Add a link, and return the key of its forward entry. */
async function forwardKey (): Promise<Key> {
  await linksOn(level).add(originals[0], files[0])
  const [key] = await Array.fromAsync(level.queryKeys({ prefix: '/ipfsz/links/original' }))

  return key
}
