/** @module-tag long */
import { chmod, lutimes, readdir, readFile, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { CODES } from '@ipfsz/codecs'
import { CID } from 'multiformats/cid'
import { describe, expect } from 'vitest'
import { noise, text } from '../support/data.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'
import { addTree, makeTree, PRESERVE, readTree } from './tree-files.ts'
import type { TreeFiles } from './tree-files.ts'

const TREE: TreeFiles = {
  'a.txt': text(100_000),
  'noise.bin': noise(50_000),
  empty: '',
  'nothing/in/here': null,
  'sub/deeper/deepest/b.txt': text(20_000, 2),
  'sub/again.txt': text(100_000),
  'sub/link': { link: 'deeper/deepest' },
  'sub/up': { link: '../../..' },
  dangling: { link: 'nowhere/at all' },
  absolute: { link: '/etc/passwd' },
  '.hidden/file': 'hidden',
  '.dot': text(1000),
  'name\nwith\tcontrol\u001b[1m': 'odd',
  'größe 🦆': text(5000),
  '-dash': 'dash',
  ' space ': 'space',
  'back\\slash': 'backslash',
  'per%20cent?*': 'percent'
}

describe.concurrent('a tree', () => {
  it('is read back unchanged: files, empty directories, symlinks, modes, mtimes, odd names', async ({ sandbox }) => {
    const directory = await makeTree(join(sandbox.directory, 'in'), TREE)
    await chmod(join(directory, 'a.txt'), 0o600)
    await chmod(join(directory, '-dash'), 0o755)
    await chmod(join(directory, 'sub/again.txt'), 0o444)
    await lutimes(join(directory, 'dangling'), 1_000_000_000, 1_000_000_000)
    await utimes(join(directory, 'a.txt'), 1_234_567_890.125, 1_234_567_890.125)
    // as text: Node takes a negative number for the current time
    await utimes(join(directory, 'empty'), '-1000.25', '-1000.25')
    await utimes(join(directory, 'sub'), 1_100_000_000, 1_100_000_000)
    await chmod(join(directory, 'sub'), 0o750)
    await chmod(join(directory, 'nothing/in'), 0o555)

    const cid = await addTree(sandbox, 'in', ...PRESERVE)
    const result = await sandbox.run(['get', cid, '-o', 'out', '--allow-symlinks'])

    expectSuccess(result)
    expect(await readTree(join(sandbox.directory, 'out'))).toEqual(await readTree(directory))
    expect((await readdir(sandbox.directory)).toSorted()).toEqual(['in', 'out', 'repo'])
  })

  it('of many files is added by threads of the command, and not read again', async ({ sandbox }) => {
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, i): [string, string] => [
      `${i % 7}/${i}`, `file ${i % 250} `.repeat(i)
    ]))
    const directory = await makeTree(join(sandbox.directory, 'in'), files)
    const cid = await addTree(sandbox, 'in', ...PRESERVE)
    const again = await sandbox.run(['add', '-Q', '--json', 'in', ...PRESERVE])
    const read = await sandbox.run(['get', cid, '-o', 'out'])

    expectSuccess(again)
    expectSuccess(read)
    expect(JSON.parse(again.stdout.toString())).toMatchObject({ cid, known: { new: 0, changed: 0, unchanged: 300 } })
    expect(await readTree(join(sandbox.directory, 'out'))).toEqual(await readTree(directory))
  })

  it('is read by its plain CID with its files as they are stored', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { a: text(10_000), b: noise(1000) })
    const plain = (
      await sandbox.run(['cid', 'plain', await addTree(sandbox, 'in', '--codec', 'gzip')])
    ).stdout.toString().trim()

    expectSuccess(await sandbox.run(['get', plain, '-o', 'out']))
    expect([...(await readFile(join(sandbox.directory, 'out', 'a'))).subarray(0, 2)]).toEqual([0x1f, 0x8b])
    expect((await readFile(join(sandbox.directory, 'out', 'b'))).equals(noise(1000))).toBe(true)
  })

  it('with 2,000 entries is read back unchanged', { tags: 'slow' }, async ({ sandbox }) => {
    const directory = await makeTree(
      join(sandbox.directory, 'in'),
      Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`entry ${i}`, `file ${i}`]))
    )
    const cid = await addTree(sandbox, 'in', ...PRESERVE)

    expectSuccess(await sandbox.run(['get', cid, '-o', 'out']))
    expect(await readTree(join(sandbox.directory, 'out'))).toEqual(await readTree(directory))
    expect(parseLines((await sandbox.run(['ls', cid, '--json'])).stdout)).toHaveLength(2000)
  })

  it('with a sharded directory is read back unchanged, mode and mtime too', { tags: 'slow' }, async ({ sandbox }) => {
    const name = 'x'.repeat(180)
    const directory = await makeTree(
      join(sandbox.directory, 'in'),
      Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`sub/${name}${i}`, `file ${i}`]))
    )
    await chmod(join(directory, 'sub'), 0o700)
    await utimes(join(directory, 'sub'), 1_000_000_000, 1_000_000_000)
    const cid = await addTree(sandbox, 'in', ...PRESERVE)

    expectSuccess(await sandbox.run(['get', cid, '-o', 'out']))
    expect(await readTree(join(sandbox.directory, 'out'))).toEqual(await readTree(directory))
  })

  it('that is empty is read back unchanged', async ({ sandbox }) => {
    const directory = await makeTree(join(sandbox.directory, 'in'), {})
    const cid = await addTree(sandbox, 'in', ...PRESERVE)

    expectSuccess(await sandbox.run(['get', cid, '-o', 'out']))
    expect(await readTree(join(sandbox.directory, 'out'))).toEqual(await readTree(directory))
  })

  it('has the same CID under any name', async ({ sandbox }) => {
    const directory = await makeTree(join(sandbox.directory, 'in'), { a: text(10_000), 'b/c': 'c' })
    const cid = await addTree(sandbox, 'in')
    await sandbox.shell(`cp -a ${directory} 'other\\'`)

    expect(await addTree(sandbox, 'other\\')).toBe(cid)
    expect(await addTree(sandbox, './in/../in/')).toBe(cid)
  })

  it('has the same CID after get and add, even if its mtimes have nanoseconds', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), TREE)
    expectSuccess(
      await sandbox.shell(
        'touch -d "2024-05-06 07:08:09.123456789" in/a.txt in/sub && touch -d "1969-05-06 07:08:09.987654321" in/empty'
      )
    )
    const cid = await addTree(sandbox, 'in', ...PRESERVE)

    expectSuccess(await sandbox.run(['get', cid, '-o', 'out', '--allow-symlinks']))
    expect(await addTree(sandbox, 'out', ...PRESERVE)).toBe(cid)
  })

  it('has the same CID when it is added through a symlink', async ({ sandbox }) => {
    const directory = await makeTree(join(sandbox.directory, 'in'), { a: text(1000) })
    await chmod(directory, 0o700)
    expectSuccess(await sandbox.shell('ln -s in link'))

    expect(await addTree(sandbox, 'link')).toBe(await addTree(sandbox, 'in'))
  })

  it('has a CID of its content alone, unless modes or mtimes are preserved', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'one'), { a: text(10_000), 'b/c': 'c' })
    const other = await makeTree(join(sandbox.directory, 'other'), { a: text(10_000), 'b/c': 'c' })
    await chmod(join(other, 'a'), 0o600)
    await utimes(join(other, 'b'), 1, 1)
    const cids = async (...args: string[]): Promise<string[]> => [
      await addTree(sandbox, 'one', ...args),
      await addTree(sandbox, 'other', ...args)
    ]
    const [one, same] = await cids()

    expect(same).toBe(one)
    expect(await cids('--no-preserve-mode', '--no-preserve-mtime')).toEqual([one, one])
    for (const option of PRESERVE) {
      const [kept, different] = await cids(option)
      expect(different).not.toBe(kept)
    }
  })
})

describe.concurrent('ipfsz add of a tree', () => {
  it('prints a line per entry, and the root last', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { b: text(10_000), 'a/c': noise(1000), link: { link: 'b' } })

    const result = await sandbox.run(['add', 'in'])

    expectSuccess(result)
    const rows = result.stdout.toString().trimEnd().split('\n').map(line => line.split('\t'))
    expect(rows.map(([, name]) => name)).toEqual(['in/a/c', 'in/b', 'in/link', 'in'])
    expect(rows.map(([, , size]) => size)).toEqual(['1000', '10000', '1', '11000'])
    expect(CID.parse(rows[1][0]).code).toBe(CODES.zstd)
    expect(CID.parse(rows[3][0]).code).toBe(0x3f5a00)
  })

  it('prints no entry before the root is pinned, however many there are', { tags: 'slow' }, async ({ sandbox }) => {
    const names = Array.from({ length: 5000 }, (_, i) => `f${i}`)
    await makeTree(join(sandbox.directory, 'in'), Object.fromEntries(names.map(name => [name, name])))
    expectSuccess(await sandbox.shell('mkfifo in/z'))

    const failed = await sandbox.run(['add', 'in'])
    expectFailure(failed, 1)
    expect(failed.stdout.toString()).toBe('')

    const added = await sandbox.run(['add', '--ignore', 'z', 'in'])
    expectSuccess(added)
    const rows = added.stdout.toString().trimEnd().split('\n').map(line => line.split('\t')[1])
    expect(rows.toSorted()).toEqual(['in', ...names.map(name => `in/${name}`)].toSorted())
    expect(rows.at(-1)).toBe('in')
  })

  it('prints an object per entry with --json', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { b: text(10_000), link: { link: 'b' } })

    const lines = parseLines((await sandbox.run(['add', '--json', 'in'])).stdout)

    expect(lines).toMatchObject([
      { name: 'in/b', type: 'file', codec: 'zstd', size: 10_000 },
      { name: 'in/link', type: 'symlink', codec: 'none', size: 1 },
      { name: 'in', type: 'directory', size: 10_000 }
    ])
    expect(lines[2].ratio).toBe(Number(lines[2].storedSize) / 10_000)
  })

  it('leaves out hidden entries and says so', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { a: 'a', '.git/config': 'config', 'sub/.b': 'b' })

    const { code, stdout, stderr } = await sandbox.run(['add', 'in'])

    expect(code).toBe(0)
    expect(stdout.toString().split('\n').map(line => line.split('\t')[1])).toEqual(['in/a', 'in', undefined])
    expect(stderr).toMatch(/^ipfsz: in: 2 hidden .*--hidden\n$/)
  })

  it('leaves out what --ignore names, at any depth or by its path', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), {
      a: 'a',
      '.git/config': 'c',
      'sub/.git/config': 'c',
      'x.log': '',
      'sub/y.log': '',
      'sub/z': 'z',
      'out/z': 'z',
      'sub/out/a(1)': ''
    })

    const result = await sandbox.run([
      'add',
      '--hidden',
      '--ignore',
      '.git',
      '--ignore',
      '*.log',
      '--ignore',
      '/out',
      '--ignore',
      'sub/**/a(?)',
      'in'
    ])

    expectSuccess(result)
    expect(result.stdout.toString().trimEnd().split('\n').map(line => line.split('\t')[1]))
      .toEqual(['in/a', 'in/sub/z', 'in'])
  })

  it('leaves out what .gitignore files say with --gitignore, and nothing without', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), {
      '.gitignore': '*.log\n/out/\n',
      'a.log': '',
      'out/z': 'z',
      'sub/.gitignore': '!keep.log\n',
      'sub/keep.log': '',
      'sub/z': 'z'
    })
    const names = async (...args: string[]): Promise<string[]> => {
      const result = await sandbox.run(['add', ...args, 'in'])
      expect(result.code).toBe(0)

      return result.stdout.toString().trimEnd().split('\n').map(line => line.split('\t')[1])
    }

    expect(await names('--gitignore')).toEqual(['in/sub/keep.log', 'in/sub/z', 'in'])
    expect(await names('--gitignore', '--wrap-with-directory')).toEqual(['in/sub/keep.log', 'in/sub/z', ''])
    expect(await names('--gitignore', '--ignore', 'z')).toEqual(['in/sub/keep.log', 'in'])
    expect(await names()).toHaveLength(5)

    await sandbox.write('in/.gitignore', Buffer.alloc(300_000))
    expectFailure(await sandbox.run(['add', '--gitignore', 'in']), 1)
  })

  it('says once that executable bits are not kept', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { a: 'a', b: 'b', 'sub/c': 'c' })
    await chmod(join(sandbox.directory, 'in/a'), 0o755)
    await chmod(join(sandbox.directory, 'in/sub/c'), 0o744)

    const { stderr } = await sandbox.run(['add', 'in'])

    expect(stderr).toMatch(/^ipfsz: in: the executable bits of 2 files .*--preserve-mode\n$/)
    expectSuccess(await sandbox.run(['add', '--preserve-mode', 'in']))
    expectSuccess(await sandbox.run(['add', '-Q', 'in']))
  })

  it('adds .git with --hidden', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { '.git/config': 'config' })

    const result = await sandbox.run(['add', '--hidden', 'in'])

    expect(result.stdout.toString()).toContain('in/.git/config')
  })

  it('refuses an entry that is no file, directory or symlink, and names its path', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { a: 'a' })
    await sandbox.shell('mkfifo in/pipe')

    const result = await sandbox.run(['add', '-Q', 'in'])

    expectFailure(result, 1)
    expect(result.stderr).toContain('in/pipe')
    expectSuccess(await sandbox.run(['add', '-Q', '--ignore', 'pipe', 'in']))
  })

  it('keeps mode and mtime of a single file only when it is told to', async ({ sandbox }) => {
    const file = await sandbox.write('a', text(10_000))
    await chmod(file, 0o640)
    await utimes(file, 1000, 1000)
    const plain = await sandbox.add(text(10_000))

    const [without, kept] = await Promise.all(
      [[], ['--preserve-mode', '--preserve-mtime']].map(
        async args => (await sandbox.run(['add', '-Q', ...args, 'a'])).stdout.toString().trim()
      )
    )
    expectSuccess(await sandbox.run(['get', kept, '-o', 'out']))

    expect(without).toBe(plain)
    const { mode, mtimeMs } = await stat(join(sandbox.directory, 'out'))
    expect([mode & 0o777, mtimeMs]).toEqual([0o640, 1_000_000])
  })
})

describe.concurrent('a CID or a path below it', () => {
  it.for(['', '/ipfs/', 'ipfs://'])('works in cat, get, ls and stat with prefix "%s"', async (prefix, { sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { 'a/b.csv': text(10_000), 'a/link': { link: 'b.csv' } })
    const cid = prefix + await addTree(sandbox, 'in')

    expect((await sandbox.run(['cat', `${cid}/a/b.csv`])).stdout.equals(text(10_000))).toBe(true)
    expectSuccess(await sandbox.run(['get', `${cid}/a/b.csv`]))
    expect((await readFile(join(sandbox.directory, 'b.csv'))).equals(text(10_000))).toBe(true)
    expectSuccess(await sandbox.run(['get', `${cid}/a`]))
    expect((await readFile(join(sandbox.directory, 'a', 'b.csv'))).equals(text(10_000))).toBe(true)
    expect(parseLines((await sandbox.run(['ls', `${cid}/a/`, '--json'])).stdout)).toMatchObject([
      { name: 'b.csv', size: 10_000, codec: 'zstd', type: 'file' },
      { name: 'link', type: 'symlink', link: 'b.csv' }
    ])
    expect(parseLines((await sandbox.run(['stat', `${cid}/a/b.csv`, '--json'])).stdout))
      .toMatchObject([{ size: 10_000, codec: 'zstd', type: 'file' }])
  })

  it.for([
    ['a missing entry', 'missing'],
    ['an entry of a file', 'a/b.csv/c'],
    ['a path that begins above the root', '../a'],
    ['a path that climbs above the root', 'a/../../x']
  ])('is refused for %s', async ([, path], { sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { 'a/b.csv': text(10_000) })
    const cid = await addTree(sandbox, 'in')

    for (const command of ['cat', 'get', 'ls', 'stat']) {
      expectFailure(await sandbox.run([command, `${cid}/${path}`]), 1)
    }
  })

  it('has original and stored sizes in stat and ls when it is a tree', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { 'a/b': text(100_000), c: noise(1000) })
    const cid = await addTree(sandbox, 'in')

    const [stats] = parseLines((await sandbox.run(['stat', cid, '--json'])).stdout)
    const [plain] = parseLines((await sandbox.run(['stat', String(stats.plainCid), '--json'])).stdout)

    expect(stats).toMatchObject({ type: 'directory', size: 101_000, markedCid: cid })
    expect(stats.ratio).toBe(Number(stats.storedSize) / 101_000)
    expect(plain.markedCid).toBe(cid)
    expect((await sandbox.run(['ls', cid])).stdout.toString())
      .toMatch(/^\w+\t-\t-\t-\ta\/\n\w+\t1000\t1000\tnone\tc\n$/)
  })
})
