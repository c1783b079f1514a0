import { chmod, chown, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkNotShared } from '../src/disk/shared-path.ts'
import { openRepo } from '../src/handle/open-repo.ts'
import type { Environment } from '../src/paths.ts'

const BYTES = new TextEncoder().encode('hello')

async function makeDirectory (): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-shared-'))
  onTestFinished(async () => { await rm(directory, { recursive: true, force: true }) })

  return directory
}

function check (repo: string, env: Environment = {}): void {
  checkNotShared(repo, { env, cwd: '/' })
}

describe.skipIf(process.getuid == null)('a repo', () => {
  it('is refused below a directory in which everybody may rename, whether it is there or not', async () => {
    const directory = await makeDirectory()
    const shared = join(directory, 'shared')
    await mkdir(join(shared, 'own', 'repo'), { recursive: true })
    await chmod(shared, 0o777)

    for (const repo of [shared, join(shared, 'own', 'repo'), join(shared, 'none', 'repo')]) {
      expect(() => { check(repo) }).toThrow(expect.objectContaining({
        name: 'RepoError', problem: 'unsafe-directory', place: shared, hint: expect.any(String)
      }))
    }

    await chmod(shared, 0o1777)
    expect(() => { check(join(shared, 'own', 'repo')) }).not.toThrow()
  })

  it('is refused if it is such a directory by a symlink, or the symlink is in one', async () => {
    const directory = await makeDirectory()
    const [shared, safe] = [join(directory, 'shared'), join(directory, 'safe')]
    await mkdir(join(shared, 'repo'), { recursive: true })
    await mkdir(join(safe, 'repo'), { recursive: true })
    await chmod(shared, 0o777)
    await symlink(join(shared, 'repo'), join(safe, 'link'))
    await symlink(safe, join(shared, 'link'))

    expect(() => { check(join(safe, 'link')) }).toThrow(expect.objectContaining({ place: shared }))
    expect(() => { check(join(shared, 'link', 'repo')) }).toThrow(expect.objectContaining({ place: shared }))
  })

  it('is taken if it is named as safe, and no other one', async () => {
    const directory = await makeDirectory()
    await chmod(directory, 0o777)
    const repo = join(directory, 'repo')

    for (const safe of ['*', repo, `${repo}/`]) {
      expect(() => { check(repo, { IPFSZ_SAFE_DIRECTORY: safe }) }).not.toThrow()
    }

    for (const safe of ['', directory, '/']) {
      expect(() => { check(repo, { IPFSZ_SAFE_DIRECTORY: safe }) })
        .toThrow(expect.objectContaining({ name: 'RepoError' }))
    }
  })

  it.skipIf(process.getuid?.() !== 0)('is taken by root in a volume of another user, as in a container', async () => {
    const directory = await makeDirectory()
    const volume = join(directory, 'volume')
    await mkdir(volume)
    await chown(volume, 1000, 1000)
    await using repo = await openRepo(join(volume, 'repo'))

    await expect(repo.add(BYTES)).resolves.toMatchObject({ codec: 'none' })
  })

  it('is refused by openRepo before anything is written', async () => {
    const directory = await makeDirectory()
    await chmod(directory, 0o777)

    await expect(openRepo(join(directory, 'repo'))).rejects.toMatchObject({ problem: 'unsafe-directory' })
    await expect(openRepo(join(directory, 'repo'), { create: false })).rejects
      .toMatchObject({ problem: 'unsafe-directory' })
    expect(await readdir(directory)).toEqual([])
  })
})
