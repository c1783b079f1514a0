import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { takeSlot } from '../src/cache/cache-slot.ts'
import { lockRepo } from '../src/repo/repo-lock.ts'
import type { CacheSlot } from '../src/cache/cache-slot.ts'

async function makeRepo (): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-cache-'))
  onTestFinished(async () => { await rm(directory, { recursive: true, force: true }) })

  return directory
}

async function take (repo: string): Promise<CacheSlot> {
  const slot = await takeSlot(repo)
  onTestFinished(slot.release)

  return slot
}

describe('the directory of a gateway that fetches', () => {
  it('is its own while it runs, and the next one has it again', async () => {
    const repo = await makeRepo()
    const [first, second] = [await take(repo), await take(repo)]

    expect(first.directory).toBe(join(repo, 'gateway-cache', '0'))
    expect(second.directory).toBe(join(repo, 'gateway-cache', '1'))
    await first.release()
    expect((await take(repo)).directory).toBe(first.directory)
  })

  it('stays its own if all of them are deleted', async () => {
    const repo = await makeRepo()
    await take(repo)
    await rm(join(repo, 'gateway-cache'), { recursive: true })

    expect((await take(repo)).directory).toBe(join(repo, 'gateway-cache', '1'))
  })

  it('is deleted with all that is in it when another gateway starts, and nothing else is', async () => {
    const repo = await makeRepo()
    const first = await take(repo)
    const unused = await take(repo)
    await mkdir(join(unused.directory, 'roots', 'a'), { recursive: true })
    await Promise.all(Array.from({ length: 100 }, async (_, i) =>
      writeFile(join(unused.directory, 'roots', 'a', String(i)), 'a')))
    await mkdir(join(repo, 'gateway-cache', 'mine'))
    await unused.release()
    await first.release()

    await take(repo)

    await expect.poll(async () => (await readdir(join(repo, 'gateway-cache'))).toSorted()).toEqual(['0', 'mine'])
  })

  it('keeps out neither adds nor garbage collections', async () => {
    const repo = await makeRepo()
    await take(repo)

    for (const kind of ['add', 'gc'] as const) {
      await (await lockRepo(repo, kind, new AbortController().signal, 0))()
    }
  })

  it('is refused in a repo that cannot be written to, with what to do', async () => {
    const repo = join(await makeRepo(), 'repo')
    await mkdir(repo)
    // nobody can make a directory of that name, not even root
    await writeFile(join(repo, 'gateway-cache'), '')

    await expect(takeSlot(repo)).rejects.toMatchObject({
      name: 'RepoError',
      message: expect.stringContaining('--cache none')
    })
    // and its lock is free
    await rm(join(repo, 'gateway-cache'))
    expect((await take(repo)).directory).toBe(join(repo, 'gateway-cache', '0'))
  })
})
