/**
 * Processes that are killed while they add to packs or write them anew.
 *
 * @module-tag slow
 */
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import { noise } from '../support/data.ts'
import { expectIntact } from './repo.ts'
import { expectSuccess, finish, it } from './run-cli.ts'
import { makeTree } from './tree-files.ts'

const KILLS = 12

it('add and gc can be killed at any moment, and what was acknowledged stays', async ({ sandbox }) => {
  const bytes = noise(200_000)
  const kept = await sandbox.add(bytes)
  const added: string[] = []
  let killed = 0

  /** @returns what a command printed until it was killed, or ended */
  async function kill (delay: number, ...args: string[]): Promise<string> {
    const child = sandbox.start(args)
    const ended = finish(child)
    const killing = setTimeout(delay).then(() => child.kill('SIGKILL'))
    const { signal, stdout, stderr } = await ended
    await killing
    expect(stderr).toBe('')
    killed += signal == null ? 0 : 1

    return String(stdout).trim()
  }

  for (let round = 0; round < KILLS; round++) {
    const tree = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${i}`, noise(8000, round * 100 + i)]))
    await makeTree(join(sandbox.directory, `${round}`), tree)
    // from the start of a process to its end
    const delay = 150 + round * 30
    const cid = await kill(delay, 'add', '-Q', `${round}`)

    if (cid !== '') {
      added.push(cid)
    }

    // leaves something to write anew
    expectSuccess(await sandbox.spawn(['add', '-Q', '--no-pin', `${round}`]))
    await kill(delay, 'gc', '--max-unused', '0')

    const verified = await sandbox.spawn(['verify', '--all'])
    expectSuccess(verified)
    added.forEach(cid => { expect(String(verified.stdout)).toContain(cid) })
    expect((await sandbox.spawn(['cat', kept])).stdout.equals(bytes)).toBe(true)

    if (round % 2 === 0 && added.length > 0) {
      expectSuccess(await sandbox.spawn(['pin', 'rm', added.shift() ?? '']))
    }
  }

  expect(killed).toBeGreaterThan(KILLS / 2)
  expectSuccess(await sandbox.spawn(['add', '-Q', '0']))
  expectSuccess(await sandbox.spawn(['gc', '--max-unused', '0']))
  expectSuccess(await sandbox.spawn(['verify', '--all']))
  await expectIntact(sandbox.repo)
})
