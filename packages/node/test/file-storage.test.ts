import { readdirSync } from 'node:fs'
import { mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { directoryBackend, MARK_KEY, writeMark } from '@ipfsz/shared-store/places'
import { FreeSpace, MountedStorage } from '@ipfsz/shared-store/storage'
import { Mount } from '@ipfsz/shared-store/objects'
import { makeBlock } from './nodes.ts'
import type { StoredBlock } from '@ipfsz/shared-store/storage'

async function temporaryDirectory (): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-storage-'))
  onTestFinished(async () => { await rm(directory, { recursive: true, force: true }) })

  return directory
}

it('deletes no more blocks of a store once the signal has aborted', async () => {
  const directory = await temporaryDirectory()
  const { cid: { multihash } } = await makeBlock(1, 10)
  const blocks = Array.from({ length: 64 }, (_, i) => ({ multihash, path: join(directory, String(i)) }))
  await Promise.all(blocks.map(async ({ path }) => writeFile(path, '')))
  const controller = new AbortController()

  const removing = directoryBackend(directory).storage({ sync: false }).remove(blocks, { signal: controller.signal })
  controller.abort(new Error('too late'))

  await expect(removing).rejects.toThrow('too late')
  expect((await readdir(directory)).length).toBeGreaterThanOrEqual(60)
})

it('deletes few blocks of a store at a time, as those that wait could be deleted too late', async () => {
  const directory = await temporaryDirectory()
  const { cid: { multihash } } = await makeBlock(1, 10)
  const paths = Array.from({ length: 64 }, (_, i) => join(directory, String(i)))
  await Promise.all(paths.map(async path => writeFile(path, '')))
  let left: number | undefined
  const blocks: StoredBlock[] = paths.map((path, i) => ({
    multihash,
    get path () {
      left ??= i === 40 ? readdirSync(directory).length : undefined

      return path
    }
  }))

  await directoryBackend(directory).storage({ sync: false }).remove(blocks)

  expect(left).toBeLessThanOrEqual(64 - 40 + 4)
  expect(await readdir(directory)).toEqual([])
})

it('says that it is the store that cannot be written', async () => {
  const directory = await temporaryDirectory()
  const { unmarked, storage } = directoryBackend(directory)
  await writeMark(unmarked, {
    id: '01234567-89ab-cdef-0123-456789abcdef', compression: { codec: 'zstd' }, leaseTimeout: 30_000
  })
  // fails for root too, unlike permissions
  await symlink('blocks', join(directory, 'blocks'))

  await expect(storage({ sync: false }).open()).rejects.toMatchObject({
    name: 'StoreError', message: expect.stringContaining(`The store ${directory} is not writable`) as string
  })
})

it('writes no new block to a disk that is full, but for what a garbage collection needs', async () => {
  const directory = await temporaryDirectory()
  const disk = { bsize: 4096, blocks: 100_000, bavail: 100_000, files: 0, ffree: 0 }
  const open = (): MountedStorage => new MountedStorage(join(directory, 'blocks'), {
    mount: new Mount(directory, directory), sync: false, freeSpace: new FreeSpace(directory, async () => disk)
  })
  const [there, other] = [await makeBlock(1, 10), await makeBlock(2, 10)]
  await open().put(there.cid, there.bytes)
  disk.bavail = 1000
  const full = open()

  await expect(full.put(other.cid, other.bytes)).rejects.toMatchObject({ name: 'StoreError' })
  await expect(full.put(there.cid, there.bytes)).resolves.toEqual(there.cid)
})

it('says that it is the store whose blocks cannot be listed, deleted or synced', async () => {
  const directory = await temporaryDirectory()
  const { unmarked, storage: open } = directoryBackend(directory)
  await unmarked.put(MARK_KEY, Buffer.from('{}'))
  const storage = open({ sync: true })
  const { cid, bytes } = await makeBlock(1, 10)
  await storage.open()
  await storage.put(cid, bytes)
  const [[block]] = await Array.fromAsync(storage.blocks())
  const failed = { name: 'StoreError', message: expect.stringContaining(`The store ${directory} failed`) as string }

  // fails for root too, unlike permissions
  await rename(join(directory, 'blocks'), join(directory, 'other'))
  await symlink('blocks', join(directory, 'blocks'))
  await expect(storage.sync()).rejects.toMatchObject(failed)
  await expect(Array.fromAsync(storage.blocks())).rejects.toMatchObject(failed)
  await expect(storage.remove([block])).rejects.toMatchObject(failed)
})
