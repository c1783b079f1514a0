import { CID } from 'multiformats/cid'
import { expect, it } from 'vitest'
import { copyPins } from '../src/migrate/copy-pins.ts'
import { RepoPins } from '../src/repo/repo-pins.ts'
import { ObjectDatastore } from '@ipfsz/shared-store/records'
import { MemoryObjects } from '../../../test/support/memory-objects.ts'
import type { Session } from '../src/context.ts'
import type { Repo } from '../src/repo/repo.ts'

const CID_PINNED = CID.parse('bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi')

/** Pins in a store whose answers to deletes get lost. */
class Deaf extends ObjectDatastore {
  /** Whether the store gets the request. */
  arrives = true

  override async delete (...args: Parameters<ObjectDatastore['delete']>): Promise<void> {
    await (this.arrives ? super.delete(...args) : undefined)
    throw Object.assign(new Error('no answer'), { name: 'S3NetworkError' })
  }
}

function storeOf (records: Repo['records']): Repo {
  return { records, shared: {}, storage: { sync: async () => {} } } as unknown as Repo
}

it('says whether the pin is gone when the store does not confirm that, and works when it is run again', async () => {
  const objects = new MemoryObjects()
  const init = { prefix: 'records', name: 'store' }
  const deaf = new Deaf(objects, init)
  const pins = new RepoPins(storeOf(deaf))
  await pins.addNew([{ cid: CID_PINNED }])

  deaf.arrives = false
  await expect(pins.rm(CID_PINNED)).rejects.toMatchObject({
    name: 'StoreError', message: expect.stringContaining('run the command again'), cause: { name: 'S3NetworkError' }
  })
  deaf.arrives = true
  await expect(pins.rm(CID_PINNED)).rejects.toMatchObject({
    name: 'StoreError', message: expect.stringContaining('no longer pinned')
  })
  await expect(pins.rm(CID_PINNED)).rejects.toMatchObject({ name: 'NotPinnedError' })

  const hearing = new RepoPins(storeOf(new ObjectDatastore(objects, init)))
  await hearing.addNew([{ cid: CID_PINNED }])
  await hearing.rm(CID_PINNED)
  expect(objects.keys()).toEqual([])
})

it('refuses to copy a pin of a few levels into a store, where it could replace one of all levels', async () => {
  const records = new ObjectDatastore(new MemoryObjects(), { prefix: 'records', name: 'store' })
  const repo = storeOf(records)
  const copied = copyPins(
    [{ cid: CID_PINNED, depth: 1 }],
    { repo, pins: new RepoPins(repo) } as unknown as Session,
    { signal: new AbortController().signal, lost: new Set() }
  )

  expect(await Array.fromAsync(copied)).toMatchObject([{ state: 'incomplete', error: { name: 'StoreError' } }])
})
