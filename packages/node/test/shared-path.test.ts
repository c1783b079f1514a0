import { execFile } from 'node:child_process'
import { chmod, chown, lchown, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeRepoDirectory } from '../src/disk/repo-directory.ts'
import { checkNotShared } from '../src/disk/shared-path.ts'
import { openRepo } from '../src/handle/open-repo.ts'
import type { Environment } from '../src/paths.ts'

const STRANGER = 1000

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

  describe.skipIf(process.getuid?.() !== 0)('of another user', () => {
    it('is refused in, below and as a directory of that user, root included', async () => {
      const directory = await makeDirectory()
      const home = join(directory, 'home')
      await mkdir(join(home, 'own', 'repo'), { recursive: true })
      await chown(home, STRANGER, STRANGER)

      for (const repo of [home, join(home, 'repo'), join(home, 'own', 'repo')]) {
        expect(() => { check(repo) }).toThrow(expect.objectContaining({
          name: 'RepoError', problem: 'unsafe-directory', place: home
        }))
        expect(() => { check(repo, { IPFSZ_SAFE_DIRECTORY: repo }) }).not.toThrow()
        expect(() => { check(repo, { SUDO_UID: String(STRANGER) }) }).not.toThrow()
        expect(() => { check(repo, { SUDO_UID: '1' }) }).toThrow(expect.objectContaining({ place: home }))
      }
    })

    it('is refused through a symlink of that user, or one in a directory of that user', async () => {
      const directory = await makeDirectory()
      const [sticky, home, safe] = [join(directory, 'sticky'), join(directory, 'home'), join(directory, 'safe')]
      await Promise.all([mkdir(sticky), mkdir(home), mkdir(join(safe, 'repo'), { recursive: true })])
      await chmod(sticky, 0o1777)
      await symlink('../safe/repo', join(sticky, 'link'))
      await lchown(join(sticky, 'link'), STRANGER, STRANGER)
      await symlink('../safe', join(home, 'link'))
      await chown(home, STRANGER, STRANGER)
      // neither its path nor where it leads shows the directory between
      await symlink('../home/link/repo', join(safe, 'link'))
      await symlink(join(safe, 'loop'), join(safe, 'loop'))

      expect(() => { check(join(sticky, 'link')) }).toThrow(expect.objectContaining({ place: join(sticky, 'link') }))
      expect(() => { check(join(safe, 'link')) }).toThrow(expect.objectContaining({ place: home }))
      expect(() => { check(join(safe, 'loop', 'repo')) }).not.toThrow()
    })

    it('is taken in a user namespace that does not know the owner, who may be root', async () => {
      const directory = await makeDirectory()
      await chown(directory, STRANGER, STRANGER)
      const module = new URL('../src/disk/shared-path.ts', import.meta.url).href
      const inNamespace = promisify(execFile)('unshare', [
        '--user', '--map-root-user', process.execPath, '--input-type=module', '--eval',
        "const [, module, repo] = process.argv; (await import(module)).checkNotShared(repo, { env: {}, cwd: '/' })",
        module, join(directory, 'repo')
      ])

      await expect(inNamespace).resolves.toMatchObject({ stderr: '' })
    })

    it('is refused if that user has its name when it is made', async () => {
      const repo = join(await makeDirectory(), 'repo')
      await symlink('none', repo)
      await lchown(repo, STRANGER, STRANGER)

      await expect(makeRepoDirectory(repo)).rejects.toMatchObject({ name: 'RepoError', problem: 'replaced' })
    })
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
