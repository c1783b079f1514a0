/** @module-tag slow */
import { describe, expect } from 'vitest'
import { longText, text } from '../support/data.ts'
import { expectIntact, feed, waitForBlocks } from './repo.ts'
import { expectSuccess, finish, it, parseLines } from './run-cli.ts'

const MIB = 1024 * 1024

describe('several processes on one repo', () => {
  it('add the same file at the same time', async ({ sandbox }) => {
    const bytes = longText(20 * MIB)
    await sandbox.write('a', bytes)

    const results = await Promise.all(Array.from({ length: 4 }, () => sandbox.spawn(['add', '--json', 'a'])))

    results.forEach(expectSuccess)
    const cids = new Set(results.map(({ stdout }) => String(parseLines(stdout)[0].cid)))
    expect(cids.size).toBe(1)
    await expectIntact(sandbox.repo)
    expect((await sandbox.spawn(['cat', ...cids])).stdout.equals(bytes)).toBe(true)
  })

  it('add the same file while one of them is killed', async ({ sandbox }) => {
    const bytes = longText(20 * MIB)

    const one = sandbox.start(['add', '-'])
    const killed = finish(one, feed(20, { stall: true }))
    const other = sandbox.add(bytes)
    await waitForBlocks(sandbox.repo, 2)
    one.kill('SIGKILL')
    await killed

    expect((await sandbox.spawn(['cat', await other])).stdout.equals(bytes)).toBe(true)
    await expectIntact(sandbox.repo)
  })

  it('create a repo at the same time', async ({ sandbox }) => {
    for (let round = 0; round < 3; round++) {
      const results = await Promise.all(
        Array.from(
          { length: 6 },
          (_, i) => sandbox.spawn(['add', '-', '--repo', `repo${round}`], { stdin: text(1000, i + 1) })
        )
      )

      results.forEach(expectSuccess)
    }
  })
})
