import { lstat, readdir, readFile, readlink, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { text } from '../support/data.ts'
import { HostileRepo } from './hostile-directory.ts'
import { expectFailure, expectSuccess, it } from './run-cli.ts'
import { addTree, makeTree } from './tree-files.ts'

describe.concurrent('ipfsz get of a file to the path of a symlink', () => {
  it.for<[string, string]>([
    ['a file', 'victim'],
    ['nothing', 'nowhere'],
    ['itself', 'out']
  ])('replaces a symlink to %s with --force, and keeps what it points to', async ([, link], { sandbox }) => {
    await sandbox.write('victim', text(100))
    await symlink(link, join(sandbox.directory, 'out'))
    const cid = await sandbox.add(text(10_000))

    expectFailure(await sandbox.run(['get', cid, '-o', 'out']), 1)
    expect(await readlink(join(sandbox.directory, 'out'))).toBe(link)
    expectSuccess(await sandbox.run(['get', cid, '-o', 'out', '--force']))

    expect((await lstat(join(sandbox.directory, 'out'))).isFile()).toBe(true)
    expect((await readFile(join(sandbox.directory, 'out'))).equals(text(10_000))).toBe(true)
    expect((await readFile(join(sandbox.directory, 'victim'))).equals(text(100))).toBe(true)
    expect((await readdir(sandbox.directory)).toSorted()).toEqual(['out', 'repo', 'victim'])
  })

  it.for<[string, string, number]>([
    ['a directory', 'directory', 1],
    ['a device', '/dev/null', 2]
  ])('refuses a symlink to %s and keeps the symlink', async ([, link, code], { sandbox }) => {
    await makeTree(sandbox.directory, { directory: null, out: { link } })
    const cid = await sandbox.add(text(10_000))

    expectFailure(await sandbox.run(['get', cid, '-o', 'out']), code)

    expect(await readlink(join(sandbox.directory, 'out'))).toBe(link)
  })

  it('replaces a symlink from an earlier get and writes nothing through it', async ({ sandbox }) => {
    await sandbox.add(text(10))
    const victim = await sandbox.write('victim', text(100))
    const repo = new HostileRepo(sandbox.repo)
    const first = await repo.directory([['notes.txt', await repo.symlink(victim)]])
    const second = await repo.directory([['notes.txt', await repo.file('evil')]])

    expectSuccess(await sandbox.run(['get', `${first}/notes.txt`, '--allow-symlinks']))
    expectSuccess(await sandbox.run(['get', `${second}/notes.txt`, '--force']))

    expect((await readFile(victim)).equals(text(100))).toBe(true)
    expect(await readFile(join(sandbox.directory, 'notes.txt'), 'utf8')).toBe('evil')
  })
})

/** Symlinks in `sub/deeper` of a tree with `a.txt`, `sub/b.txt` and a symlink `sub/deeper/up` to `..`. */
const LEADING_OUT = [
  '/etc/passwd',
  '../../../outside',
  '../../..',
  'up/../../outside',
  './up/./../..',
  'none/../../b.txt',
  'up/../b.txt'
]
const LEADING_IN = [
  '../../a.txt',
  '../b.txt',
  '../..',
  'up',
  'up/b.txt',
  '../deeper/../b.txt',
  'nowhere',
  '.',
  'further/../../b.txt'
]

describe.concurrent('ipfsz get of a tree', () => {
  it.for(LEADING_OUT)('refuses a tree with the symlink %s and writes nothing', async (link, { sandbox }) => {
    await makeTree(
      join(sandbox.directory, 'in'),
      { 'a.txt': 'a', 'sub/b.txt': 'b', 'sub/deeper/up': { link: '..' }, 'sub/deeper/link': { link } }
    )
    const cid = await addTree(sandbox, 'in')

    const result = await sandbox.run(['get', cid, '-o', 'out'])

    expectFailure(result, 1)
    expect(result.stderr).toContain(join('out', 'sub', 'deeper', 'link'))
    expect((await readdir(sandbox.directory)).toSorted()).toEqual(['in', 'repo'])
  })

  it('writes symlinks that lead out of the tree with --allow-symlinks', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), Object.fromEntries(LEADING_OUT.map((link, i) => [`${i}`, { link }])))
    const cid = await addTree(sandbox, 'in')

    expectSuccess(await sandbox.run(['get', cid, '-o', 'out', '--allow-symlinks']))

    expect(await Promise.all(LEADING_OUT.map(async (_, i) => readlink(join(sandbox.directory, 'out', String(i))))))
      .toEqual(LEADING_OUT)
  })

  it('writes symlinks that stay in the tree', async ({ sandbox }) => {
    const links = Object.fromEntries(LEADING_IN.map((link, i) => [`sub/deeper/${i}`, { link }]))
    await makeTree(
      join(sandbox.directory, 'in'),
      { 'a.txt': 'a', 'sub/b.txt': 'b', 'sub/deeper/further': null, 'sub/deeper/up': { link: '..' }, ...links }
    )
    const cid = await addTree(sandbox, 'in')

    expectSuccess(await sandbox.run(['get', cid, '-o', 'out']))

    expect(
      await Promise.all(
        LEADING_IN.map(async (_, i) => readlink(join(sandbox.directory, 'out', 'sub', 'deeper', String(i))))
      )
    ).toEqual(LEADING_IN)
  })
})

describe.concurrent('ipfsz get of a symlink', () => {
  it.for([
    '/etc/passwd',
    '../outside',
    'beside/../../outside',
    'beside/..'
  ])('refuses a symlink to %s without --allow-symlinks', async (link, { sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { link: { link } })
    const cid = await addTree(sandbox, 'in')

    expectFailure(await sandbox.run(['get', `${cid}/link`]), 1)
    expect((await readdir(sandbox.directory)).toSorted()).toEqual(['in', 'repo'])

    expectSuccess(await sandbox.run(['get', `${cid}/link`, '--allow-symlinks']))
    expect(await readlink(join(sandbox.directory, 'link'))).toBe(link)
  })

  it('writes a symlink to a path below its own directory', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { link: { link: './beside/below' } })
    const cid = await addTree(sandbox, 'in')

    expectSuccess(await sandbox.run(['get', `${cid}/link`]))
    expect(await readlink(join(sandbox.directory, 'link'))).toBe('./beside/below')
  })
})
