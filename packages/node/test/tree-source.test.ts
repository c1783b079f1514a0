import { execFile } from 'node:child_process'
import {
  appendFile, mkdir, mkdtemp, readFile, rename, rm, symlink, truncate, utimes, writeFile
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it as base } from 'vitest'
import { treeSource } from '../src/disk/tree-source.ts'

const it = base.extend<{ directory: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads which fixtures are needed from the pattern
  directory: async ({}, use) => {
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-source-'))
    await use(directory)
    await rm(directory, { recursive: true })
  }
})

const MIB = 1024 * 1024

function open (directory: string, onChanged = (_path: string) => {}): ReturnType<typeof treeSource> {
  return treeSource(directory, 'tree', {
    hidden: false,
    ignore: () => false,
    gitignore: false,
    preserve: { mode: false, mtime: false },
    signal: new AbortController().signal,
    onRead () {},
    onHidden () {},
    onExecutable () {},
    onChanged
  })
}

/** Read the files of a directory, each after a change that follows the look at its size. */
async function read (directory: string, change: () => Promise<void>): Promise<string[]> {
  const files: string[] = []

  for await (const candidate of open(directory)) {
    if ('content' in candidate) {
      await change()
      files.push(String(Buffer.concat(await Array.fromAsync(candidate.content as AsyncIterable<Uint8Array>))))
    }
  }

  return files
}

it.for(['', 'first '])('reads all of a file that grew since its size was read: "%s"', async (first, { directory }) => {
  const file = join(directory, 'a')
  const more = 'more'.repeat(50_000)
  await writeFile(file, first)

  expect(await read(directory, async () => appendFile(file, more))).toEqual([first + more])
})

it('reads all of a file that shrank since its size was read', async ({ directory }) => {
  const file = join(directory, 'a')
  await writeFile(file, 'first second')

  expect(await read(directory, async () => truncate(file, 5))).toEqual(['first'])
})

/** Read a file of a directory, with a change after its first bytes. Returns what was told of. */
async function changedBy (
  directory: string,
  size: number,
  change: (file: string) => Promise<void>
): Promise<string[]> {
  const changed: string[] = []
  await mkdir(join(directory, 'in/sub'), { recursive: true })
  await writeFile(join(directory, 'in/sub/a'), Buffer.alloc(size))

  for await (const candidate of open(join(directory, 'in'), path => changed.push(path))) {
    if ('content' in candidate) {
      let isFirst = true

      for await (const _ of candidate.content as AsyncIterable<Uint8Array>) {
        await (isFirst ? change(join(directory, 'in/sub/a')) : undefined)
        isFirst = false
      }
    }
  }

  return changed
}

describe('a file that is written to while it is read', () => {
  it.for([
    ['grew', async (file: string) => appendFile(file, 'more')],
    ['shrank', async (file: string) => truncate(file, 5 * MIB)],
    ['was changed in its place', async (file: string) => utimes(file, 1, 1)]
  ] as const)('is told of: it %s', async ([, change], { directory }) => {
    expect(await changedBy(directory, 9 * MIB, change)).toEqual(['sub/a'])
  })

  it('is not told of if all of it is from one read', async ({ directory }) => {
    expect(await changedBy(directory, MIB, async file => appendFile(file, 'more'))).toEqual([])
  })

  it('is not told of if another file takes its place', async ({ directory }) => {
    expect(await changedBy(directory, 9 * MIB, async file => {
      await writeFile(`${file}.new`, 'new')
      await rename(`${file}.new`, file)
    })).toEqual([])
  })

  it('is not told of if nothing writes to it', async ({ directory }) => {
    expect(await changedBy(directory, 9 * MIB, async () => {})).toEqual([])
  })
})

it.runIf(process.platform === 'linux')('reads files of /proc, which give all in their first read only', async () => {
  const directory = '/proc/sys/kernel/pty'
  const files = await Promise.all(['max', 'reserve'].map(async name => readFile(`${directory}/${name}`, 'utf8')))

  expect(await read(directory, async () => {})).toEqual(expect.arrayContaining(files))
})

// other systems have only names that are Unicode
it.runIf(process.platform === 'linux')('refuses a symlink whose target is not UTF-8', async ({ directory }) => {
  await symlink(Buffer.from([0x61, 0xff]), join(directory, 'link'))

  await expect(Array.fromAsync(open(directory))).rejects.toMatchObject({
    name: 'TreeEntryError',
    path: join(directory, 'link')
  })
})

it.skipIf(process.platform === 'win32')(
  'refuses a directory whose name ends in a backslash, but takes such a file',
  async ({ directory }) => {
    await writeFile(join(directory, 'file\\'), 'a')
    expect((await Array.fromAsync(open(directory))).at(-1)).toMatchObject({ path: 'tree/file\\' })

    await mkdir(join(directory, 'sub\\'))
    await expect(Array.fromAsync(open(directory))).rejects.toMatchObject({
      name: 'TreeEntryError',
      path: join(directory, 'sub\\')
    })
  }
)

it('takes a symlink whose target has a replacement character of its own', async ({ directory }) => {
  await symlink('a\ufffd', join(directory, 'link'))

  expect((await Array.fromAsync(open(directory))).at(-1)).toMatchObject({ link: 'a\ufffd' })
})

it.runIf(process.platform === 'linux')('reads a deep tree, and refuses one without end', {
  tags: 'slow'
}, async ({ directory }) => {
  const make = 'for i in $(seq $1); do mkdir $2 && cd -P ./$2 && : > z; done'
  const deep = async (depth: number, name: string): Promise<void> => {
    await promisify(execFile)('bash', ['-c', make, 'bash', `${depth}`, name], { cwd: directory })
  }

  await deep(200, 'd')
  expect(await read(directory, async () => {})).toHaveLength(200)

  await rm(join(directory, 'd'), { recursive: true })
  await deep(25, 'd'.repeat(200))
  await expect(read(directory, async () => {})).rejects.toMatchObject({ name: 'TreeEntryError' })
  await promisify(execFile)('rm', ['-rf', join(directory, 'd'.repeat(200))])
})
