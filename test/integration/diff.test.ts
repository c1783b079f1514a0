import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CID } from 'multiformats/cid'
import { describe, expect } from 'vitest'
import { openRepo } from '../../packages/node/dist/repo/repo.js'
import { noise, text } from '../support/data.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'
import { listBlocks, removeBlock } from '../support/stored-blocks.ts'
import { startGateway } from './run-gateway.ts'
import type { RunResult, Sandbox } from './run-cli.ts'

/** Write a tree. */
async function writeTree ({ directory, write }: Sandbox): Promise<void> {
  await mkdir(join(directory, 'tree/sub/deep'), { recursive: true })
  await write('tree/same.txt', text(50_000))
  await write('tree/old.txt', text(20_000))
  await write('tree/sub/changed.txt', text(30_000))
  await write('tree/sub/deep/same', noise(1000))
}

async function addTree ({ run }: Sandbox, ...args: string[]): Promise<string> {
  const { stdout } = await run(['add', '-Q', 'tree', ...args])

  return stdout.toString().trim()
}

async function diff ({ run }: Sandbox, ...args: string[]): Promise<RunResult & { rows: unknown[] }> {
  const result = await run(['diff', '--json', ...args])

  return { ...result, rows: parseLines(result.stdout) }
}

/** Lose the root block of an entry. */
async function loseRoot ({ repo, run }: Sandbox, path: string): Promise<void> {
  const [{ plainCid }] = parseLines((await run(['stat', '--json', path])).stdout)
  const { storage: disk } = await openRepo(repo, { sync: false })

  await disk.delete(CID.parse(String(plainCid)))
}

describe.concurrent('ipfsz diff', () => {
  it('lists by path what was added, removed and changed, with original sizes', async ({ sandbox }) => {
    await writeTree(sandbox)
    const before = await addTree(sandbox)
    await rm(join(sandbox.directory, 'tree/old.txt'))
    await sandbox.write('tree/sub/changed.txt', text(40_000))
    await mkdir(join(sandbox.directory, 'tree/new'))
    await sandbox.write('tree/new/a', text(1000))
    await sandbox.write('tree/sub/deep/added', text(5000))
    const after = await addTree(sandbox)

    const result = await sandbox.run(['diff', before, after])
    expect(result).toMatchObject({ code: 1, stderr: '' })
    expect(result.stdout.toString().split('\n')).toEqual([
      'added\t-\t-\tnew/',
      'removed\t20000\t-\told.txt',
      'changed\t30000\t40000\tsub/changed.txt',
      'added\t-\t5000\tsub/deep/added',
      ''
    ])

    const { rows } = await diff(sandbox, before, after)
    expect(rows).toMatchObject([
      { change: 'added', path: 'new', after: { type: 'directory' } },
      { change: 'removed', path: 'old.txt', before: { type: 'file', size: 20_000 } },
      { change: 'changed', path: 'sub/changed.txt', before: { size: 30_000 }, after: { size: 40_000 } },
      { change: 'added', path: 'sub/deep/added', after: { size: 5000 } }
    ])
    expect(rows[0]).not.toHaveProperty('before')
    // a part of it, and turned around
    const { code, rows: part } = await diff(sandbox, `${after}/sub`, `/ipfs/${before}/sub`)
    expect(code).toBe(1)
    expect(part).toMatchObject([{ change: 'changed', path: 'changed.txt' }, { change: 'removed', path: 'deep/added' }])
  })

  it('reads nothing if the CIDs are equal, marked or not', async ({ sandbox }) => {
    await writeTree(sandbox)
    const cid = await addTree(sandbox)
    const plain = (await sandbox.run(['cid', 'plain', cid])).stdout.toString().trim()
    await Promise.all((await listBlocks(sandbox.repo)).map(async block => removeBlock(sandbox.repo, block)))

    for (const other of [cid, plain]) {
      const result = await sandbox.run(['diff', cid, other])
      expectSuccess(result)
      expect(result.stdout.toString()).toBe('')
    }
  })

  it('does not read the entries that have the same CID', async ({ sandbox }) => {
    await writeTree(sandbox)
    const before = await addTree(sandbox)
    await sandbox.write('tree/old.txt', text(21_000))
    const after = await addTree(sandbox)
    await loseRoot(sandbox, `${after}/same.txt`)
    await loseRoot(sandbox, `${after}/sub`)

    expect((await diff(sandbox, before, after)).rows).toMatchObject([{ change: 'changed', path: 'old.txt' }])
    expectFailure(await sandbox.run(['cat', `${after}/same.txt`]), 1)
  })

  it('compares compressed and uncompressed files by their content CID, or says that it is unknown', async ({
    sandbox
  }) => {
    await writeTree(sandbox)
    const plain = await addTree(sandbox, '--codec', 'none')
    const linked = await addTree(sandbox, '--link')
    const gzip = await addTree(sandbox, '--codec', 'gzip', '--link')
    const unnamed = await addTree(sandbox)

    // of a file of one block, the content CID is that of the raw block
    for (const [a, b] of [[plain, linked], [linked, gzip], [gzip, plain]]) {
      expect(await diff(sandbox, a, b)).toMatchObject({ code: 0, rows: [] })
    }

    const { code, rows, stderr } = await diff(sandbox, plain, unnamed)
    expect(code).toBe(1)
    expect(stderr).toContain('--content')
    expect(rows).toMatchObject(
      ['old.txt', 'same.txt', 'sub/changed.txt'].map(path => ({ change: 'unknown', path }))
    )
    expect(await diff(sandbox, plain, unnamed, '--content')).toMatchObject({ code: 0, rows: [], stderr: '' })

    const other = text(30_000)
    other[29_999] ^= 1
    await writeFile(join(sandbox.directory, 'tree/sub/changed.txt'), other)
    const edited = await addTree(sandbox)
    expect(await diff(sandbox, plain, edited, '--content'))
      .toMatchObject({ code: 1, rows: [{ change: 'changed', path: 'sub/changed.txt' }] })
  })

  it('compares two files, and a file with a directory', async ({ sandbox }) => {
    const [a, b] = [await sandbox.add(text(1000)), await sandbox.add(text(2000))]
    await mkdir(join(sandbox.directory, 'tree'))
    const tree = await addTree(sandbox)

    expect((await sandbox.run(['diff', a, b])).stdout.toString()).toBe('changed\t1000\t2000\t.\n')
    expect((await diff(sandbox, a, tree)).rows)
      .toMatchObject([{ change: 'changed', path: '', before: { type: 'file' }, after: { type: 'directory' } }])
  })

  it('has the exit code 2 for all other failures', async ({ sandbox }) => {
    const cid = await sandbox.add(text(1000))
    const missing = 'bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354'

    for (const args of [[cid, missing], [cid, `${cid}/a`], [cid, 'nothing'], [cid]]) {
      expectFailure(await sandbox.run(['diff', ...args]), 2)
    }
  })
})

describe('ipfsz diff with a gateway', () => {
  it('fetches what is missing', async ({ sandbox }) => {
    await writeTree(sandbox)
    const before = await addTree(sandbox)
    await cp(join(sandbox.directory, 'tree/old.txt'), join(sandbox.directory, 'tree/copy.txt'))
    const after = await addTree(sandbox)
    const { url } = await startGateway(sandbox)
    const args = ['diff', '--json', before, after, '--gateway', url]
    const result = await sandbox.run(args, { env: { IPFSZ_PATH: join(sandbox.directory, 'elsewhere') } })

    expect(result).toMatchObject({ code: 1, stderr: '' })
    expect(parseLines(result.stdout)).toMatchObject([{ change: 'added', path: 'copy.txt', after: { size: 20_000 } }])
  })
})
