import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect } from 'vitest'
import { openRepo } from '../../packages/node/dist/repo/repo.js'
import { noise, text } from '../support/data.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'
import type { Sandbox } from './run-cli.ts'

const FIRST = noise(1_500_000)
const SECOND = Buffer.concat([FIRST.subarray(0, 700_000), text(1000), FIRST.subarray(700_000)])

async function add (sandbox: Sandbox, ...args: string[]): Promise<string> {
  const result = await sandbox.run(['add', '-Q', ...args])
  expectSuccess(result)

  return result.stdout.toString().trim()
}

async function repoSize ({ run }: Sandbox): Promise<number> {
  const [all] = JSON.parse(`[${(await run(['stats', '--json'])).stdout.toString().trim().split('\n').join(',')}]`)

  return all.size
}

describe.concurrent('ipfsz add --base', () => {
  it('stores what changed in a file, and gc keeps its base', async ({ sandbox }) => {
    await sandbox.write('first', FIRST)
    await sandbox.write('second', SECOND)
    const base = await add(sandbox, 'first')
    const before = await repoSize(sandbox)
    const printed = await sandbox.run(['add', '--json', '--base', base, 'second'])
    const { cid, newSize, storedSize } = JSON.parse(printed.stdout.toString())

    expect(newSize).toBe(await repoSize(sandbox) - before)
    expect(storedSize).toBe(newSize)
    expect(newSize).toBeLessThan(3000)
    expectSuccess(await sandbox.run(['pin', 'rm', base]))
    expectSuccess(await sandbox.run(['gc']))
    expect((await sandbox.run(['cat', cid])).stdout.equals(SECOND)).toBe(true)
    const saved = JSON.parse((await sandbox.run(['stats', '--json'])).stdout.toString().trim().split('\n')[0])
    expect(saved.files.storedSize).toBeLessThan(3000)
    expectSuccess(await sandbox.run(['verify', cid]))
    expect((await sandbox.run(['stat', cid])).stdout.toString()).toContain(`Base\t${base}\n`)
  })

  it('takes the file of the same path for each file of a directory', async ({ sandbox }) => {
    await mkdir(join(sandbox.directory, 'tree/sub'), { recursive: true })
    await sandbox.write('tree/sub/a', FIRST)
    await sandbox.write('tree/same', text(200_000))
    const base = await add(sandbox, 'tree')
    const before = await repoSize(sandbox)
    await sandbox.write('tree/sub/a', SECOND)
    await sandbox.write('tree/new', text(500))
    const printed = await sandbox.run(['add', '--json', '--base', base, 'tree'])
    const rows = parseLines(printed.stdout) as Array<Record<'name' | 'cid', string> & Record<`${string}Size`, number>>
    const { cid, newSize, storedSize } = rows.at(-1) ?? rows[0]
    const files = Object.fromEntries(rows.map(row => [row.name, row.storedSize]))

    // the frames of what did not change may have been stored too, for nothing
    expect(newSize).toBeLessThanOrEqual(await repoSize(sandbox) - before)
    expect(newSize).toBeLessThan(5000)
    // no size has the earlier version: the changed file's is that of a file that is added by itself
    const alone = await sandbox.run(['add', '--json', '--base', `${base}/sub/a`, 'tree/sub/a'])
    const again = JSON.parse(alone.stdout.toString())
    expect(again).toMatchObject({ storedSize: files['tree/sub/a'], newSize: 0 })
    // what did not change is the earlier version
    expect(files['tree/same']).toBeGreaterThan(50_000)
    expect(storedSize).toBeGreaterThan(files['tree/sub/a'] + files['tree/new'] + files['tree/same'])
    expect(storedSize - newSize).toBe(files['tree/same'])
    expect((await sandbox.run(['cat', `${cid}/sub/a`])).stdout.equals(SECOND)).toBe(true)
    expect((await sandbox.run(['cat', `${cid}/new`])).stdout.equals(text(500))).toBe(true)
    const same = async (root: string): Promise<string> =>
      (await sandbox.run(['stat', '--json', `${root}/same`])).stdout.toString()
    expect(await same(cid)).toBe(await same(base))
  })

  it('finds by content what a file was before it was renamed', async ({ sandbox }) => {
    await mkdir(join(sandbox.directory, 'tree/old'), { recursive: true })
    await sandbox.write('tree/old/a', FIRST)
    await sandbox.write('tree/old/stays', noise(100_000, 3))
    await sandbox.write('tree/old/b', noise(100_000, 2))
    const base = await add(sandbox, 'tree')
    await rename(join(sandbox.directory, 'tree/old/a'), join(sandbox.directory, 'tree/new'))
    await rm(join(sandbox.directory, 'tree/old/b'))
    await sandbox.write('tree/new', SECOND)
    await sandbox.write('tree/copy', Buffer.concat([text(9), noise(100_000, 3)]))
    const cid = await add(sandbox, '--base', base, 'tree')
    const stat = async (path: string): Promise<{ base?: string, plainCid: string }> =>
      JSON.parse((await sandbox.run(['stat', '--json', path])).stdout.toString()) as { base?: string, plainCid: string }

    expect((await stat(`${cid}/new`)).base).toBe((await stat(`${base}/old/a`)).plainCid)
    expect((await sandbox.run(['cat', `${cid}/new`])).stdout.equals(SECOND)).toBe(true)
    // what is like a file that is still there is not that file under another name
    expect((await stat(`${cid}/copy`)).base).toBeUndefined()
  })

  it('moves to another repo with its base, in a CAR', async ({ sandbox }) => {
    await sandbox.write('first', FIRST)
    await sandbox.write('second', SECOND)
    const cid = await add(sandbox, '--base', await add(sandbox, 'first'), 'second')
    expectSuccess(await sandbox.run(['car', 'export', cid, '-o', 'second.car']))
    await rm(sandbox.repo, { recursive: true })
    expectSuccess(await sandbox.run(['car', 'import', 'second.car']))

    expect((await sandbox.run(['cat', cid])).stdout.equals(SECOND)).toBe(true)
  })

  it('refuses an earlier version that has a base, and names that one, if asked to', async ({ sandbox }) => {
    await sandbox.write('first', FIRST)
    await sandbox.write('second', SECOND)
    await sandbox.write('third', Buffer.concat([SECOND, text(50)]))
    const first = await add(sandbox, 'first')
    const second = await add(sandbox, '--base', first, 'second')
    const refused = await sandbox.run(['add', '--base', second, '--base-of-base', 'refuse', 'third'])
    expectFailure(refused, 1)
    expect(refused.stderr).toContain('it has a base itself')
    const stat = await sandbox.run(['stat', '--json', await add(sandbox, '--base', second, 'third')])
    expect(refused.stderr).toContain(JSON.parse(stat.stdout.toString()).base)
    await add(sandbox, '--base', first, '--base-of-base', 'refuse', 'third')
  })

  it('refuses what cannot be an earlier version, and codecs that cannot use one', async ({ sandbox }) => {
    await mkdir(join(sandbox.directory, 'tree'))
    await sandbox.write('tree/a', text(100))
    await sandbox.write('file', text(100_000))
    const tree = await add(sandbox, 'tree')
    const file = await add(sandbox, 'file')

    const failures: Array<[string[], number, string]> = [
      [['--base', tree, 'file'], 1, 'cannot be a base: it is not a file'],
      [['--base', file, 'tree'], 1, 'cannot be a base: it is a file'],
      [['--base', 'nonsense', 'file'], 2, '"nonsense" is not a CID'],
      [['--base', file, '--codec', 'gzip', 'file'], 2, '--base requires zstd'],
      [['--base', 'latest', '--base-of-base', 'refuse', 'file'], 2, 'cannot be combined with --base latest'],
      [['--base-of-base', 'refuse', 'file'], 2, '--base-of-base requires --base']
    ]

    for (const [args, code, message] of failures) {
      const result = await sandbox.run(['add', ...args])
      expectFailure(result, code)
      expect(result.stderr).toContain(message)
    }
  })
})

// by itself: it writes into the repo, besides the commands of this process
describe('ipfsz add --base, with blocks that were stored by hand', () => {
  it('refuses a base that lacks a block, even one that states no bytes', async ({ sandbox }) => {
    await sandbox.write('second', SECOND)
    const leaf = await add(sandbox, '--codec', 'none', await sandbox.write('leaf', FIRST.subarray(0, 900_000)))
    const lacking = CID.createV1(raw.code, await sha256.digest(Buffer.from('nobody has this')))
    const block = dagPb.encode(dagPb.prepare({
      Data: new UnixFS({ type: 'file', blockSizes: [900_000n, 0n] }).marshal(),
      Links: [{ Name: '', Hash: CID.parse(leaf), Tsize: 900_000 }, { Name: '', Hash: lacking, Tsize: 0 }]
    }))
    const base = CID.createV1(dagPb.code, await sha256.digest(block))
    const { storage } = await openRepo(sandbox.repo)
    await storage.put(base, block)

    // all of its content is here
    const read = await sandbox.run(['cat', base.toString()])
    expectSuccess(read)
    expect(read.stdout).toHaveLength(900_000)
    const refused = await sandbox.run(['add', '--base', base.toString(), 'second'])
    expectFailure(refused, 1)
    expect(refused.stderr).toContain(lacking.toString())
    expect((await sandbox.run(['pin', 'ls'])).stdout.toString().trim().split('\n')).toHaveLength(1)
    await storage.put(lacking, Buffer.from('nobody has this'))
    await add(sandbox, '--base', base.toString(), 'second')
  })
})
