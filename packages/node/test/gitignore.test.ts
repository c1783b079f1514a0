import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { treeSource } from '../src/disk/tree-source.ts'

/** Write files, by their paths. */
async function writeFiles (files: Record<string, string>): Promise<string> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'ipfsz-gitignore-')))
  onTestFinished(async () => { await rm(directory, { recursive: true }) })

  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true })
    await writeFile(join(directory, path), text)
  }

  return directory
}

/** The paths of files that are added from a directory. */
async function added (directory: string, hidden = false): Promise<string[]> {
  const found: string[] = []
  const candidates = treeSource(directory, 'tree', {
    hidden,
    ignore: path => path === 'option',
    gitignore: true,
    preserve: { mode: false, mtime: false },
    signal: new AbortController().signal,
    onRead () {},
    onHidden () {},
    onExecutable () {},
    onChanged () {}
  })

  for await (const candidate of candidates) {
    if ('content' in candidate) {
      found.push(String(candidate.path).slice('tree/'.length))
    }
  }

  return found
}

describe('the patterns of .gitignore files', () => {
  it('count from their own directory, and those of a deeper one come first', async () => {
    const directory = await writeFiles({
      '.gitignore': '# logs\n*.log\r\n/top\nbuild\n',
      'a.log': '',
      'b.txt': '',
      top: '',
      'sub/.gitignore': '!keep.log\n/deep/x\n',
      'sub/keep.log': '',
      'sub/a.log': '',
      'sub/top': '',
      'sub/deep/x': '',
      'sub/deep/deep/x': '',
      'build/file': '',
      'sub/build/file': '',
      option: ''
    })

    await expect(added(directory)).resolves.toEqual(['b.txt', 'sub/deep/deep/x', 'sub/keep.log', 'sub/top'])
  })

  it('apply to what is in a directory that a deeper file took back', async () => {
    const directory = await writeFiles({
      '.gitignore': 'build\n*.o\n',
      'a [x]/.gitignore': '!build\n',
      'a [x]/build/main.o': '',
      'a [x]/build/b c/main': '',
      'a [x]/build/build/main': '',
      'build/main': ''
    })

    await expect(added(directory)).resolves.toEqual(['a [x]/build/b c/main', 'a [x]/build/build/main'])
  })

  it('count from the top of the repository, unless they ignore the directory itself', async () => {
    const directory = await writeFiles({
      '.gitignore': 'above\n',
      'repository/.git/config': '',
      'repository/.gitignore': 'dist/\n/packages/one/x\n*.log\n',
      'repository/packages/.gitignore': 'y\n',
      'repository/packages/one/above': '',
      'repository/packages/one/a.log': '',
      'repository/packages/one/x': '',
      'repository/packages/one/y': '',
      'repository/packages/one/z': '',
      'repository/dist/a.log': '',
      'repository/dist/.gitignore': 'b\n',
      'repository/dist/b': ''
    })

    await expect(added(join(directory, 'repository/packages/one'))).resolves.toEqual(['above', 'z'])
    await expect(added(join(directory, 'repository/dist'))).resolves.toEqual(['a.log'])
  })

  it('leave out .git, and not the files of patterns', async () => {
    const directory = await writeFiles({ '.git/config': '', '.gitignore': '', '.x': '', 'sub/.git': '', 'sub/a': '' })

    await expect(added(directory, true)).resolves.toEqual(['.gitignore', '.x', 'sub/a'])
  })

  it('are not read through a symlink, from a directory or from a pipe', async () => {
    const directory = await writeFiles({ patterns: '*\n', 'sub/a': '', 'dir/.gitignore/a': '', 'pipe/a': '' })
    await symlink('../patterns', join(directory, 'sub/.gitignore'))
    await promisify(execFile)('mkfifo', [join(directory, 'pipe/.gitignore')])

    await expect(added(join(directory, 'sub'))).resolves.toEqual(['a'])
    await expect(added(join(directory, 'dir'), true)).resolves.toEqual(['.gitignore/a'])
    await expect(added(join(directory, 'pipe'))).resolves.toEqual(['a'])
  })

  it.runIf(process.platform === 'linux').for<[string, Buffer, boolean]>([
    ['as bytes', Buffer.from([0x62, 0xff]), true],
    ['by a wildcard for one byte', Buffer.from('b?'), true],
    ['not by other bytes', Buffer.from([0x62, 0xfe]), false],
    ['not by U+FFFD', Buffer.from('b\ufffd'), false]
  ])('leave out a name that is not UTF-8 %s, and without that it is refused', async ([, pattern, isLeftOut]) => {
    const directory = await writeFiles({ a: '', 'b\ufffd': '' })
    await writeFile(join(directory, '.gitignore'), pattern)
    await writeFile(Buffer.concat([Buffer.from(`${directory}/`), Buffer.from([0x62, 0xff])]), '')

    const result = await added(directory).catch((err: Error) => err.name)

    expect(result).toEqual(isLeftOut ? ['a', 'b\ufffd'] : 'TreeEntryError')
  })

  it.for([
    ['a file of more than 256 KiB', '#'.repeat(256 * 1024 + 1)],
    ['too many patterns', 'a\n'.repeat(20_001)],
    ['too many patterns with globstars', 'a/**/b/**/c\n'.repeat(101)],
    ['a pattern that is too long', 'a'.repeat(1025)],
    ['a pattern that takes exponential time', `${'a/**/'.repeat(20)}b`]
  ])('refuse %s, and name the file', async ([, text]) => {
    const directory = await writeFiles({ 'sub/.gitignore': text, 'sub/a': '' })

    await expect(added(directory)).rejects.toMatchObject({
      name: 'TreeEntryError',
      path: join(directory, 'sub/.gitignore')
    })
  })

  it('match within a bounded time what is allowed', async () => {
    const deep = 'a/'.repeat(200)
    const directory = await writeFiles({ '.gitignore': 'a/**/a/**/*a*a*a*a*b\n', [`${deep}x`]: '' })

    await expect(added(directory)).resolves.toEqual([`${deep}x`])
  })
})
