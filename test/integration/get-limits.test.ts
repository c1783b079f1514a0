/** @module-tag long */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { describe, expect } from 'vitest'
import { noise, text } from '../support/data.ts'
import { HostileRepo } from './hostile-directory.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'
import { addTree, makeTree } from './tree-files.ts'
import type { RunResult, Sandbox } from './run-cli.ts'

const TIB = 1024 ** 4

describe.concurrent('ipfsz get writes no more than', () => {
  it('4 TiB, unless --max-size allows more, and never more than the disk has room for', async ({ sandbox }) => {
    const cid = await claiming(sandbox, 4096 * TIB)

    const refused = await sandbox.run(['get', cid, '-o', 'out'])
    const allowed = await sandbox.run(['get', cid, '-o', 'out', '--max-size', '5000TiB'])

    await expectRefused(sandbox, refused, '--max-size')
    await expectRefused(sandbox, allowed, 'the disk has')
  })

  it('the disk has room for, even for a tree', async ({ sandbox }) => {
    const file = await claiming(sandbox, TIB)
    const repo = new HostileRepo(sandbox.repo)
    const tree = await repo.directory(Array.from({ length: 4096 }, (_, i): [string, CID] => [`${i}`, CID.parse(file)]))

    await expectRefused(sandbox, await sandbox.run(['get', String(tree), '-o', 'out']), '--max-size')
    await expectRefused(
      sandbox,
      await sandbox.run(['get', String(tree), '-o', 'out', '--max-size', '5000TiB']),
      'the disk has'
    )
  })

  it('100,000,000 files and directories: a tree of 2^60 is refused before the first', async ({ sandbox }) => {
    await sandbox.add(text(10))
    const repo = new HostileRepo(sandbox.repo)
    let cid = await repo.file('x')

    for (let level = 0; level < 60; level++) {
      cid = await repo.directory([['a', cid], ['b', cid]])
    }

    await expectRefused(sandbox, await sandbox.run(['get', String(cid), '-o', 'out']), '--max-files')
    await expectRefused(
      sandbox,
      await sandbox.run(['get', String(cid), '-o', 'out', '--max-files', String(Number.MAX_SAFE_INTEGER)]),
      '--max-size'
    )
  })

  it('--max-size, for a file and for a tree', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { a: text(10_000), 'sub/b': text(5000) })
    const tree = await addTree(sandbox, 'in')

    for (const [target, size] of [[`${tree}/a`, 10_000], [tree, 15_000]] as const) {
      expectFailure(await sandbox.run(['get', target, '-o', 'out', '--max-size', String(size - 1)]), 1)
      expect((await readdir(sandbox.directory)).toSorted()).toEqual(['in', 'repo'])
    }

    expectSuccess(await sandbox.run(['get', tree, '-o', 'out', '--max-size', '15000']))
    expect((await readFile(join(sandbox.directory, 'out', 'a'))).equals(text(10_000))).toBe(true)
  })

  it('--max-files, which counts files, directories and symlinks', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { a: 'a', 'sub/b': 'b', 'again/b': 'b', link: { link: 'a' } })
    const tree = await addTree(sandbox, 'in')

    expectFailure(await sandbox.run(['get', tree, '-o', 'out', '--max-files', '6']), 1)
    expect((await readdir(sandbox.directory)).toSorted()).toEqual(['in', 'repo'])

    const result = await sandbox.run(['get', tree, '-o', 'out', '--max-files', '7', '--json'])
    expectSuccess(result)
    expect(parseLines(result.stdout)).toMatchObject([{ files: 3, directories: 3, symlinks: 1 }])
  })

  it('--max-size when a directory declares less than its files have', async ({ sandbox }) => {
    await sandbox.add(text(10))
    const repo = new HostileRepo(sandbox.repo)
    // the directory declares one byte for the file
    const tree = await repo.directory([['a', await repo.file('x'.repeat(10_000))]])

    await expectRefused(
      sandbox,
      await sandbox.run(['get', String(tree), '-o', 'out', '--max-size', '9999']),
      '--max-size'
    )
    expectSuccess(await sandbox.run(['get', String(tree), '-o', 'out', '--max-size', '10000']))
  })

  it('--max-size for a stream of unknown size', async ({ sandbox }) => {
    await sandbox.write('noise.gz', gzipSync(noise(2_000_000)))
    const plain = (await sandbox.run(['add', '-Q', '--codec', 'none', 'noise.gz'])).stdout.toString().trim()
    const cid = (await sandbox.run(['cid', 'mark', plain, '--codec', 'gzip'])).stdout.toString().trim()

    const result = await sandbox.run(['get', cid, '-o', 'out', '--max-size', '1999999'])

    expectFailure(result, 1)
    expect(result.stderr).toContain('--max-size')
    expect((await readdir(sandbox.directory)).toSorted()).toEqual(['noise.gz', 'repo'])
    expectSuccess(await sandbox.run(['get', cid, '-o', 'out', '--max-size', '2000000']))
  })
})

async function expectRefused (sandbox: Sandbox, result: RunResult, reason: string): Promise<void> {
  expectFailure(result, 1)
  expect(result.stderr).toContain(reason)
  expect(await readdir(sandbox.directory)).toEqual(['repo'])
}

/** A file whose root declares this size. */
async function claiming (sandbox: Sandbox, size: number): Promise<string> {
  await sandbox.add(text(10))
  const repo = new HostileRepo(sandbox.repo)
  const leaf = await repo.file('x')

  return String(await repo.node(new UnixFS({ type: 'file', blockSizes: [BigInt(size)] }), [['', leaf]]))
}
