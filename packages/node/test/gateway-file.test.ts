import { randomUUID } from 'node:crypto'
import { link, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { announceGateway, findGateway } from '../src/gateway/gateway-file.ts'
import { lockRepo } from '../src/repo/repo-lock.ts'

const URL = 'http://127.0.0.1:8080'
const { signal } = new AbortController()

async function makeRepo (): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-gateway-'))
  onTestFinished(async () => { await rm(directory, { recursive: true }) })

  return directory
}

async function announce (repo: string, url = URL): Promise<() => Promise<void>> {
  const remove = await announceGateway(repo, url) ?? expect.fail('it was not announced')
  onTestFinished(remove)

  return remove
}

describe('the file of a gateway', () => {
  it('says where the gateway is, until it stops', async () => {
    const repo = await makeRepo()
    await expect(findGateway(repo)).resolves.toBeUndefined()

    const remove = await announce(repo)

    await expect(findGateway(repo)).resolves.toBe(URL)
    await remove()
    await expect(findGateway(repo)).resolves.toBeUndefined()
    expect(await readdir(repo)).toEqual(['locks'])
    expect(await readdir(join(repo, 'locks'))).toEqual([])
  })

  it('is that of the last gateway that started, which the others do not remove', async () => {
    const repo = await makeRepo()
    const first = await announce(repo)
    const second = await announce(repo, 'http://[::1]:81')

    await expect(findGateway(repo)).resolves.toBe('http://[::1]:81')
    await first()
    await expect(findGateway(repo)).resolves.toBe('http://[::1]:81')
    await second()
    await expect(findGateway(repo)).resolves.toBeUndefined()
  })

  it('keeps out neither adds nor garbage collections', async () => {
    const repo = await makeRepo()
    await announce(repo)

    for (const kind of ['add', 'gc'] as const) {
      await (await lockRepo(repo, kind, signal, { timeout: 0 }))()
    }

    await expect(findGateway(repo)).resolves.toBe(URL)
  })

  it.each<[string, object]>([
    ['of another machine, or of a container with its own network', { loopback: 'boot net:[1]' }],
    ['of another version', { version: 2 }],
    ['without a lock', { lock: undefined }],
    ['with a lock that is gone', { lock: `gateway-1-00-${randomUUID()}` }],
    ['with a lock outside the directory of locks', { lock: '../locks/held' }],
    ['with another kind of URL', { url: 'javascript:alert(1)' }],
    ['with control characters in its URL', { url: 'http://a\n:80' }],
    ['with a URL that is too long', { url: `http://${'a'.repeat(600)}:80` }],
    ['with a URL that is not text', { url: 80 }]
  ])('is ignored if it is %s', async (_, change) => {
    const repo = await makeRepo()
    await announce(repo)
    const file = join(repo, 'gateway.json')
    const content = JSON.parse(await readFile(file, 'utf8')) as { lock: string }
    await link(join(repo, 'locks', content.lock), join(repo, 'locks', 'held'))

    await writeFile(file, JSON.stringify({ ...content, ...change }))

    await expect(findGateway(repo)).resolves.toBeUndefined()
  })

  it('is ignored once its process has ended', async () => {
    const repo = await makeRepo()
    const remove = await announce(repo)
    const file = join(repo, 'gateway.json')
    const left = await readFile(file)
    const { lock } = JSON.parse(left.toString()) as { lock: string }
    await remove()

    await writeFile(file, left)
    await writeFile(join(repo, 'locks', lock), '')

    await expect(findGateway(repo)).resolves.toBeUndefined()
  })

  it.each(['', '{', 'null', '[]', '"text"'])('is ignored if it contains %j', async content => {
    const repo = await makeRepo()
    await writeFile(join(repo, 'gateway.json'), content)

    await expect(findGateway(repo)).resolves.toBeUndefined()
  })
})
