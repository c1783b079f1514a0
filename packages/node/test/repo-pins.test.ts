import { CID } from 'multiformats/cid'
import { expect, it } from 'vitest'
import { RepoPins } from '../src/repo/repo-pins.ts'
import { ObjectDatastore } from '@ipfsz/shared-store/records'
import { MemoryObjects } from '../../../test/support/memory-objects.ts'
import type { Repo } from '../src/repo/repo.ts'

const ROOTS = [
  'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi',
  'bafybeihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
].map(text => ({ cid: CID.parse(text) }))

/** A repo on a store. */
function repoOn (objects: MemoryObjects, confirm: () => Promise<void>): Repo {
  const records = new ObjectDatastore(objects, { prefix: 'records', name: 'store' })

  return { records, shared: {}, storage: { sync: async () => {} }, session: { confirm } } as unknown as Repo
}

it('reads the records of all roots that it pins, and looks for its session, at the same time', async () => {
  const { promise: allAsked, resolve } = Promise.withResolvers<void>()
  const asked: string[] = []
  const ask = async (what: string): Promise<void> => {
    asked.push(what)

    // a pin and a count of each root, and the session
    if (asked.length === 2 * ROOTS.length + 1) {
      resolve()
    }

    await allAsked
  }
  const objects = new MemoryObjects({ before: async ({ kind }) => ask(kind) })

  expect(await new RepoPins(repoOn(objects, async () => ask('session'))).addNew(ROOTS)).toEqual([undefined, undefined])
  expect(asked.slice(0, 5).toSorted()).toEqual(['get', 'get', 'get', 'get', 'session'])
  // the session last
  expect(asked.slice(5)).toEqual(['put', 'put', 'put', 'put', 'session'])
})

it('writes no pin for a session that is lost', async () => {
  const objects = new MemoryObjects()
  const lost = new RepoPins(repoOn(objects, async () => { throw new Error('lost') }))

  await expect(lost.addNew(ROOTS)).rejects.toMatchObject({ message: 'lost' })
  expect(objects.keys()).toEqual([])
})

it('reads no record of a pin that is left out', async () => {
  const read: string[] = []
  const objects = new MemoryObjects({
    before: async ({ kind, key }) => {
      if (kind === 'get') {
        read.push(key)
      }
    }
  })
  const pins = new RepoPins(repoOn(objects, async () => {}))
  await pins.addNew(ROOTS)
  read.length = 0
  const listed = await Array.fromAsync(
    pins.ls(AbortSignal.any([]), undefined, cid => cid.equals(ROOTS[0].cid))
  )

  expect(listed.map(({ plainCid }) => plainCid)).toEqual([ROOTS[1].cid])
  expect(read).toHaveLength(1)
})
