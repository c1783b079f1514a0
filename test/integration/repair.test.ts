import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { longText, noise, text } from '../support/data.ts'
import { expectSuccess, it, parseLines } from './run-cli.ts'
import { flipBit, largestBlocks, listBlocks, removeBlock } from '../support/stored-blocks.ts'
import { addTree, makeTree } from './tree-files.ts'
import type { RunResult } from './run-cli.ts'

const MIB = 1024 * 1024

describe('ipfsz verify --all', () => {
  it('reports each pin on a line and fails when one is damaged', async ({ sandbox }) => {
    const good = await sandbox.add(text(100_000))
    const before = await listBlocks(sandbox.repo)
    const bad = await sandbox.add(longText(5 * MIB))
    expectSuccess(await sandbox.run(['verify', '--all']))
    const [file] = (await listBlocks(sandbox.repo)).filter(file => !before.includes(file))
    await flipBit(sandbox.repo, file)

    const plain = await sandbox.run(['verify', '--all'])
    const json = await sandbox.run(['verify', '--all', '--json'])

    expect([plain.code, json.code]).toEqual([1, 1])
    expect(plain.stdout.toString().trimEnd().split('\n').map(line => line.split('\t').slice(0, 2)).toSorted())
      .toEqual([[bad, 'damaged'], [good, 'good']].toSorted())
    expect(parseLines(json.stdout).toSorted((a, b) => Number(b.ok) - Number(a.ok))).toMatchObject([
      { cid: good, ok: true, state: 'good', size: 100_000, files: 1 },
      { cid: bad, ok: false, state: 'damaged', error: 'CorruptBlockError' }
    ])
  })

  it('distinguishes missing from damaged blocks, and suggests ipfsz repair for both', async ({
    sandbox
  }) => {
    const [missing, damaged] = [
      await sandbox.add(noise(2 * MIB)),
      await addTree(sandbox, await makeTree(join(sandbox.directory, 'in'), { 'a/b': text(3 * MIB) }))
    ]
    const blocks = await largestBlocks(sandbox.repo)
    await removeBlock(sandbox.repo, blocks[0])
    await flipBit(sandbox.repo, blocks[2])

    const plain = await sandbox.run(['verify', '--all'])
    const json = await sandbox.run(['verify', '--all', '--json'])

    expect([plain.code, json.code]).toEqual([1, 1])
    const rows = plain.stdout.toString().trimEnd().split('\n').map(line => line.split('\t'))
    expect(rows.map(cells => cells.slice(0, 2)).toSorted())
      .toEqual([[missing, 'incomplete'], [damaged, 'damaged']].toSorted())
    rows.forEach(([, , told]) => { expect(told).toMatch(/ipfsz repair$/) })
    expect(parseLines(json.stdout).map(({ cid, ok, state }) => [cid, ok, state]).toSorted())
      .toEqual([[missing, false, 'incomplete'], [damaged, false, 'damaged']].toSorted())
    expect(plain.stderr).not.toContain('ipfsz get')
  })

  it('fails for an original whose own blocks are missing, even if a linked file has its bytes', async ({
    sandbox
  }) => {
    const bytes = text(3 * MIB)
    const original = await sandbox.add(bytes, '--codec', 'none')
    const root = (await largestBlocks(sandbox.repo)).at(-1) as string
    const compressed = await sandbox.add(bytes, '--link')
    await removeBlock(sandbox.repo, root)

    const result = await sandbox.run(['verify', '--all', '--json'])

    expect(result.code).toBe(1)
    expect(parseLines(result.stdout).toSorted((a, b) => Number(a.ok) - Number(b.ok)))
      .toMatchObject([{ cid: original, ok: false }, { cid: compressed, ok: true }])
  })

  it('succeeds when nothing is pinned', async ({ sandbox }) => {
    expectSuccess(await sandbox.run(['init']))
    expectSuccess(await sandbox.run(['verify', '--all']))
  })

  it.for([[[]], [
    ['--all', 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku']
  ]])('refuses CIDs together with --all, and neither of them: %s', async ([args], { sandbox }) => {
    expect((await sandbox.run(['verify', ...args])).code).toBe(2)
  })
})

describe('a lost block', () => {
  it.for([
    'cat ONE', 'stat ONE', 'pin add ONE', 'verify ONE', 'verify ONE TWO', 'verify --all', 'repair'
  ])('is told with the repo that lacks it, once: %s', async (command, { sandbox }) => {
    const repo = join(sandbox.directory, 'other')
    const inOther = async (...args: string[]): Promise<RunResult> => sandbox.run(['--repo', 'other', ...args])
    await sandbox.write('one', text(1000))
    await sandbox.write('two', text(1001))
    const [one, two] = (await inOther('add', '-q', 'one', 'two')).stdout.toString().trim().split('\n')
    await Promise.all((await listBlocks(repo)).map(async block => removeBlock(repo, block)))

    const { code, stdout, stderr } = await inOther(...command.replace('ONE', one).replace('TWO', two).split(' '))

    expect(code).toBe(1)
    expect(`${stdout.toString()}${stderr}`.split('The repo is ')).toHaveLength(2)
    expect(stderr.trimEnd().endsWith(`. The repo is ${repo}`)).toBe(true)
  })

  it('is told without a repo if it is none of its blocks: a name that a directory lacks', async ({ sandbox }) => {
    const cid = await addTree(sandbox, await makeTree(join(sandbox.directory, 'in'), { a: text(1000) }))

    expect((await sandbox.run(['cat', `${cid}/b`])).stderr).not.toContain('The repo is')
  })
})

describe('ipfsz repair', () => {
  it('lists lost blocks and the pins that need them when there is no peer to ask', async ({ sandbox }) => {
    await makeTree(sandbox.directory, { 'one/a': noise(2 * MIB), 'one/b': 'b', 'two/a': noise(2 * MIB), 'two/c': 'c' })
    const [one, two] = [await addTree(sandbox, 'one'), await addTree(sandbox, 'two')]
    const good = await sandbox.add(text(1000))
    const leaves = await largestBlocks(sandbox.repo)
    await flipBit(sandbox.repo, leaves[0])
    await removeBlock(sandbox.repo, leaves[1])

    const result = await sandbox.run(['repair', '--json'])
    const lines = parseLines(result.stdout)

    expect(result.code).toBe(1)
    expect(
      lines.filter(({ cid }) => cid != null).map(
        ({ cid, state, damaged, missing, fetched }) => [cid, state, damaged, missing, fetched]
      ).toSorted()
    ).toEqual([
      [good, 'good', 0, 0, 0],
      [one, 'incomplete', 1, 1, 0],
      [two, 'incomplete', 1, 1, 0]
    ].toSorted())
    const lost = lines.filter(({ block }) => block != null)
    expect(lost.map(({ state }) => state).toSorted()).toEqual(['damaged', 'missing'])
    lost.forEach(({ roots }) => { expect((roots as string[]).toSorted()).toEqual([one, two].toSorted()) })
    expect((await sandbox.run(['repair'])).stdout.toString().trimEnd().split('\n')).toHaveLength(5)
  })
})
