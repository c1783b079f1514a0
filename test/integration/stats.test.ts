/** @module-tag long */
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { longText, noise, text } from '../support/data.ts'
import { expectSuccess, it, parseLines } from './run-cli.ts'
import { listBlocks, removeBlock } from '../support/stored-blocks.ts'
import { addTree, makeTree } from './tree-files.ts'
import type { Sandbox } from './run-cli.ts'

interface Stats {
  size: number
  storedSize: number
  files: { count: number, size: number, storedSize: number, ratio: number, incompletePins: number }
  originalSize: number
  saved: number
}

async function stats (sandbox: Sandbox): Promise<Stats> {
  const result = await sandbox.run(['stats', '--json'])
  expectSuccess(result)

  return parseLines(result.stdout)[0] as never
}

describe.concurrent('ipfsz stats', () => {
  it('says what pinned compressed files save, each counted once', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), {
      'a/one': text(100_000),
      'a/same': text(100_000),
      large: longText(9_000_000),
      plain: noise(10_000)
    })
    await addTree(sandbox, 'in')
    // once more, by itself
    await sandbox.add(text(100_000))
    await sandbox.add(text(200_000, 2), '--no-pin')
    const rows = parseLines((await sandbox.run(['add', '--json', 'in/a/one', 'in/large'])).stdout)
    const stored = rows.reduce((total, { storedSize }) => total + Number(storedSize), 0)

    const { size, storedSize, files, originalSize, saved } = await stats(sandbox)

    expect(files)
      .toEqual({ count: 2, size: 9_100_000, storedSize: stored, ratio: stored / 9_100_000, incompletePins: 0 })
    expect(originalSize).toBe(size + 9_100_000 - stored)
    expect(saved).toBe(originalSize - storedSize)
  })

  it('counts a block that files share once, and says so', async ({ sandbox }) => {
    const bytes = longText(3_000_000)
    await sandbox.write('one', bytes)
    await sandbox.write('two', Buffer.concat([bytes, text(100_000)]))
    const added = await sandbox.run(['add', '--json', '--cut', 'content', 'one', 'two'])
    const cids = parseLines(added.stdout).map(({ cid }) => String(cid))
    const usage = parseLines((await sandbox.run(['du', '--json', ...cids])).stdout).at(-1)

    expect((await stats(sandbox)).files).toMatchObject({ count: 2, storedSize: usage?.storedSize })
    expect((await sandbox.run(['stats'])).stdout.toString()).toContain('each block counted once')
  })

  it('says what compressed blocks save besides', async ({ sandbox }) => {
    expectSuccess(await sandbox.run(['init', '--blockstore-codec', 'zstd']))
    await sandbox.add(longText(3_000_000), '--codec', 'none')

    const { size, storedSize, files, originalSize, saved } = await stats(sandbox)

    expect(files).toEqual({ count: 0, size: 0, storedSize: 0, ratio: 1, incompletePins: 0 })
    expect(originalSize).toBe(size)
    expect(saved).toBe(size - storedSize)
  })

  it('counts the other files when a block of one is missing, and says so', async ({ sandbox }) => {
    await sandbox.add(text(100_000))
    await makeTree(join(sandbox.directory, 'in'), { b: text(200_000, 2) })
    // a directory is first stored empty
    await makeTree(join(sandbox.directory, 'empty'), {})
    expectSuccess(await sandbox.run(['add', '--no-pin', 'in/b', 'empty']))
    const before = await listBlocks(sandbox.repo)
    await addTree(sandbox, 'in')
    const [directory] = (await listBlocks(sandbox.repo)).filter(file => !before.includes(file))
    await removeBlock(sandbox.repo, directory)

    expect((await stats(sandbox)).files).toMatchObject({ count: 1, size: 100_000, incompletePins: 1 })
    expect((await sandbox.run(['stats'])).stdout.toString()).toMatch(/1 pin could not be read in full.*verify --all/)
  })
})
