import { readdirSync } from 'node:fs'
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { directoryBackend, MARK_KEY, writeMark } from '@ipfsz/shared-store/places'
import { FileStorage } from '@ipfsz/shared-store/storage'
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

  const removing = new FileStorage(directory, { sync: false }).remove(blocks, { signal: controller.signal })
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

  await new FileStorage(directory, { sync: false }).remove(blocks)

  expect(left).toBeLessThanOrEqual(64 - 40 + 4)
  expect(await readdir(directory)).toEqual([])
})

it('says that it is the store that cannot be written', async () => {
  const directory = await temporaryDirectory()
  const backend = directoryBackend(directory)
  await writeMark(backend.unmarked, {
    id: '01234567-89ab-cdef-0123-456789abcdef', compression: { codec: 'zstd' }, leaseTimeout: 30_000
  })
  await rm(join(directory, '.tmp'), { recursive: true })
  // fails for root too, unlike permissions
  await symlink('.tmp', join(directory, '.tmp'))

  await expect(backend.open()).rejects.toMatchObject({
    name: 'StoreError', message: expect.stringContaining(`The store ${directory} is not writable`) as string
  })
})

it('says that it is the store whose blocks cannot be listed or deleted', async () => {
  const directory = await temporaryDirectory()
  const { unmarked, older } = directoryBackend(directory)
  await unmarked.put(MARK_KEY, Buffer.from('{}'))
  const { cid } = await makeBlock(1, 10)
  const storage = older()
  const failed = { name: 'StoreError', message: expect.stringContaining(`The store ${directory} failed`) as string }

  // fails for root too, unlike permissions
  await symlink('blocks', join(directory, 'blocks'))
  await expect(Array.fromAsync(storage.blocks())).rejects.toMatchObject(failed)
  await expect(storage.remove([{ multihash: cid.multihash }])).rejects.toMatchObject(failed)
})

it('adds nothing to a store in which each block is an object', async () => {
  const directory = await temporaryDirectory()
  const storage = directoryBackend(directory).older()
  const { cid, bytes } = await makeBlock(1, 10)
  const refused = { name: 'StoreError', problem: 'older' }

  await expect(storage.open()).rejects.toMatchObject(refused)
  await expect(storage.put(cid, bytes)).rejects.toMatchObject(refused)
  expect(await readdir(directory)).toEqual([])
})
