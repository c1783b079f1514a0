import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Key } from 'interface-datastore'
import { expect, it as base } from 'vitest'
import { LinkStore, linksIn } from '../src/repo/link-store.ts'

const { signal } = new AbortController()
const KEY = new Key('/ipfsz/links/original/a')

const it = base.extend<{ repo: string }>({
  async repo ({}, use) { // eslint-disable-line no-empty-pattern
    const repo = await mkdtemp(join(tmpdir(), 'ipfsz-links-'))

    await use(repo)
    await rm(repo, { recursive: true })
  }
})

it('refuses links that another process uses for too long', async ({ repo }) => {
  const [holder, other] = [60_000, -1].map(timeout => new LinkStore(linksIn(repo), { writes: true, signal, timeout }))

  await holder.change(async () => {
    await expect(other.put(KEY, Uint8Array.of(1))).rejects.toMatchObject({
      name: 'RepoLockedError',
      pid: undefined,
      file: join(linksIn(repo), 'LOCK'),
      cause: expect.any(Error)
    })
  })
  await holder.close()
})

it('refuses links that are no database', async ({ repo }) => {
  await mkdir(linksIn(repo))
  await writeFile(join(linksIn(repo), 'CURRENT'), 'no manifest')

  await expect(new LinkStore(linksIn(repo), { writes: true, signal }).get(KEY))
    .rejects.toMatchObject({ name: 'LinksError', cause: expect.any(Error) })
})
