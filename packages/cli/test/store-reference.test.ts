import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it as base } from 'vitest'
import { explain } from '../src/errors.ts'
import { directoryBackend, MARK_KEY } from '@ipfsz/shared-store/places'
import { readReference, writeReference } from '@ipfsz/shared-store/reference'

const it = base.extend<{ directory: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads which fixtures are needed from the pattern
  directory: async ({}, use) => {
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-reference-'))
    await use(directory)
    await rm(directory, { recursive: true })
  }
})

const REFERENCE = { store: 's3://bucket/prefix', id: 'abc' }

it('is read as it was written, and is missing in a repo of its own', async ({ directory }) => {
  expect(await readReference(directory)).toBeUndefined()
  await writeReference(directory, REFERENCE)
  expect(await readReference(directory)).toEqual(REFERENCE)
  await writeReference(directory, { ...REFERENCE, cache: 0 })
  expect(await readReference(directory)).toEqual({ ...REFERENCE, cache: 0 })
})

it.for(['"10GiB"', '-1', '1.5'])('refuses %s as the size of the cache', async (cache, { directory }) => {
  await writeFile(join(directory, 'store.json'), `{"store":"s3://bucket","id":"abc","cache":${cache}}`)

  await expect(readReference(directory)).rejects.toMatchObject({ name: 'RepoError' })
})

it('refuses a store in place of a repo', async ({ directory }) => {
  await directoryBackend(directory).unmarked.put(MARK_KEY, Buffer.from('{}'))

  await expect(readReference(directory)).rejects.toMatchObject({
    name: 'RepoError', message: expect.stringContaining('a shared store') as string
  })
})

it('that is damaged is to be deleted, one that cannot be read is not', async ({ directory }) => {
  await writeFile(join(directory, 'store.json'), '{"store":')
  const damaged = await readReference(directory).catch((err: Error) => err) as Error
  const other = join(directory, 'other')
  // stands for all failures: permissions do not keep root from reading
  await mkdir(join(other, 'store.json'), { recursive: true })
  const unreadable = await readReference(other).catch((err: Error) => err) as Error

  expect([damaged, unreadable]).toMatchObject([{ name: 'RepoError' }, { name: 'RepoError', cause: { code: 'EISDIR' } }])
  expect(explain(damaged)).toContain('delete')
  expect(explain(unreadable)).not.toContain('delete')
})
