/** @module-tag slow */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { longText, text } from '../support/data.ts'
import { waitForFiles } from './repo.ts'
import { expectFailure, expectSuccess, finish, it } from './run-cli.ts'
import { addTree, makeTree } from './tree-files.ts'
import type { Sandbox } from './run-cli.ts'

const MIB = 1024 * 1024
/** Long enough that get is still writing when its temporary file is seen. */
const LONG = longText(200 * MIB)

describe.each(['a file', 'a tree'])('ipfsz get of %s', (what) => {
  it.for(['SIGTERM', 'SIGHUP'] as const)('leaves nothing behind after %s', async (signal, { sandbox }) => {
    const cid = await addLong(sandbox, what)
    const child = sandbox.start(['get', cid, '-o', 'out'])
    const result = finish(child)

    await waitForFiles(sandbox.directory, 2)
    child.kill(signal)

    expectFailure(await result, 130)
    expect(await readdir(sandbox.directory)).toEqual(['repo'])
  })

  it('is cleaned up by the next get after SIGKILL', async ({ sandbox }) => {
    const cid = await addLong(sandbox, what)
    const other = await sandbox.add(text(1000))
    const child = sandbox.start(['get', cid, '-o', 'out'])
    const result = finish(child)

    await waitForFiles(sandbox.directory, 2)
    child.kill('SIGKILL')
    await result
    expect((await readdir(sandbox.directory)).filter(name => name.endsWith('.tmp'))).toHaveLength(1)

    expectSuccess(await sandbox.run(['get', other, '-o', 'other']))
    expect((await readdir(sandbox.directory)).toSorted()).toEqual(['other', 'repo'])
  })

  it('keeps its temporary files when another get runs', async ({ sandbox }) => {
    const cid = await addLong(sandbox, what)
    const other = await sandbox.add(text(1000))
    const child = sandbox.start(['get', cid, '-o', 'out'])
    const result = finish(child)

    await waitForFiles(sandbox.directory, 2)
    child.kill('SIGSTOP')
    expectSuccess(await sandbox.run(['get', other, '-o', 'other']))
    child.kill('SIGCONT')

    expectSuccess(await result)
    expect((await readdir(sandbox.directory)).toSorted()).toEqual(['other', 'out', 'repo'])
    expect((await readFile(join(sandbox.directory, what === 'a tree' ? 'out/sub/long' : 'out'))).equals(LONG))
      .toBe(true)
  })
})

async function addLong (sandbox: Sandbox, what: string): Promise<string> {
  if (what === 'a file') {
    return sandbox.add(LONG)
  }

  const source = await makeTree(join(sandbox.repo, 'in'), { 'sub/long': LONG })

  return addTree(sandbox, source)
}
