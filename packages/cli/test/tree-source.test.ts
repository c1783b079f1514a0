import { appendFile, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it as base } from 'vitest'
import { treeSource } from '../src/disk/tree-source.ts'

const it = base.extend<{ directory: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads which fixtures are needed from the pattern
  directory: async ({}, use) => {
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-source-'))
    await use(directory)
    await rm(directory, { recursive: true })
  }
})

/** Read the files of a directory, each after a change that follows the look at its size. */
async function read (directory: string, change: () => Promise<void>): Promise<string[]> {
  const source = treeSource(directory, 'tree', {
    hidden: false,
    ignore: () => false,
    gitignore: false,
    preserve: { mode: false, mtime: false },
    signal: new AbortController().signal,
    onRead () {},
    onHidden () {},
    onExecutable () {}
  })
  const files: string[] = []

  for await (const candidate of source) {
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

it.runIf(process.platform === 'linux')('reads files of /proc, which give all in their first read only', async () => {
  const directory = '/proc/sys/kernel/pty'
  const files = await Promise.all(['max', 'reserve'].map(async name => readFile(`${directory}/${name}`, 'utf8')))

  expect(await read(directory, async () => {})).toEqual(expect.arrayContaining(files))
})
