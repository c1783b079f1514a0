import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it as base } from 'vitest'
import { startOf } from '../src/process-lives.ts'
import { lockRepo } from '../src/repo-lock.ts'

const { signal } = new AbortController()
/** Greater than any process has (pid_max of Linux is at most 4194304). */
const NOBODY = 99_999_999

const it = base.extend<{ repo: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads which fixtures are needed from the pattern
  repo: async ({}, use) => {
    const repo = await mkdtemp(join(tmpdir(), 'ipfsz-lock-'))
    await use(repo)
    await rm(repo, { recursive: true })
  }
})

async function locks (repo: string): Promise<string[]> {
  return readdir(join(repo, 'locks'))
}

/** Make a lock as another process would, by its own with parts of the name changed. */
async function lockOf (repo: string, change: (parts: string[]) => string[]): Promise<void> {
  const release = await lockRepo(repo, 'add', signal)
  const [name] = await locks(repo)
  await release()
  await writeFile(join(repo, 'locks', change(name.split('-')).join('-')), '')
}

describe('lockRepo', () => {
  it('lets several add at one time', async ({ repo }) => {
    const releases = [await lockRepo(repo, 'add', signal, 0), await lockRepo(repo, 'add', signal, 0)]

    expect(await locks(repo)).toHaveLength(2)
    await Promise.all(releases.map(async release => release()))
    expect(await locks(repo)).toEqual([])
  })

  it.for(['add', 'gc'] as const)('refuses a collection while there is a lock to %s, and the other way round', async (kind, { repo }) => {
    const release = await lockRepo(repo, kind, signal)

    await expect(lockRepo(repo, 'gc', signal, -1)).rejects.toMatchObject({ name: 'RepoLockedError', pid: process.pid })
    expect(await locks(repo)).toHaveLength(1)
    await release()

    const collecting = await lockRepo(repo, 'gc', signal, -1)
    await expect(lockRepo(repo, kind, signal, -1)).rejects.toMatchObject({ name: 'RepoLockedError', pid: process.pid })
    await collecting()
    expect(await locks(repo)).toEqual([])
  })

  it('waits until the others are done', async ({ repo }) => {
    const order: string[] = []
    const release = await lockRepo(repo, 'add', signal)
    const collecting = (async () => {
      const end = await lockRepo(repo, 'gc', signal)
      order.push('gc')
      await end()
    })()
    order.push('add')
    await release()
    await collecting

    expect(order).toEqual(['add', 'gc'])
  })

  it('gives a lock to one collection after another, however many want one', async ({ repo }) => {
    let running = 0

    await Promise.all(Array.from({ length: 5 }, async () => {
      const release = await lockRepo(repo, 'gc', signal)
      expect(++running).toBe(1)
      await readdir(repo)
      running--
      await release()
    }))

    expect(await locks(repo)).toEqual([])
  })

  it('refuses a repo that is none, or that cannot be written to', async ({ repo }) => {
    await writeFile(join(repo, 'locks'), '')

    for (const path of [repo, join(repo, 'locks')]) {
      await expect(lockRepo(path, 'add', signal)).rejects.toMatchObject({ name: 'RepoError', cause: { syscall: expect.any(String) } })
    }
  })

  it('ends with the signal while it waits, and leaves nothing', async ({ repo }) => {
    const controller = new AbortController()
    const release = await lockRepo(repo, 'add', signal)
    const waiting = lockRepo(repo, 'gc', controller.signal)
    controller.abort()

    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
    await release()
    expect(await locks(repo)).toEqual([])
  })

  it('deletes the locks of processes that have ended, also where another has their id', async ({ repo }) => {
    await lockOf(repo, ([kind, , ...rest]) => [kind, String(NOBODY), ...rest])
    await (await lockRepo(repo, 'gc', signal, -1))()
    expect(await locks(repo)).toEqual([])

    if (startOf(process.pid) !== '') {
      await lockOf(repo, ([kind, pid, , ...rest]) => [kind, pid, '1', ...rest])
      await (await lockRepo(repo, 'gc', signal, -1))()
      expect(await locks(repo)).toEqual([])
    }
  })

  it('believes the locks of other machines', async ({ repo }) => {
    await lockOf(repo, ([kind, , start, , ...rest]) => [kind, String(NOBODY), start, 'ff', ...rest])

    await expect(lockRepo(repo, 'gc', signal, -1)).rejects.toMatchObject({ name: 'RepoLockedError', pid: NOBODY })
  })
})
