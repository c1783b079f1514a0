/** @module-tag slow */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdir, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect } from 'vitest'
import { longText, text } from '../support/data.ts'
import { expectIntact, feed, waitForBlocks, waitForFiles } from './repo.ts'
import { listBlocks } from '../support/stored-blocks.ts'
import { expectFailure, expectSuccess, finish, it } from './run-cli.ts'

const MIB = 1024 * 1024

describe('Ctrl-C', () => {
  it('ends an add with exit code 130 when stdin stalls after some blocks', async ({ sandbox }) => {
    const before = await sandbox.add(text(100_000))
    const child = sandbox.start(['add', '-'])
    const result = finish(child, feed(20, { stall: true }))
    await waitForBlocks(sandbox.repo, 4)
    child.kill('SIGINT')

    expectFailure(await result, 130)
    await expectIntact(sandbox.repo)
    expect((await sandbox.run(['cat', before])).stdout.equals(text(100_000))).toBe(true)
    expectSuccess(await sandbox.run(['cat', await sandbox.add(longText(9 * MIB))]))
  })

  it('ends an add with exit code 130 before stdin gives any bytes', async ({ sandbox }) => {
    const child = sandbox.start(['add', '-'])
    const result = finish(child, feed(0, { stall: true }))
    await waitForFiles(join(sandbox.repo, 'datastore'), 1)
    child.kill('SIGINT')

    expectFailure(await result, 130)
    expectSuccess(await sandbox.run(['cat', await sandbox.add(text(1000))]))
  })

  it('keeps the files that add has finished, and skips the files after the current one', async ({ sandbox }) => {
    await sandbox.write('a', text(100_000, 1))
    await sandbox.write('c', text(100_000, 2))
    const child = sandbox.start(['add', '-Q', 'a', '-', 'c'])
    child.stdout.once('data', () => { child.kill('SIGINT') })

    const { code, stdout, stderr } = await finish(child, feed(0, { stall: true }))

    expect(code).toBe(130)
    expect(stderr).toMatch(/^ipfsz: [^\n]+\n$/)
    const [cid, ...rest] = stdout.toString().trimEnd().split('\n')
    expect(rest).toEqual([])
    expect((await sandbox.run(['cat', cid])).stdout.equals(text(100_000, 1))).toBe(true)
  })

  it('ends a cat with exit code 130 when its reader stalls', async ({ sandbox }) => {
    const cid = await sandbox.add(longText(20 * MIB))
    const child = sandbox.start(['cat', cid])
    const exit = once(child, 'exit')
    // the output stays in the pipe
    await once(child.stdout, 'readable')
    child.kill('SIGINT')

    expect(await exit).toEqual([130, null])
  })

  it('leaves no partial file of a get behind', async ({ sandbox }) => {
    const cid = await sandbox.add(longText(200 * MIB))
    const child = sandbox.start(['get', cid, '-o', 'out'])
    const result = finish(child)

    await waitForFiles(sandbox.directory, 2)
    child.kill('SIGINT')

    expectFailure(await result, 130)
    expect(await readdir(sandbox.directory)).toEqual(['repo'])
  })
})

describe('kill -9', () => {
  it('during adds leaves every file that was added before intact', async ({ sandbox }) => {
    const added: string[] = []

    for (let round = 0; round < 10; round++) {
      added.push(await sandbox.add(text(300_000, round + 1)))

      const blocks = (await listBlocks(sandbox.repo)).length
      const codec = round % 2 === 0 ? 'zstd' : 'none'
      const child = sandbox.start(['add', '--codec', codec, '-'])
      // it never ends by itself: its stdin is endless
      const result = finish(child, feed(Infinity, { seed: round }))

      await waitForBlocks(sandbox.repo, blocks + 2 * round)
      child.kill('SIGKILL')
      expect((await result).signal).toBe('SIGKILL')

      await expectIntact(sandbox.repo)
    }

    for (const [i, cid] of added.entries()) {
      const back = await sandbox.run(['cat', cid])

      expectSuccess(back)
      expect(back.stdout.equals(text(300_000, i + 1)), cid).toBe(true)
    }
  })

  it('of an add does not prevent adding the same file again', async ({ sandbox }) => {
    const bytes = longText(30 * MIB)
    const child = sandbox.start(['add', '-'])
    const result = finish(child, feed(30, { stall: true }))
    await waitForBlocks(sandbox.repo, 4)
    child.kill('SIGKILL')
    await result

    const back = await sandbox.run(['cat', await sandbox.add(bytes)])

    expectSuccess(back)
    expect(back.stdout.equals(bytes)).toBe(true)
  })

  it('leaves half-written files, which a later add deletes only when they are old', async ({ sandbox }) => {
    expectSuccess(await sandbox.run(['init', '--layout', 'files']))
    await sandbox.add(text(1000))
    const [old, fresh] = [randomUUID(), randomUUID()].map(name => join(sandbox.repo, 'blocks', '.tmp', name))
    await writeFile(old, 'half')
    await writeFile(fresh, 'half')
    const longAgo = Date.now() / 1000 - 2 * 60 * 60
    await utimes(old, longAgo, longAgo)

    await sandbox.add(text(2000))

    expect(await readdir(join(sandbox.repo, 'blocks', '.tmp'))).toEqual([basename(fresh)])
  })
})
