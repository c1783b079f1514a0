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
  it('gives several add locks at once', async ({ repo }) => {
    const lock = async (): ReturnType<typeof lockRepo> => lockRepo(repo, 'add', signal, { timeout: 0 })
    const releases = [await lock(), await lock()]

    expect(await locks(repo)).toHaveLength(2)
    await Promise.all(releases.map(async release => release()))
    expect(await locks(repo)).toEqual([])
  })

  it.for(
    ['add', 'gc'] as const
  )('refuses a gc lock while there is one for %s, and the other way round', async (kind, { repo }) => {
    const release = await lockRepo(repo, kind, signal)

    await expect(lockRepo(repo, 'gc', signal, { timeout: -1 }))
      .rejects.toMatchObject({ name: 'RepoLockedError', pid: process.pid })
    expect(await locks(repo)).toHaveLength(1)
    await release()

    const collecting = await lockRepo(repo, 'gc', signal, { timeout: -1 })
    await expect(lockRepo(repo, kind, signal, { timeout: -1 }))
      .rejects.toMatchObject({ name: 'RepoLockedError', pid: process.pid })
    await collecting()
    expect(await locks(repo)).toEqual([])
  })

  it('waits until the other locks are released', async ({ repo }) => {
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

  it('waits as long as the others live, and says once for whom', async ({ repo }) => {
    const release = await lockRepo(repo, 'add', signal)
    const told: unknown[] = []
    const waiting = lockRepo(repo, 'gc', signal, { onWaiting: holder => { told.push(holder) } })
    await vi.waitUntil(() => told.length > 0, { timeout: 5000 })
    await release()
    await (await waiting)()

    expect(told).toMatchObject([{ kind: 'add', pid: process.pid, host: hostname() }])
  })

  it('gives a lock to one garbage collection at a time, however many wait for it', async ({ repo }) => {
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

  it('creates no add lock while it waits for gc, so that many adds cannot keep gc from starting', async ({
    repo
  }) => {
    const release = await lockRepo(repo, 'gc', signal)
    const [name] = await locks(repo)
    const made: Array<string | null> = []
    const watcher = watch(join(repo, 'locks'), (_, file) => { made.push(file) })

    // long enough to look several times
    await expect(lockRepo(repo, 'add', signal, { timeout: 300 })).rejects.toMatchObject({ name: 'RepoLockedError' })

    await vi.waitFor(() => { expect(made.length).toBeGreaterThanOrEqual(2) }, { timeout: 120_000 })
    watcher.close()
    expect(new Set(made).size).toBe(1)
    expect(await locks(repo)).toEqual([name])
    await release()
  })

  it('refuses a repo that is a file, or whose directory of locks is a file', async ({ repo }) => {
    await writeFile(join(repo, 'locks'), '')

    await expect(lockRepo(repo, 'add', signal))
      .rejects.toMatchObject({ name: 'RepoError', cause: { syscall: expect.any(String) } })
    await expect(lockRepo(join(repo, 'locks'), 'add', signal))
      .rejects.toMatchObject({ name: 'RepoError', message: expect.stringContaining('is a file, not a directory') })
  })

  it('stops waiting when it is aborted, and leaves no lock', async ({ repo }) => {
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

    await expect(lockRepo(repo, 'gc', signal, { timeout: -1 })).rejects.toMatchObject({
      name: 'RepoLockedError',
      pid: process.pid,
      host: hostname(),
      file: join(repo, 'locks', name)
    })
    await release()
  })

  it.for([
    ['a killed process', `add-${process.pid}-6f74686572-${randomUUID()}`],
    ['a killed conversion', `convert-${process.pid}-6f74686572-${randomUUID()}`],
    ['a killed daemon', `daemon-${process.pid}-6f74686572-${randomUUID()}`],
    ['an older version, with a start time', `add-${process.pid}-1234-6f74686572-${randomUUID()}`],
    ['an older version, without a start time', `gc-1--6f74686572-${randomUUID()}`]
  ] as const)('deletes a lock left by %s, whatever it contains', async ([, name], { repo }) => {
    for (const content of ['', 'no database']) {
      await (await lockRepo(repo, 'add', signal))()
      await writeFile(join(repo, 'locks', name), content)

      await (await lockRepo(repo, 'gc', signal, { timeout: -1 }))()

      expect(await locks(repo)).toEqual([])
    }
  })

  it('keeps files that are not locks', async ({ repo }) => {
    await (await lockRepo(repo, 'add', signal))()
    await writeFile(join(repo, 'locks', 'gc-notes.txt'), '')

    await (await lockRepo(repo, 'gc', signal, { timeout: -1 }))()

    expect(await locks(repo)).toEqual(['gc-notes.txt'])
  })
})
