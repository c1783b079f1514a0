import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { removeDirectory } from '../src/cache/remove-directory.ts'

it('deletes no file where a symlink leads, neither in the place of the directory nor in it', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-remove-'))
  onTestFinished(async () => rm(directory, { recursive: true }))
  const [cache, victim] = [join(directory, 'cache'), join(directory, 'victim')]
  await Promise.all([join(victim, 'sub'), join(cache, '1/sub')].map(async path => mkdir(path, { recursive: true })))
  await writeFile(join(victim, 'sub/file'), 'kept')
  await writeFile(join(cache, '1/sub/file'), 'deleted')
  await symlink(victim, join(cache, '1/sub/link'))
  await symlink(victim, join(cache, '2'))

  for (const name of ['1', '2', 'missing']) {
    await removeDirectory(join(cache, name), () => false)
  }

  expect(await readdir(cache)).toEqual([])
  expect(await readdir(victim, { recursive: true })).toEqual(['sub', 'sub/file'])
})
