import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isAt, isSameFile, openRegularFile, openRegularFileSync } from '../src/open-regular-file.ts'

/** A file, and a symlink to it. */
async function makeFiles (): Promise<{ file: string, link: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-open-'))
  onTestFinished(async () => rm(directory, { recursive: true }))
  const [file, link] = ['file', 'link'].map(name => join(directory, name))
  await writeFile(file, 'text')
  await symlink(file, link)

  return { file, link }
}

describe('openRegularFile', () => {
  it('follows a symlink, unless it is told not to', async () => {
    const { file, link } = await makeFiles()

    for (const open of [
      async () => openRegularFile(file),
      async () => openRegularFile(file, { follow: false }),
      async () => openRegularFile(link)
    ]) {
      const handle = await open()
      expect(await handle.readFile('utf8')).toBe('text')
      await handle.close()
    }

    await expect(openRegularFile(link, { follow: false })).rejects.toThrow()
    expect(() => openRegularFileSync(link, constants.O_RDONLY)).toThrow()
  })
})

describe('isSameFile', () => {
  it.each([
    [{ dev: 5n, ino: 7n }, true],
    // as libuv before 1.51 says it of the path of that file on Windows
    [{ dev: 5n + (9n << 32n), ino: 7n }, true],
    [{ dev: 6n, ino: 7n }, false],
    [{ dev: 5n, ino: 8n }, false]
  ])('of a file with device 5 and inode 7, and %o: %s', (other, isSame) => {
    expect(isSameFile({ dev: 5n, ino: 7n }, other)).toBe(isSame)
  })
})

describe('isAt', () => {
  it('tells a file from a symlink to it, on a system whose open follows all symlinks', async () => {
    const { file, link } = await makeFiles()
    const fd = openSync(link, 'r')
    onTestFinished(() => { closeSync(fd) })
    const stats = fstatSync(fd, { bigint: true })

    expect(isAt(file, stats, 0)).toBe(true)
    expect(isAt(link, stats, 0)).toBe(false)
    await rm(file)
    expect(isAt(file, stats, 0)).toBe(false)
  })
})
