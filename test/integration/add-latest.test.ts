import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { noise, text } from '../support/data.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'
import { largestBlock, removeBlock } from '../support/stored-blocks.ts'
import type { RunResult, Sandbox } from './run-cli.ts'

const FIRST = noise(600_000)
const SECOND = Buffer.concat([FIRST.subarray(0, 300_000), text(1000), FIRST.subarray(300_000)])
const THIRD = Buffer.concat([text(500), SECOND])

interface Version {
  name: string
  cid: string
  size: number
  addedSize: number
  pinned: boolean
}

async function addLatest (sandbox: Sandbox, ...args: string[]): Promise<string> {
  const result = await sandbox.run(['add', '-Q', '--base', 'latest', ...args])
  expectSuccess(result)

  return result.stdout.toString().trim()
}

async function readLog ({ run }: Sandbox, ...args: string[]): Promise<Version[]> {
  const result = await run(['log', '--json', ...args])
  expectSuccess(result)

  return result.stdout.toString().trim().split('\n').filter(Boolean).map(line => JSON.parse(line) as Version)
}

function expectFailed (result: RunResult, code: number, message: string): void {
  expectFailure(result, code)
  expect(result.stderr).toContain(message)
}

async function baseOf ({ run }: Sandbox, cid: string): Promise<string | undefined> {
  return (JSON.parse((await run(['stat', '--json', cid])).stdout.toString()) as { base?: string }).base
}

describe.concurrent('ipfsz add --base latest', () => {
  it('stores what changed since the last version, and log lists the versions', async ({ sandbox }) => {
    const cids: string[] = []

    for (const bytes of [FIRST, SECOND, THIRD]) {
      await sandbox.write('report', bytes)
      cids.push(await addLatest(sandbox, 'report'))
    }

    const versions = await readLog(sandbox, 'report')

    expect(versions.map(({ cid }) => cid)).toEqual(cids.toReversed())
    expect(versions.map(({ size }) => size)).toEqual([THIRD, SECOND, FIRST].map(({ byteLength }) => byteLength))
    expect(versions.every(({ name, pinned }) => name === 'report' && pinned)).toBe(true)
    expect(versions.slice(0, 2).every(({ addedSize }) => addedSize < 3000)).toBe(true)
    expect(versions[2].addedSize).toBeGreaterThanOrEqual(FIRST.byteLength)
    // both refer back to the first one
    expect(await baseOf(sandbox, cids[2])).toBe(await baseOf(sandbox, cids[1]))
    expect((await sandbox.run(['cat', cids[2]])).stdout.equals(THIRD)).toBe(true)

    // nothing changed: that is no new version
    expect(await addLatest(sandbox, 'report')).toBe(cids[2])
    expect(await readLog(sandbox, 'report')).toHaveLength(3)

    const [line] = (await sandbox.run(['log', 'report'])).stdout.toString().split('\n')
    expect(line).toMatch(new RegExp(`^\\d{4}-.*Z\\t${cids[2]}\\t[^\\t]+\\t[^\\t]+$`))
  })

  it('counts nothing as new for a file with a base that did not change', async ({ sandbox }) => {
    await mkdir(join(sandbox.directory, 'tree'))

    for (const bytes of [FIRST, SECOND]) {
      await sandbox.write('tree/report', bytes)
      await addLatest(sandbox, 'tree')
    }

    await sandbox.write('tree/new', noise(100))
    const tree = await addLatest(sandbox, 'tree')
    const [{ addedSize }] = await readLog(sandbox, 'tree')
    const [{ storedSize: file }] = parseLines((await sandbox.run(['stat', '--json', `${tree}/report`])).stdout)

    // the new file and the root: what was stored of the other one, and is no part of the tree, is not there
    expect(addedSize).toBeGreaterThan(100)
    expect(addedSize).toBeLessThan(300)
    expect(file).toBeGreaterThan(addedSize)
    // nor of the file alone, whose earlier version is in the history of the tree
    const [added] = parseLines(
      (await sandbox.run(['add', '--json', '--base', `${tree}/report`, 'tree/report'])).stdout
    )
    expect(added).toMatchObject({ newSize: 0 })
  })

  it('continues from the newest version that the repo still has', async ({ sandbox }) => {
    await sandbox.write('report', FIRST)
    await addLatest(sandbox, 'report')
    await sandbox.write('report', SECOND)
    const second = await addLatest(sandbox, 'report')
    expectSuccess(await sandbox.run(['pin', 'rm', second]))
    expect((await readLog(sandbox, 'report')).map(({ pinned }) => pinned)).toEqual([false, true])
    expectSuccess(await sandbox.run(['gc']))

    await sandbox.write('report', THIRD)
    const third = await addLatest(sandbox, 'report')
    expect(await baseOf(sandbox, third)).toBeDefined()

    for (const { cid } of (await readLog(sandbox, 'report')).filter(({ pinned }) => pinned)) {
      expectSuccess(await sandbox.run(['pin', 'rm', cid]))
    }

    expectSuccess(await sandbox.run(['gc', '--force']))
    const fresh = await sandbox.run(['add', '-Q', '--base', 'latest', 'report'])
    expect(fresh.code).toBe(0)
    expect(fresh.stderr).toContain('no longer has a version of report')
    expect(await baseOf(sandbox, fresh.stdout.toString().trim())).toBeUndefined()
  })

  it('needs no version that the repo has only a part of', async ({ sandbox }) => {
    // of two leaves
    await sandbox.write('report', noise(1_100_000))
    const first = await addLatest(sandbox, 'report')
    const leaf = await largestBlock(sandbox.repo)

    await sandbox.write('report', SECOND)
    await removeBlock(sandbox.repo, leaf)
    // the repo is damaged: that is not passed over
    expectFailure(await sandbox.run(['add', '--base', 'latest', 'report']), 1)
    expectSuccess(await sandbox.run(['pin', 'rm', first]))
    const added = await sandbox.run(['add', '-Q', '--base', 'latest', 'report'])
    const second = added.stdout.toString().trim()

    expect([added.code, added.stderr]).toEqual([0, expect.stringContaining('no longer has a version of report')])
    expect(await baseOf(sandbox, second)).toBeUndefined()
    expect((await sandbox.run(['cat', second])).stdout.equals(SECOND)).toBe(true)
  })

  it('keeps a history of a directory, in which files that changed much begin anew', async ({ sandbox }) => {
    await mkdir(join(sandbox.directory, 'tree'))
    const changed = Buffer.concat([FIRST.subarray(0, 200_000), noise(400_000, 2)])
    const cids: string[] = []

    for (const bytes of [FIRST, changed, changed, Buffer.concat([changed, text(9)])]) {
      await sandbox.write('tree/a', bytes)
      await sandbox.write('tree/number', Buffer.from(String(cids.length)))
      cids.push(await addLatest(sandbox, '--no-detect', 'tree'))
    }

    const bases = await Promise.all(cids.map(async cid => baseOf(sandbox, `${cid}/a`)))
    expect(bases.map(base => base != null)).toEqual([false, true, false, true])
    expect(bases[3]).not.toBe(bases[1])
    expect(await readLog(sandbox, 'tree')).toHaveLength(4)
  })

  it('has one history for each name', async ({ sandbox }) => {
    await sandbox.write('a', FIRST)
    await sandbox.write('b', SECOND)
    const other = 'a/b: \u202e\n'

    expectSuccess(await sandbox.run(['add', '--base', 'latest', 'a', 'b']))
    await addLatest(sandbox, '--name', other, 'a')
    const piped = ['add', '-Q', '--base', 'latest', '--name', 'a', '-']
    expectSuccess(await sandbox.run(piped, { stdin: SECOND }))

    expect((await readLog(sandbox)).map(({ name }) => name)).toEqual(['a', other, 'b'])
    expect(await readLog(sandbox, 'a')).toHaveLength(2)

    expectSuccess(await sandbox.run(['log', '--forget', other]))
    expectFailed(await sandbox.run(['log', other]), 1, 'has no history')
    expect((await readLog(sandbox)).map(({ name }) => name)).toEqual(['a', 'b'])
  })

  it('refuses what has no name, or another kind than its last version', async ({ sandbox }) => {
    await mkdir(join(sandbox.directory, 'tree'))
    await sandbox.write('file', FIRST)
    const cid = await addLatest(sandbox, 'file')

    const failures: Array<[string[], number, string]> = [
      [['add', '--base', 'latest', '-'], 2, '--name'],
      [['add', '--base', 'latest', '-w', 'file'], 2, '--name'],
      [['add', '--base', 'latest', '--name', 'a', 'file', 'tree'], 2, 'omit --name'],
      [['add', '--base', 'latest', '--name', '', 'file'], 2, 'cannot be the name'],
      [['add', '--base', 'latest', '--only-hash', 'file'], 2, '--only-hash'],
      [['add', '--name', 'a', 'file'], 2, '--base latest'],
      [['add', '--base', 'latest', '--name', 'file', 'tree'], 1, `${cid} cannot be a base`],
      [['add', '--base', 'latest', '--name', 'file', 'tree'], 1, 'add it under another name'],
      [['log', 'nothing'], 1, 'has no history'],
      [['log', '--forget', 'nothing'], 1, 'has no history'],
      [['log', '--forget'], 2, '--forget requires']
    ]

    for (const [args, code, message] of failures) {
      expectFailed(await sandbox.run(args), code, message)
    }
  })

  it('says which base is missing', async ({ sandbox }) => {
    await sandbox.write('file', FIRST)
    const first = await addLatest(sandbox, 'file')
    await rm(sandbox.repo, { recursive: true })
    expectFailed(await sandbox.run(['add', '--base', first, 'file']), 1, first)
  })
})
