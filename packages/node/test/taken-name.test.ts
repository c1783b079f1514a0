import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { makeTemporary } from '../src/disk/temporary-directory.ts'
import { writeWhole } from '../src/disk/write-file.ts'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ipfsz-taken-'))
  onTestFinished(async () => { await rm(directory, { recursive: true }) })
})

/** What another process writes to the same path meanwhile. */
async function takeName (target: string): Promise<void> {
  await mkdir(target)
  await writeFile(join(target, 'file'), '')
}

describe('a name that another process takes while it is written to', () => {
  it.each([takeName, async (target: string) => writeFile(target, '')])('is refused for a directory', async take => {
    const target = join(directory, 'target')
    const temporary = await makeTemporary(target)
    await take(target)

    await expect(temporary.complete(async () => {}))
      .rejects.toMatchObject({ name: 'TreeEntryError', problem: 'in-the-way', path: target })
    await temporary.remove()
    await temporary.close()
    expect(await readdir(directory)).toEqual(['target'])
  })

  it('is refused for a file if it is a directory', async () => {
    const target = join(directory, 'target')
    const content = (async function * () {
      yield Uint8Array.of(1)
      await takeName(target)
    })()

    await expect(writeWhole(target, content, { update () {}, end () {} }))
      .rejects.toMatchObject({ name: 'TreeEntryError', problem: 'is-directory', path: target })
    expect(await readdir(directory)).toEqual(['target'])
  })
})
