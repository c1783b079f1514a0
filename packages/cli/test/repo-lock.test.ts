import { randomUUID } from 'node:crypto'
import { watch } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it as base, vi } from 'vitest'
import { lockRepo } from '../src/repo/repo-lock.ts'

const { signal } = new AbortController()

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

describe('lockRepo', () => {
  it('lets several add at one time', async ({ repo }) => {
    const releases = [await lockRepo(repo, 'add', signal, 0), await lockRepo(repo, 'add', signal, 0)]

    expect(await locks(repo)).toHaveLength(2)
    await Promise.all(releases.map(async release => release()))
    expect(await locks(repo)).toEqual([])
  })

  it.for(
    ['add', 'gc'] as const
  )('refuses a collection while there is a lock to %s, and the other way round', async (kind, { repo }) => {
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

  it('makes no locks while it waits for a collection, so that many who add do not keep it from beginning', async ({
    repo
  }) => {
    const release = await lockRepo(repo, 'gc', signal)
    const [name] = await locks(repo)
    const made: Array<string | null> = []
    const watcher = watch(join(repo, 'locks'), (_, file) => { made.push(file) })

    // it looks some times
    await expect(lockRepo(repo, 'add', signal, 300)).rejects.toMatchObject({ name: 'RepoLockedError' })

    await vi.waitFor(() => { expect(made.length).toBeGreaterThanOrEqual(2) }, { timeout: 120_000 })
    watcher.close()
    expect(new Set(made).size).toBe(1)
    expect(await locks(repo)).toEqual([name])
    await release()
  })

  it('refuses a repo that is none, or that cannot be written to', async ({ repo }) => {
    await writeFile(join(repo, 'locks'), '')

    for (const path of [repo, join(repo, 'locks')]) {
      await expect(lockRepo(path, 'add', signal))
        .rejects.toMatchObject({ name: 'RepoError', cause: { syscall: expect.any(String) } })
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

  it('names the holder of the lock and its file', async ({ repo }) => {
    const release = await lockRepo(repo, 'add', signal)
    const [name] = await locks(repo)

    await expect(lockRepo(repo, 'gc', signal, -1)).rejects.toMatchObject({
      name: 'RepoLockedError',
      pid: process.pid,
      host: hostname(),
      file: join(repo, 'locks', name)
    })
    await release()
  })

  it.for([
    ['a process that was killed', `add-${process.pid}-6f74686572-${randomUUID()}`],
    ['a conversion that was killed', `convert-${process.pid}-6f74686572-${randomUUID()}`],
    ['a daemon that was killed', `daemon-${process.pid}-6f74686572-${randomUUID()}`],
    ['an older version, on this machine', `add-${process.pid}-1234-6f74686572-${randomUUID()}`],
    ['an older version, where no process says when it began', `gc-1--6f74686572-${randomUUID()}`]
  ] as const)('deletes the lock that was left by %s, whatever is in it', async ([, name], { repo }) => {
    for (const content of ['', 'no database']) {
      await (await lockRepo(repo, 'add', signal))()
      await writeFile(join(repo, 'locks', name), content)

      await (await lockRepo(repo, 'gc', signal, -1))()

      expect(await locks(repo)).toEqual([])
    }
  })

  it('leaves alone what is no lock', async ({ repo }) => {
    await (await lockRepo(repo, 'add', signal))()
    await writeFile(join(repo, 'locks', 'gc-notes.txt'), '')

    await (await lockRepo(repo, 'gc', signal, -1))()

    expect(await locks(repo)).toEqual(['gc-notes.txt'])
  })
})
