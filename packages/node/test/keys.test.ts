import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isKeyName, loadKey, loadOrCreateKey } from '../src/network/names/keys.ts'

async function makeRepo (): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-keys-'))
  onTestFinished(async () => { await rm(directory, { recursive: true }) })

  return directory
}

describe('a key of a repo', () => {
  it('is created once, and only its owner can read it', async () => {
    const repo = await makeRepo()

    await expect(loadKey(repo, 'self')).resolves.toBeUndefined()
    const made = await loadOrCreateKey(repo, 'self')
    const loaded = await loadKey(repo, 'self')

    expect(loaded?.equals(made)).toBe(true)
    expect((await stat(join(repo, 'keys'))).mode & 0o777).toBe(0o700)
    expect((await stat(join(repo, 'keys', 'self'))).mode & 0o777).toBe(0o600)
    expect(await readdir(join(repo, 'keys'))).toEqual(['self'])
  })

  it('is the same for all callers that create it at once', async () => {
    const repo = await makeRepo()

    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, async () => loadOrCreateKey(repo, 'self')))

    expect(others.every(other => other.equals(first))).toBe(true)
  })

  it.each(['', '..', 'a/b', '../self', 'a b', 'x'.repeat(65)])('is refused under the name %j', async name => {
    await expect(loadOrCreateKey(await makeRepo(), name)).rejects.toMatchObject({ name: 'UsageError' })
  })

  it('is refused when its file does not hold a key', async () => {
    const repo = await makeRepo()
    await loadOrCreateKey(repo, 'self')
    await writeFile(join(repo, 'keys', 'other'), 'no key')

    await expect(loadKey(repo, 'other')).rejects.toMatchObject({ name: 'NodeError' })
  })

  it('has no name that Windows takes for a device, there', () => {
    expect(['con', 'COM1', 'nul', 'constant'].filter(name => isKeyName(name, 'win32'))).toEqual(['constant'])
    expect(isKeyName('con', 'linux')).toBe(true)
  })
})
