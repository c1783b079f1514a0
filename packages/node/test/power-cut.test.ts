/** Keys, records and links after a power cut. */
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { privateKeyToProtobuf } from '@libp2p/crypto/keys'
import { ClassicLevel } from 'classic-level'
import { Key } from 'interface-datastore'
import { describe, expect, it as base, vi } from 'vitest'
import { MODES, PowerCut } from '../../../test/support/power-cut.ts'
import { LinkStore } from '../src/repo/link-store.ts'
import { loadOrCreateKey } from '../src/network/names/keys.ts'
import { RepoDatastore } from '../src/repo/repo-datastore.ts'
import { directoryBackend, writeMark } from '@ipfsz/shared-store/places'

const it = base.extend<{ directory: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads which fixtures are needed from the pattern
  directory: async ({}, use) => {
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-power-'))
    await use(directory)
    await rm(directory, { recursive: true })
  }
})

const RECORD = new Key('/pin/record')

describe('a new key', () => {
  it('survives a power cut once it is returned, and is never half written', async ({ directory }) => {
    const repo = join(directory, 'repo')
    const { result: key, cut } = await record(directory, async () => {
      await mkdir(repo)

      return loadOrCreateKey(repo, 'name')
    })
    const bytes = Buffer.from(privateKeyToProtobuf(key))

    for (const mode of MODES) {
      expect(cut.at(cut.length, mode).get('repo/keys/name')).toEqual(bytes)
    }

    for (let moment = 0; moment < cut.length; moment++) {
      expect([undefined, bytes]).toContainEqual(cut.at(moment, 'named').get('repo/keys/name'))
    }
  })
})

describe('a record of RepoDatastore', () => {
  it('survives a power cut once it is put, and stays gone once it is deleted', async ({ directory }) => {
    const datastore = await open(directory)
    const { cut } = await record(directory, async cut => {
      await datastore.put(RECORD, Buffer.from('1'))
      cut.note('put')
      await datastore.put(RECORD, Buffer.from('22'))
      cut.note('put again')
      await datastore.delete(RECORD)
      cut.note('deleted')
    })
    const allowed = [[undefined, '1'], ['1', '22'], ['22', undefined], [undefined]]

    for (let moment = 0; moment <= cut.length; moment++) {
      for (const mode of MODES) {
        expect(allowed[cut.notes(moment).length], `${mode} at ${moment}`)
          .toContain(cut.at(moment, mode).get('data/pin/record.data')?.toString())
      }
    }
  })

  it('is written under a temporary name that no other write uses', async ({ directory }) => {
    const { cut } = await record(directory, async () => {
      const [one, other] = [await open(directory), await open(directory)]

      await Promise.all([one.put(RECORD, Buffer.from('one')), other.put(RECORD, Buffer.from('other'))])
      await one.put(RECORD, Buffer.from('again'))
    })
    const created = cut.created()

    expect(created).toHaveLength(3)
    expect(new Set(created).size).toBe(3)
  })

  it('is listed without the directory of temporary files', async ({ directory }) => {
    const datastore = await open(directory)
    await datastore.put(RECORD, Buffer.from('1'))

    expect(await Array.fromAsync(datastore.query({}), ({ key }) => String(key))).toEqual([String(RECORD)])
  })
})

describe('an object of a store in a directory', () => {
  it('survives a power cut once it is put, and stays gone once it is deleted', async ({ directory }) => {
    const { objects, unmarked } = directoryBackend(directory)
    await writeMark(unmarked, { id: randomUUID(), compression: { codec: 'none' }, leaseTimeout: 30_000 })
    const { cut } = await record(directory, async cut => {
      await objects.put('records/pin/record', Buffer.from('1'))
      cut.note('put')
      await objects.put('records/pin/record', Buffer.from('22'))
      cut.note('put again')
      await objects.delete(['records/pin/record'])
      cut.note('deleted')
    })
    const allowed = [[undefined, '1'], ['1', '22'], ['22', undefined], [undefined]]

    for (let moment = 0; moment <= cut.length; moment++) {
      for (const mode of MODES) {
        expect(allowed[cut.notes(moment).length], `${mode} at ${moment}`)
          .toContain(cut.at(moment, mode).get('records/pin/record.data')?.toString())
      }
    }
  })
})

describe('links', () => {
  it('are synced when they are written and when they are deleted', async ({ directory }) => {
    const level = ClassicLevel.prototype as unknown as Record<'_put' | '_del', (...args: unknown[]) => Promise<void>>
    const [put, del] = [vi.spyOn(level, '_put'), vi.spyOn(level, '_del')]
    const links = new LinkStore(join(directory, 'links'), { writes: true, signal: new AbortController().signal })

    await links.put(RECORD, Buffer.from('1'))
    expect(Buffer.from(await links.get(RECORD)).toString()).toBe('1')
    await links.delete(RECORD)
    await links.close()

    for (const spy of [put, del]) {
      expect(spy.mock.calls.map(args => args.at(-1))).toEqual([expect.objectContaining({ sync: true })])
    }
  })
})

async function open (directory: string): Promise<RepoDatastore> {
  const datastore = new RepoDatastore(join(directory, 'data'), { sync: true })
  await datastore.open()

  return datastore
}

async function record<T> (directory: string, work: (cut: PowerCut) => Promise<T>): Promise<{
  result: T
  cut: PowerCut
}> {
  const cut = new PowerCut(directory)

  try {
    return { result: await work(cut), cut }
  } finally {
    cut.stop()
  }
}
