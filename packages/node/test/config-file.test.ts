import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { changeConfig, readConfig } from '../src/config/index.ts'
import { holdFile } from '../src/locks/kernel-lock.ts'

let repo: string

beforeEach(async () => {
  repo = await mkdtemp(join(tmpdir(), 'ipfsz-config-'))
})

afterEach(async () => {
  await rm(repo, { recursive: true })
})

describe('the settings of a repo', () => {
  it('keep every one of many changes at once', async () => {
    const keys = Array.from({ length: 20 }, (_, index) => `key-${index}`)
    await Promise.all(keys.map(async key => changeConfig(repo, config => ({ ...config, [key]: true }))))

    expect(Object.keys(await readConfig(repo)).toSorted()).toEqual(keys.toSorted())
  })

  it('are not called damaged if the repo cannot be entered', async () => {
    await symlink('loop', join(repo, 'loop'))
    await expect(readConfig(join(repo, 'loop'))).rejects.toMatchObject({ name: 'RepoError', cause: { code: 'ELOOP' } })

    const closed = join(repo, 'closed')
    await mkdir(closed)
    await writeFile(join(closed, 'config.json'), '{')
    await expect(readConfig(closed)).rejects.toMatchObject({ name: 'ConfigError' })
    await chmod(closed, 0)

    // root may enter it
    await expect(readConfig(closed)).rejects
      .toMatchObject({ name: process.getuid?.() === 0 ? 'ConfigError' : 'RepoError' })
    await chmod(closed, 0o700)
  })

  it('can be changed again after a change that failed', async () => {
    await expect(changeConfig(repo, () => { throw new Error('no') })).rejects.toThrow('no')
    await changeConfig(repo, () => ({ key: 1 }))

    expect(await readConfig(repo)).toEqual({ key: 1 })
  })

  it('wait for another change until they are aborted', async () => {
    await changeConfig(repo, () => ({}))
    const release = holdFile(join(repo, 'locks/config'))
    expect(release).toBeDefined()

    await expect(changeConfig(repo, () => ({ key: 1 }), AbortSignal.timeout(100))).rejects
      .toMatchObject({ name: 'TimeoutError' })
    expect(await readConfig(repo)).toEqual({})
    release?.()
  })
})
