import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readDaemonFile, removeDaemonFile, writeDaemonFile } from '../src/daemon/daemon-file.ts'
import { lockDaemon } from '../src/daemon/daemon-lock.ts'
import { HOST, newLockName } from '../src/lock-files.ts'

const { signal } = new AbortController()
const ADDRESS = { pid: process.pid, port: 4711, token: 'f'.repeat(64) }
/** No process has it: pids are at most 2^22 (proc_sys_kernel(5)). */
const DEAD = 2 ** 22 + 1

async function makeRepo (): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-daemon-'))
  onTestFinished(async () => { await rm(directory, { recursive: true }) })

  return directory
}

describe('the file of a daemon', () => {
  it('says how to reach it, to nobody but its owner', async () => {
    const repo = await makeRepo()

    await writeDaemonFile(repo, ADDRESS)

    await expect(readDaemonFile(repo)).resolves.toEqual(ADDRESS)
    expect((await stat(join(repo, 'daemon.json'))).mode & 0o777).toBe(0o600)
    expect(await readdir(repo)).toEqual(['daemon.json'])
  })

  it('is gone when it has ended', async () => {
    const repo = await makeRepo()

    await writeDaemonFile(repo, ADDRESS)
    await removeDaemonFile(repo)

    await expect(readDaemonFile(repo)).resolves.toBeUndefined()
  })

  it.each<[string, object]>([
    ['of a process that was killed', { pid: DEAD }],
    ['of a process whose id another has now', { start: '1' }],
    ['of another machine', { host: '00' }],
    ['of another version', { version: 2 }],
    ['without a token', { token: undefined }],
    ['with a port that is none', { port: '4711' }]
  ])('is none: %s', async (_, change) => {
    const repo = await makeRepo()
    await writeDaemonFile(repo, ADDRESS)
    const file = join(repo, 'daemon.json')

    await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')) as object, ...change }))

    await expect(readDaemonFile(repo)).resolves.toBeUndefined()
  })

  it.each(['', '{', 'null', '[]', '"text"'])('is none: %j', async content => {
    const repo = await makeRepo()
    await writeFile(join(repo, 'daemon.json'), content)

    await expect(readDaemonFile(repo)).resolves.toBeUndefined()
  })
})

describe('the lock of a daemon', () => {
  it('refuses a second one, and names the first', async () => {
    const repo = await makeRepo()
    const release = await lockDaemon(repo, signal)

    await expect(lockDaemon(repo, signal)).rejects.toMatchObject({ name: 'DaemonRunningError', pid: process.pid })
    await release()
    await (await lockDaemon(repo, signal))()

    expect(await readdir(join(repo, 'locks'))).toEqual([])
  })

  it('is not held by a process that was killed', async () => {
    const repo = await makeRepo()
    await (await lockDaemon(repo, signal))()
    await writeFile(join(repo, 'locks', newLockName('daemon').replace(String(process.pid), String(DEAD))), '')

    await (await lockDaemon(repo, signal))()

    expect(await readdir(join(repo, 'locks'))).toEqual([])
  })

  it('is held by one of many that want it at one time', async () => {
    const repo = await makeRepo()

    const results = await Promise.allSettled(Array.from({ length: 6 }, async () => lockDaemon(repo, signal)))

    expect(results.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1)
    // who did not get it gave way
    expect(await readdir(join(repo, 'locks'))).toHaveLength(results.filter(({ status }) => status === 'fulfilled').length)
  })

  it('keeps to itself what other machines hold', async () => {
    const repo = await makeRepo()
    await (await lockDaemon(repo, signal))()
    await writeFile(join(repo, 'locks', newLockName('daemon').replace(HOST, '6f74686572')), '')

    await expect(lockDaemon(repo, signal)).rejects.toMatchObject({ name: 'DaemonRunningError' })
  })
})
