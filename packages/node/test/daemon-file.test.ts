import { randomUUID } from 'node:crypto'
import { link, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readDaemonFile, removeDaemonFile, writeDaemonFile } from '../src/daemon/daemon-file.ts'
import { lockDaemon, lockOutDaemons } from '../src/daemon/daemon-lock.ts'
import type { OwnLock } from '../src/locks/lock-files.ts'

const { signal } = new AbortController()
const ADDRESS = { pid: process.pid, port: 4711, token: 'f'.repeat(64) }

async function makeRepo (): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-daemon-'))
  onTestFinished(async () => { await rm(directory, { recursive: true }) })

  return directory
}

/** Take the lock and write the file, as the daemon of a repo does. */
async function beDaemon (repo: string): Promise<OwnLock> {
  const lock = await lockDaemon(repo, signal)
  onTestFinished(lock.release)
  await writeDaemonFile(repo, ADDRESS, lock.name)

  return lock
}

describe('the file of a daemon', () => {
  it('says how to reach the daemon, and only its owner can read it', async () => {
    const repo = await makeRepo()

    await beDaemon(repo)

    await expect(readDaemonFile(repo)).resolves.toEqual(ADDRESS)
    expect((await stat(join(repo, 'daemon.json'))).mode & 0o777).toBe(0o600)
    expect(await readdir(repo)).toEqual(['daemon.json', 'locks'])
  })

  it('is gone once it is removed', async () => {
    const repo = await makeRepo()

    await beDaemon(repo)
    await removeDaemonFile(repo)

    await expect(readDaemonFile(repo)).resolves.toBeUndefined()
  })

  it.each<[string, object]>([
    ['of another machine, or of a container with its own network', {
      loopback: '4b0a0c3e-0000-0000-0000-000000000000 net:[1]'
    }],
    ['of another version', { version: 1 }],
    ['without a lock', { lock: undefined }],
    ['with a lock that is gone', { lock: `daemon-1-00-${randomUUID()}` }],
    ['with a lock outside the directory of locks', { lock: '../locks/held' }],
    ['without a token', { token: undefined }],
    ['with a port that is not a number', { port: '4711' }]
  ])('is ignored if it is %s', async (_, change) => {
    const repo = await makeRepo()
    const lock = await beDaemon(repo)
    await expect(readDaemonFile(repo)).resolves.toEqual(ADDRESS)
    await link(join(repo, 'locks', lock.name), join(repo, 'locks', 'held'))
    const file = join(repo, 'daemon.json')

    await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')) as object, ...change }))

    await expect(readDaemonFile(repo)).resolves.toBeUndefined()
  })

  it('is ignored after its process released the lock or was killed', async () => {
    const repo = await makeRepo()
    const lock = await beDaemon(repo)

    await lock.release()
    await expect(readDaemonFile(repo)).resolves.toBeUndefined()
    await writeFile(join(repo, 'locks', lock.name), '')
    await expect(readDaemonFile(repo)).resolves.toBeUndefined()
  })

  it.each(['', '{', 'null', '[]', '"text"'])('is ignored if it contains %j', async content => {
    const repo = await makeRepo()
    await writeFile(join(repo, 'daemon.json'), content)

    await expect(readDaemonFile(repo)).resolves.toBeUndefined()
  })
})

describe('the lock of a daemon', () => {
  it('refuses a second daemon, and names the first and its lock', async () => {
    const repo = await makeRepo()
    const lock = await lockDaemon(repo, signal)

    await expect(lockDaemon(repo, signal)).rejects.toMatchObject({
      name: 'DaemonRunningError',
      pid: process.pid,
      host: hostname(),
      file: join(repo, 'locks', lock.name)
    })
    await lock.release()
    await (await lockDaemon(repo, signal)).release()

    expect(await readdir(join(repo, 'locks'))).toEqual([])
  })

  it('refuses a repo that cannot be written to, as every other lock does', async () => {
    const repo = await makeRepo()
    await writeFile(join(repo, 'locks'), '')

    const refusal = { name: 'RepoError', cause: { code: 'EEXIST' } }
    await expect(lockDaemon(repo, signal)).rejects.toMatchObject(refusal)
    await expect(lockOutDaemons(repo)).rejects.toMatchObject(refusal)
  })

  it.each([
    ['that was killed', `daemon-${process.pid}-6f74686572-${randomUUID()}`],
    ['of an older version, on any machine', `daemon-1-77-6f74686572-${randomUUID()}`]
  ])('is not held by a process %s', async (_, name) => {
    const repo = await makeRepo()
    await (await lockDaemon(repo, signal)).release()
    await writeFile(join(repo, 'locks', name), '')

    await (await lockDaemon(repo, signal)).release()

    expect(await readdir(join(repo, 'locks'))).toEqual([])
  })

  it('is held by at most one of many daemons that want it at once', async () => {
    const repo = await makeRepo()

    const results = await Promise.allSettled(Array.from({ length: 6 }, async () => lockDaemon(repo, signal)))

    expect(results.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1)
    // the others deleted their lock files
    expect(await readdir(join(repo, 'locks')))
      .toHaveLength(results.filter(({ status }) => status === 'fulfilled').length)
  })
})
