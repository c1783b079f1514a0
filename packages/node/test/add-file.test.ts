import { ReadStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it as base } from 'vitest'
import { examineFile } from '../src/disk/add-file.ts'
import { openInput, statInput } from '../src/disk/read-input.ts'

const it = base.extend<{ file: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads which fixtures are needed from the pattern
  file: async ({}, use) => {
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-add-file-'))
    const file = join(directory, 'file')
    await writeFile(file, 'hello')
    await use(file)
    await rm(directory, { recursive: true })
  }
})

it('gives core the stream of a file, which it reads into memory that it uses again', async ({ file }) => {
  const { open, size } = await examineFile(file, { mode: false, mtime: false }, new AbortController().signal)
  const content = await open()

  expect(content).toBeInstanceOf(ReadStream)
  expect(size).toBe(5)
  expect(String(Buffer.concat(await Array.fromAsync(content)))).toBe('hello')
})

it.runIf(process.platform === 'linux')('names the file whose bytes the system does not give', async () => {
  const path = '/proc/self/mem'
  const input = await openInput(path, await statInput(path), { readSize: 100, signal: new AbortController().signal })

  await expect(Array.fromAsync(input)).rejects.toMatchObject({ code: 'EIO', path })
})
