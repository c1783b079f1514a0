import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { holdDirectory } from '../src/disk/held-directory.ts'
import { removeDirectory } from '../src/disk/remove-directory.ts'

it('deletes no file where a symlink leads, neither in the place of the directory nor in it', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-remove-'))
  onTestFinished(async () => rm(directory, { recursive: true }))
  const [cache, victim] = [join(directory, 'cache'), join(directory, 'victim')]
  await Promise.all([join(victim, 'sub'), join(cache, '1/sub')].map(async path => mkdir(path, { recursive: true })))
  await writeFile(join(victim, 'sub/file'), 'kept')
  await writeFile(join(cache, '1/sub/file'), 'deleted')
  await symlink(victim, join(cache, '1/sub/link'))
  await symlink(victim, join(cache, '2'))

  const held = await holdDirectory(cache)
  onTestFinished(async () => held.close())
  await removeDirectory(held, '1')
  await expect(removeDirectory(held, '2')).rejects.toMatchObject({ name: 'TreeEntryError' })

  expect(await readdir(cache)).toEqual(['2'])
  expect(await readdir(victim, { recursive: true })).toEqual(['sub', 'sub/file'])
})
