import { createServer } from 'node:net'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { text } from '../support/data.ts'
import { expectFailure, expectSuccess, it } from './run-cli.ts'
import { addTree, makeTree } from './tree-files.ts'

describe.concurrent('ipfsz get --output', () => {
  it.for([
    'into/',
    'into//',
    'into/.',
    'into/below/..',
    './into/'
  ])('writes into the directory %s, under the last name of the CID path', async (output, { sandbox }) => {
    await makeTree(sandbox.directory, { 'in/a/b.txt': 'b', 'in/a/link': { link: 'b.txt' }, 'into/below': null })
    const cid = await addTree(sandbox, 'in')

    for (const path of ['a/b.txt', 'a/link', 'a']) {
      expectSuccess(await sandbox.run(['get', `${cid}/${path}`, '-o', output]))
    }

    expect((await readdir(join(sandbox.directory, 'into'))).toSorted()).toEqual(['a', 'b.txt', 'below', 'link'])
    expect(await readFile(join(sandbox.directory, 'into/b.txt'), 'utf8')).toBe('b')
    expect(await readFile(join(sandbox.directory, 'into/a/b.txt'), 'utf8')).toBe('b')
    expect(await readlink(join(sandbox.directory, 'into/link'))).toBe('b.txt')
  })

  it('names a file in a directory after its CID when there is no path', async ({ sandbox }) => {
    const cid = await sandbox.add(text(1000))

    expectSuccess(await sandbox.run(['get', cid, '-o', './']))
    expect((await readFile(join(sandbox.directory, cid))).equals(text(1000))).toBe(true)
  })

  it.for([
    'none/',
    'none/f/',
    'file/',
    'none/.',
    ''
  ])('refuses "%s" when that is not a directory, and writes nothing', async (output, { sandbox }) => {
    await makeTree(sandbox.directory, { in: null, file: 'file' })

    for (const cid of [await sandbox.add(text(1000)), await addTree(sandbox, 'in')]) {
      expectFailure(await sandbox.run(['get', cid, '-o', output]), 2)
    }

    expect((await readdir(sandbox.directory)).toSorted()).toEqual(['file', 'in', 'repo'])
    expect(await readFile(join(sandbox.directory, 'file'), 'utf8')).toBe('file')
  })

  it('writes a file to stdout for -', async ({ sandbox }) => {
    const cid = await sandbox.add(text(1000))
    const result = await sandbox.run(['get', cid, '-o', '-'])

    expectSuccess(result)
    expect(result.stdout.equals(text(1000))).toBe(true)
    expect(await readdir(sandbox.directory)).toEqual(['repo'])
    expectFailure(await sandbox.run(['get', cid, '-o', '-', '--force']), 2)
    expectSuccess(await sandbox.run(['get', cid, '-o', './-']))
    expect((await readFile(join(sandbox.directory, '-'))).equals(text(1000))).toBe(true)
  })

  it('refuses to write a directory to stdout', async ({ sandbox }) => {
    await makeTree(sandbox.directory, { 'in/a': 'a' })

    expectFailure(await sandbox.run(['get', await addTree(sandbox, 'in'), '-o', '-']), 1)
  })

  it.for(['/dev/null', '/dev/stdout', '/dev/fd/1', 'fifo', 'socket'])('refuses %s and suggests ipfsz cat', async (
    output,
    { sandbox }
  ) => {
    const cid = await sandbox.add(text(1000))
    const server = createServer()

    try {
      await new Promise<void>(resolve => { server.listen(join(sandbox.directory, 'socket'), resolve) })
      expectSuccess(await sandbox.shell('mkfifo fifo'))
      const result = await sandbox.run(['get', cid, '-o', output])

      expectFailure(result, 2)
      expect(result.stderr).toContain(`ipfsz cat ${cid} >`)
      expect((await readdir(sandbox.directory)).toSorted()).toEqual(['fifo', 'repo', 'socket'])
    } finally {
      server.close()
    }
  })
})
