import { mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { CID } from 'multiformats/cid'
import { describe, expect } from 'vitest'
import { text } from '../support/data.ts'
import { HostileRepo } from './hostile-directory.ts'
import { expectFailure, expectSuccess, it } from './run-cli.ts'
import { addTree, makeTree, readTree } from './tree-files.ts'

describe.concurrent('a hostile tree', () => {
  it.for<[string, string[]]>([
    ['the name ..', ['..']],
    ['the name .', ['.']],
    ['an empty name', ['']],
    ['a path as a name', ['a/b']],
    ['an absolute path as a name', ['/tmp/ipfsz-hostile']],
    ['a path that leads out as a name', ['../../ipfsz-hostile']],
    ['NUL in a name', ['a\0b']],
    ['two entries of the same name', ['a', 'a']]
  ])('with %s is refused, and nothing is written', async ([, names], { sandbox }) => {
    await sandbox.add(text(10))
    const repo = new HostileRepo(sandbox.repo)
    const entries = await Promise.all(names.map(async (name, i) => [name, await repo.file(`evil ${i}`)] as const))
    const cid = await repo.directory([['sub', await repo.directory([['fine', await repo.file('fine')], ...entries])]])

    const result = await sandbox.run(['get', cid.toString(), '-o', 'out'])

    expectFailure(result, 1)
    expect(await readdir(sandbox.directory)).toEqual(['repo'])
  })

  it('with a symlink and a directory of the same name is refused', async ({ sandbox }) => {
    await sandbox.add(text(10))
    await mkdir(join(sandbox.directory, 'victim'))
    const repo = new HostileRepo(sandbox.repo)
    const below = await repo.directory([['file', await repo.file('evil')]])
    const cid = await repo.directory([['x', await repo.symlink(join(sandbox.directory, 'victim'))], ['x', below]])

    expectFailure(await sandbox.run(['get', cid.toString(), '-o', 'out']), 1)
    expect(await readdir(join(sandbox.directory, 'victim'))).toEqual([])
    expect((await readdir(sandbox.directory)).toSorted()).toEqual(['repo', 'victim'])
  })

  it('with a symlink to an invalid path is refused', async ({ sandbox }) => {
    await sandbox.add(text(10))
    const repo = new HostileRepo(sandbox.repo)

    for (const link of ['', 'a\0b']) {
      const cid = await repo.directory([['x', await repo.symlink(link)]])

      expectFailure(await sandbox.run(['get', cid.toString(), '-o', 'out']), 1)
      expect(await readdir(sandbox.directory)).toEqual(['repo'])
    }
  })

  it('is refused when one of its blocks is missing', async ({ sandbox }) => {
    await sandbox.add(text(10))
    const repo = new HostileRepo(sandbox.repo)
    const missing = CID.parse('bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354')
    const cid = await repo.directory([['a', await repo.file('a')], ['x', missing]])

    expectFailure(await sandbox.run(['get', cid.toString(), '-o', 'out']), 1)
    expect(await readdir(sandbox.directory)).toEqual(['repo'])
  })
})

describe.concurrent('the target path of ipfsz get', () => {
  it.for(['file', 'directory', 'symlink', 'dangling'])('is refused for a tree when it exists, and is kept: %s', async (
    target,
    { sandbox }
  ) => {
    await makeTree(join(sandbox.directory, 'in'), { a: text(1000) })
    await makeTree(
      sandbox.directory,
      { file: 'file', directory: null, elsewhere: null, symlink: { link: 'elsewhere' }, dangling: { link: 'nowhere' } }
    )
    const cid = await addTree(sandbox, 'in')
    const before = await readTree(join(sandbox.directory))

    expectFailure(await sandbox.run(['get', cid, '-o', target]), 1)
    const after = await readTree(join(sandbox.directory))
    expect(Object.keys(after)).toEqual(Object.keys(before))
    expect(after[target]).toEqual(before[target])
    expect(await readdir(join(sandbox.directory, 'elsewhere'))).toEqual([])
  })

  it('is refused for a tree when its directory is missing', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { a: text(1000) })
    const result = await sandbox.run(['get', await addTree(sandbox, 'in'), '-o', 'none/out'])

    expectFailure(result, 1)
    expect(result.stderr).not.toContain('.tmp')
  })

  it('becomes a symlink when the CID path leads to one, and is refused when it exists', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { link: { link: '/etc/passwd' } })
    const cid = await addTree(sandbox, 'in')

    expectSuccess(await sandbox.run(['get', `${cid}/link`, '-o', 'out', '--allow-symlinks']))
    expect(await readTree(sandbox.directory)).toMatchObject({ out: { link: '/etc/passwd' } })
    await symlink('x', join(sandbox.directory, 'there'))
    expectFailure(await sandbox.run(['get', `${cid}/link`, '-o', 'there', '--allow-symlinks']), 1)
  })
})
