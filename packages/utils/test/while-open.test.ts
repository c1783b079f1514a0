import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { removeFile, retryWhileOpen } from '../src/while-open.ts'

/** Work that fails some times with a code of the system. */
function failing (code: string, times: number): { work: () => string, tries: () => number } {
  let tries = 0

  return {
    work () {
      if (++tries <= times) {
        throw Object.assign(new Error(code), { code })
      }

      return 'done'
    },
    tries: () => tries
  }
}

describe('a file that another program has open', () => {
  it.each(['EPERM', 'EACCES', 'EBUSY'])('is renamed later on Windows, after %s', async code => {
    const { work, tries } = failing(code, 3)

    expect(await retryWhileOpen(work, 'win32')).toBe('done')
    expect(tries()).toBe(4)
  })

  it('is given up after some two seconds', async () => {
    const { work, tries } = failing('EPERM', Infinity)

    await expect(retryWhileOpen(work, 'win32')).rejects.toMatchObject({ code: 'EPERM' })
    expect(tries()).toBe(9)
  })

  it.each([['linux', 'EPERM'], ['win32', 'ENOSPC']])('is not waited for on %s after %s', async (system, code) => {
    const { work, tries } = failing(code, 1)

    await expect(retryWhileOpen(work, system)).rejects.toMatchObject({ code })
    expect(tries()).toBe(1)
  })
})

describe('removeFile', () => {
  it('deletes a file, and finds nothing wrong if there is none', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-remove-'))
    onTestFinished(async () => rm(directory, { recursive: true }))
    await writeFile(join(directory, 'file'), 'text')

    await removeFile(join(directory, 'file'))
    await removeFile(join(directory, 'file'))

    expect(await readdir(directory)).toEqual([])
  })
})
