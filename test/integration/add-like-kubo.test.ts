import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { noise, text } from '../support/data.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'
import { listBlocks } from '../support/stored-blocks.ts'
import { makeTree, readTree } from './tree-files.ts'
import type { RunResult } from './run-cli.ts'

function lines ({ stdout }: RunResult): string[] {
  return stdout.toString().trimEnd().split('\n')
}

describe.concurrent('ipfsz add with options of ipfs add', () => {
  it('changes nothing for -r, --progress and --cid-version=1', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { a: text(10_000) })

    const result = await sandbox.run(['add', '-r', '-p', '--cid-version=1', 'in'])

    expectSuccess(result)
    expect(result.stdout).toEqual((await sandbox.run(['add', 'in'])).stdout)
  })

  it.for(['0', '2', ''])('refuses --cid-version %s', async (version, { sandbox }) => {
    await sandbox.write('a', text(10_000))
    const result = await sandbox.run(['add', `--cid-version=${version}`, 'a'])

    expectFailure(result, 2)
    expect(await listBlocks(sandbox.repo)).toEqual([])
  })

  it('prints only CIDs with -q, those of files too', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { a: text(10_000), 'b/c': noise(100) })
    const all = lines(await sandbox.run(['add', 'in'])).map(line => line.split('\t')[0])

    expect(lines(await sandbox.run(['add', '-q', 'in']))).toEqual(all)
    expect(lines(await sandbox.run(['add', '-Q', 'in']))).toEqual(all.slice(-1))
  })

  it('adds stdin without a path if it is a pipe', async ({ sandbox }) => {
    const result = await sandbox.run(['add', '-Q'], { stdin: text(10_000) })

    expectSuccess(result)
    expect(lines(result)).toEqual([await sandbox.add(text(10_000))])
  })

  it('refuses to add without a path if stdin is no pipe', async ({ sandbox }) => {
    expectFailure(await sandbox.run(['add']), 2)
    expectFailure(await sandbox.shell('ipfsz add < /dev/null'), 2)
  })

  it.for(['echo hello | ipfsz add -Q', 'echo hello > file; ipfsz add -Q < file'])(
    'knows a pipe from a terminal: %s',
    async (line, { sandbox }) => {
      const result = await sandbox.shell(line)

      expectSuccess(result)
      expect(lines(result)).toEqual([await sandbox.add(new TextEncoder().encode('hello\n'))])
    }
  )
})

describe.concurrent('ipfsz add --only-hash', () => {
  it('prints what add prints, and creates no repo', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { a: text(10_000), 'b/c': noise(100), link: { link: 'a' } })
    await sandbox.write('large', noise(3_000_000))
    await sandbox.write('compressed', text(9_000_000))
    await sandbox.write('empty', new Uint8Array())
    const paths = ['in', 'large', 'compressed', 'empty']

    const computed = await sandbox.run(['add', '-n', ...paths])

    expectSuccess(computed)
    await expect(access(sandbox.repo)).rejects.toMatchObject({ code: 'ENOENT' })
    expect(computed.stdout).toEqual((await sandbox.run(['add', ...paths])).stdout)
  })

  it('writes nothing into a repo', async ({ sandbox }) => {
    await sandbox.add(text(1000))
    const before = await readTree(sandbox.repo)

    expectSuccess(await sandbox.run(['add', '--only-hash'], { stdin: text(10_000) }))

    expect(await readTree(sandbox.repo)).toEqual(before)
  })

  it.for([['--link'], ['--kubo', 'http://127.0.0.1:1']])('refuses %j, which stores something', async (args, {
    sandbox
  }) => {
    expectFailure(await sandbox.run(['add', '-n', ...args, '-'], { stdin: text(1000) }), 2)
  })
})

describe.concurrent('ipfsz add --wrap-with-directory', () => {
  it('puts all paths into one directory, which is pinned', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { a: text(10_000), 'b/c': 'c' })
    await sandbox.write('file', text(20_000))
    const alone = (await sandbox.run(['add', '-Q', 'file'])).stdout.toString().trim()

    const result = await sandbox.run(['add', '-w', '--json', 'file', './in/'])

    expectSuccess(result)
    const rows = parseLines(result.stdout)
    expect(rows.map(({ name, size, type }) => [name, size, type])).toEqual([
      ['file', 20_000, 'file'],
      ['in/a', 10_000, 'file'],
      ['in/b/c', 1, 'file'],
      ['', 30_001, 'directory']
    ])
    expect(rows[0].cid).toBe(alone)
    const root = String(rows[3].cid)
    expect(parseLines((await sandbox.run(['pin', 'ls', '--json'])).stdout).map(({ cid }) => cid)).toContain(root)

    expectSuccess(await sandbox.run(['get', root, '-o', 'out']))
    expect((await sandbox.run(['cat', `${root}/in/a`])).stdout.equals(text(10_000))).toBe(true)
    expect(parseLines((await sandbox.run(['ls', root, '--json'])).stdout).map(({ name }) => name))
      .toEqual(['file', 'in'])
  })

  it('follows a symlink that is named', async ({ sandbox }) => {
    await sandbox.write('file', text(20_000))
    expectSuccess(await sandbox.shell('ln -s file link'))

    expect(parseLines((await sandbox.run(['add', '-w', '--json', 'link'])).stdout))
      .toMatchObject([{ name: 'link', size: 20_000, type: 'file' }, { type: 'directory' }])
  })

  it('refuses paths without a name, or with the same', async ({ sandbox }) => {
    await makeTree(sandbox.directory, { 'a/x': 'a', 'b/x': 'b' })

    expectFailure(await sandbox.run(['add', '-w'], { stdin: text(100) }), 2)
    expectFailure(await sandbox.run(['add', '-w', '/']), 2)
    expectFailure(await sandbox.run(['add', '-w', 'a/x', 'b/x']), 2)
  })

  it('adds nothing if a path is missing', async ({ sandbox }) => {
    await sandbox.write('file', text(100))
    const result = await sandbox.run(['add', '-w', 'file', 'not-there'])

    expectFailure(result, 1)
    expect(lines(await sandbox.run(['pin', 'ls']))).toEqual([''])
  })
})
