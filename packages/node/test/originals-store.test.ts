import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Key } from 'interface-datastore/key'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { OriginalsStore, originalsIn } from '../src/repo/originals-store.ts'

let repo: string

beforeEach(async () => {
  repo = await mkdtemp(join(tmpdir(), 'ipfsz-originals-'))

  return async () => { await rm(repo, { recursive: true }) }
})

function open (writes = true): OriginalsStore {
  const store = new OriginalsStore(repo, { writes })
  onTestFinished(async () => { await store.close() })

  return store
}

function bytes (...values: number[]): Uint8Array {
  return Uint8Array.from(values)
}

async function keysOf (store: OriginalsStore, prefix: string, limit?: number): Promise<string[]> {
  const pairs = await Array.fromAsync(store.query({ prefix, ...limit == null ? {} : { limit } }))

  return pairs.map(({ key }) => key.toString())
}

describe('the store of originals', () => {
  it('gets, replaces and deletes entries, which other connections see', async () => {
    const [store, other] = [open(), open(false)]
    await store.put(new Key('/a/1'), bytes(1, 2))
    await store.put(new Key('/a/1'), bytes(3))

    expect(await other.get(new Key('/a/1'))).toEqual(bytes(3))
    await store.delete(new Key('/a/1'))
    await expect(other.get(new Key('/a/1'))).rejects.toMatchObject({ name: 'NotFoundError' })
  })

  it('queries by prefix, in order, up to a limit, and past a page', async () => {
    const store = open()
    const batch = store.batch()

    for (let i = 0; i < 600; i++) {
      batch.put(new Key(`/many/${String(i).padStart(4, '0')}`), bytes(1))
    }

    batch.put(new Key('/manyothers/1'), bytes(1))
    await batch.commit()

    expect(await keysOf(store, '/many/')).toHaveLength(600)
    expect(await keysOf(store, '/many/', 2)).toEqual(['/many/0000', '/many/0001'])
    expect(await keysOf(store, '/many/', 300)).toHaveLength(300)
    expect(await keysOf(store, '/none/')).toEqual([])
  })

  it('may be changed while it is queried', async () => {
    const store = open()
    const batch = store.batch()

    for (let i = 0; i < 300; i++) {
      batch.put(new Key(`/many/${i}`), bytes(1))
    }

    await batch.commit()
    let seen = 0

    for await (const { key } of store.query({ prefix: '/many/' })) {
      seen++

      if (seen % 50 === 0) {
        await store.delete(key)
      }
    }

    expect(seen).toBe(300)
    expect(await keysOf(store, '/many/')).toHaveLength(294)
  })

  it('writes a batch as a whole or not at all', async () => {
    const store = open()
    const batch = store.batch()
    batch.put(new Key('/a/1'), bytes(1))
    // SQLite cannot store this
    batch.put(new Key('/a/2'), {} as Uint8Array)

    await expect(batch.commit()).rejects.toMatchObject({ name: 'RepoError' })
    expect(await keysOf(store, '/a/')).toEqual([])
    await store.put(new Key('/a/3'), bytes(1))
    expect(await keysOf(store, '/a/')).toEqual(['/a/3'])
  })

  it('waits while another process writes, without blocking this one', async () => {
    const store = open()
    await store.put(new Key('/a/1'), bytes(1))
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
    const db = new DatabaseSync(originalsIn(repo))
    db.exec('BEGIN EXCLUSIVE')
    const waiting = Promise.all([store.put(new Key('/a/2'), bytes(2)), store.get(new Key('/a/1'))])

    expect(await Promise.race([waiting, setImmediate('waits')])).toBe('waits')
    db.exec('COMMIT')
    db.close()
    await waiting
    expect(await keysOf(store, '/a/')).toEqual(['/a/1', '/a/2'])
  })

  it('is empty and makes no file if it only reads, and sees what another one makes later', async () => {
    const reader = open(false)

    await expect(reader.get(new Key('/a/1'))).rejects.toMatchObject({ name: 'NotFoundError' })
    expect(await keysOf(reader, '/a/')).toEqual([])
    expect(existsSync(originalsIn(repo))).toBe(false)
    await open().put(new Key('/a/1'), bytes(1))
    expect(await keysOf(reader, '/a/')).toEqual(['/a/1'])
  })

  it('refuses a file that is not its own', async () => {
    await writeFile(originalsIn(repo), 'x'.repeat(5000))

    await expect(open().get(new Key('/a/1'))).rejects.toMatchObject({ name: 'RepoError' })
  })
})
