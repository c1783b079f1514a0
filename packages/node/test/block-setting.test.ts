import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it as base } from 'vitest'
import { beginBlockSetting, readBlockSetting, settingIn, writeBlockSetting } from '../src/blocks/block-setting.ts'
import { openRepo } from '../src/repo/repo.ts'

const it = base.extend<{ path: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads which fixtures are needed from the pattern
  path: async ({}, use) => {
    const path = await mkdtemp(join(tmpdir(), 'ipfsz-setting-'))
    await use(path)
    await rm(path, { recursive: true })
  }
})

describe('the setting of how a repo keeps its blocks', () => {
  it.for([
    { layout: 'files' as const, compression: { codec: 'zstd' as const, level: 7 } },
    { layout: 'files' as const },
    { layout: 'packs' as const },
    { layout: 'packs' as const, from: 'files' as const, compression: { codec: 'zstd' as const } },
    { layout: 'files' as const, from: 'packs' as const }
  ])('is read as it was written: %j', async (setting, { path }) => {
    await writeBlockSetting(path, setting)

    expect(await readBlockSetting(path)).toEqual(setting)
  })

  it('of earlier versions is one of files', async ({ path }) => {
    await writeFile(settingIn(path), '{"codec":"zstd"}\n')

    expect(await readBlockSetting(path)).toEqual({ layout: 'files', compression: { codec: 'zstd' } })
  })

  it.for([
    '', '{', 'null', '[]', '"packs"', '{"layout":"boxes"}', '{"layout":["packs"]}', '{"layout":"packs","from":"packs"}',
    '{"layout":"packs","from":"boxes"}', '{}',
    '{"layout":"files","codec":"zstd","level":"3"}', '{"codec":"zstd","level":99}'
  ])('refuses %s with a RepoError', async (text, { path }) => {
    await writeFile(settingIn(path), text)

    await expect(readBlockSetting(path)).rejects.toMatchObject({ name: 'RepoError' })
    await expect(openRepo(path)).rejects.toMatchObject({ name: 'RepoError' })
  })

  it('refuses a file of gigabytes', async ({ path }) => {
    await writeFile(settingIn(path), '')
    await truncate(settingIn(path), 4 * 1024 ** 3)

    await expect(readBlockSetting(path)).rejects.toMatchObject({ name: 'RepoError' })
  })

  it('is that of the first of several processes that make the repo', async ({ path }) => {
    const layouts = ['packs', 'files', 'packs', 'files'] as const
    const settings = await Promise.all(layouts.map(async layout => beginBlockSetting(path, { layout })))
    const [{ layout }] = settings

    expect(settings.every(setting => setting.layout === layout)).toBe(true)
    expect(await readdir(path)).toEqual(['blockstore.json'])
  })
})

describe('openRepo', () => {
  it.for(['files', 'packs'] as const)('makes a repo of %s', async (layout, { path }) => {
    const repo = join(path, 'repo')
    await (await openRepo(repo, { layout })).close()

    expect(await readBlockSetting(repo)).toMatchObject({ layout })
    expect(await readdir(join(repo, 'blocks'))).toEqual([])
  })

  it('leaves a repo as it is', async ({ path }) => {
    await (await openRepo(path, { layout: 'packs' })).close()
    await (await openRepo(path, { layout: 'files' })).close()

    expect(String(await readFile(settingIn(path)))).toBe('{"layout":"packs"}\n')
  })

  it('takes a repo of files from before there were settings for what it is', async ({ path }) => {
    await (await openRepo(path, { layout: 'files' })).close()
    await rm(settingIn(path))

    expect((await openRepo(path, { layout: 'packs' })).packs).toBeUndefined()
  })
})
