import { chmod, mkdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { text } from '../support/data.ts'
import { expectSuccess, it, parseLines } from './run-cli.ts'
import { listBlocks, removeBlock } from '../support/stored-blocks.ts'

describe.concurrent('ipfsz ls', () => {
  it('prints modes and times with -l, and what is in directories with -R', async ({ sandbox }) => {
    const tree = join(sandbox.directory, 'in')
    await mkdir(join(tree, 'a/b'), { recursive: true })
    await writeFile(join(tree, 'a/b/c'), text(1000))
    await writeFile(join(tree, 'z'), text(2000))
    await chmod(join(tree, 'z'), 0o640)
    await utimes(join(tree, 'z'), 0, 86_400)
    const kept = await sandbox.run(['add', '-Q', '--preserve-mode', '--preserve-mtime', 'in'])
    const lost = await sandbox.run(['add', '-Q', '--no-preserve-mode', '--no-preserve-mtime', 'in'])
    const list = async (...args: string[]): Promise<string[][]> => {
      const result = await sandbox.run(['ls', ...args])
      expectSuccess(result)

      return result.stdout.toString().trimEnd().split('\n').map(line => line.split('\t'))
    }
    const [keptCid, lostCid] = [kept, lost].map(({ stdout }) => stdout.toString().trim())

    expect((await list(keptCid, '-l')).find(([,,,,,, name]) => name === 'z')?.slice(4))
      .toEqual(['0640', '1970-01-02T00:00:00Z', 'z'])
    expect((await list(lostCid, '-l')).map(cells => cells.slice(5))).toEqual([['-', 'a/'], ['-', 'z']])
    expect((await list(lostCid, '-R')).map(cells => cells.slice(4))).toEqual([['a/'], ['a/b/'], ['a/b/c'], ['z']])
    expect((await list(lostCid)).map(cells => cells.slice(4))).toEqual([['a/'], ['z']])

    const json = await sandbox.run(['ls', '-R', '--json', lostCid])
    expect(parseLines(json.stdout).map(({ name }) => name)).toEqual(['a', 'a/b', 'a/b/c', 'z'])
  })
})

describe.concurrent('ipfsz pin ls -l', () => {
  it('prints sizes and dates', async ({ sandbox }) => {
    const before = Date.now()
    await sandbox.write('file', text(100_000))
    expectSuccess(await sandbox.run(['add', 'file']))
    const [long, json, short] = await Promise.all(
      [['-l'], ['-l', '--json'], []].map(async args => sandbox.run(['pin', 'ls', ...args]))
    )
    const [pin] = parseLines(json.stdout)

    expect(pin).toMatchObject({ name: 'file', size: 100_000, storedSize: expect.any(Number) })
    // the clock of a file system may be behind by a tick
    expect(Date.parse(String(pin.pinnedAt))).toBeGreaterThan(before - 1000)
    expect(long.stdout.toString().trimEnd().split('\t'))
      .toEqual([pin.cid, '100000', expect.stringMatching(/^\d+$/), pin.pinnedAt, 'file'])
    expect(short.stdout.toString()).toBe(`${String(pin.cid)}\tfile\n`)
  })

  it('lists a pin whose blocks are gone', async ({ sandbox }) => {
    await sandbox.add(text(100_000))
    await removeBlock(sandbox.repo, (await listBlocks(sandbox.repo))[0])
    const result = await sandbox.run(['pin', 'ls', '-l'])

    expectSuccess(result)
    expect(result.stdout.toString().split('\t').slice(1, 3)).toEqual(['-', '-'])
  })
})
