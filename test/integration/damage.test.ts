/** @module-tag long */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { longText, text } from '../support/data.ts'
import { expectSuccess, it } from './run-cli.ts'
import { flipBit, largestBlock, listBlocks, readBlock, removeBlock, writeBlock } from '../support/stored-blocks.ts'
import type { RunResult } from './run-cli.ts'

const MIB = 1024 * 1024

/** Ways to damage a block. */
const DAMAGES: Array<[string, (repo: string, block: string) => Promise<void>]> = [
  ['has a flipped bit', flipBit],
  ['is cut short', async (repo, block) => {
    const bytes = await readBlock(repo, block)
    await writeBlock(repo, block, bytes.subarray(0, Math.floor(bytes.byteLength / 2)))
  }],
  ['holds another block', async (repo, block) => {
    await writeBlock(repo, block, text((await readBlock(repo, block)).byteLength, 99))
  }]
]

describe.concurrent.each(DAMAGES)('a stored block that %s', (_, damage) => {
  it('is refused by cat, whichever block of the file it is', async ({ sandbox }) => {
    const cid = await sandbox.add(longText(10 * MIB))
    const blocks = await listBlocks(sandbox.repo)
    expect(blocks.length).toBeGreaterThan(3)

    for (const block of blocks) {
      const whole = await readBlock(sandbox.repo, block)
      await damage(sandbox.repo, block)
      expectDamaged(await sandbox.run(['cat', cid]))
      await writeBlock(sandbox.repo, block, whole)
    }

    expectSuccess(await sandbox.run(['cat', cid]))
  })

  it('is refused by cat and stat in a file of one block', async ({ sandbox }) => {
    const cid = await sandbox.add(text(50_000))
    await damage(sandbox.repo, (await listBlocks(sandbox.repo))[0])

    expectDamaged(await sandbox.run(['cat', cid]))
    expectDamaged(await sandbox.run(['stat', cid]))
  })

  it('is refused by cat in an uncompressed file', async ({ sandbox }) => {
    const cid = await sandbox.add(text(50_000), '--codec', 'none')
    await damage(sandbox.repo, (await listBlocks(sandbox.repo))[0])

    expectDamaged(await sandbox.run(['cat', cid]))
  })

  it('is refused by get, which keeps an existing target', async ({ sandbox }) => {
    const cid = await sandbox.add(longText(10 * MIB))
    await sandbox.write('out', text(1000))
    await damage(sandbox.repo, await largestBlock(sandbox.repo))

    expectDamaged(await sandbox.run(['get', cid, '-o', 'out', '--force']))
    expect((await readFile(join(sandbox.directory, 'out'))).equals(text(1000))).toBe(true)
    expect(await readdir(sandbox.directory)).toEqual(['out', 'repo'])
  })

  it('is refused by get, which creates no file', async ({ sandbox }) => {
    const cid = await sandbox.add(longText(10 * MIB))
    await damage(sandbox.repo, await largestBlock(sandbox.repo))

    expectDamaged(await sandbox.run(['get', cid, '-o', 'out']))
    expect(await readdir(sandbox.directory)).toEqual(['repo'])
  })

  it('is repaired by adding the file again', async ({ sandbox }) => {
    const bytes = longText(10 * MIB)
    const cid = await sandbox.add(bytes)
    await damage(sandbox.repo, await largestBlock(sandbox.repo))

    expect(await sandbox.add(bytes)).toBe(cid)
    const back = await sandbox.run(['cat', cid])

    expectSuccess(back)
    expect(back.stdout.equals(bytes)).toBe(true)
  })

  it('does not affect other files', async ({ sandbox }) => {
    await sandbox.add(text(500_000, 1))
    const [damaged] = await listBlocks(sandbox.repo)
    const other = await sandbox.add(text(500_000, 2))
    await damage(sandbox.repo, damaged)

    const back = await sandbox.run(['cat', other])

    expectSuccess(back)
    expect(back.stdout.equals(text(500_000, 2))).toBe(true)
  })
})

describe.concurrent('a missing block', () => {
  it('makes cat and get fail', async ({ sandbox }) => {
    const cid = await sandbox.add(longText(10 * MIB))
    await removeBlock(sandbox.repo, await largestBlock(sandbox.repo))

    expectOneLine(await sandbox.run(['cat', cid]))
    expectOneLine(await sandbox.run(['get', cid, '-o', 'out']))
    expect(await readdir(sandbox.directory)).toEqual(['repo'])
  })

  it('only affects reads that need it: stat needs the root, a short read the root and one leaf', async ({
    sandbox
  }) => {
    const cid = await sandbox.add(longText(10 * MIB), '--frame-size', '1MiB')
    const blocks = await listBlocks(sandbox.repo)
    const needed = { stat: 0, cat: 0 }

    for (const block of blocks) {
      const bytes = await readBlock(sandbox.repo, block)
      await removeBlock(sandbox.repo, block)
      needed.stat += (await sandbox.run(['stat', cid])).code ?? 0
      needed.cat += (await sandbox.run(['cat', cid, '--offset', '5000000', '--length', '10'])).code ?? 0
      await writeBlock(sandbox.repo, block, bytes)
    }

    expect(blocks.length).toBeGreaterThan(3)
    expect(needed).toEqual({ stat: 1, cat: 2 })
  })
})

/** Bytes before the damage may have been written, but the command must fail and say why. */
function expectDamaged (result: RunResult): void {
  expectOneLine(result)
  expect(result.stderr).toContain('damaged')
}

function expectOneLine ({ code, signal, stderr }: RunResult): void {
  expect({ code, signal, stderr })
    .toEqual({ code: 1, signal: null, stderr: expect.stringMatching(/^ipfsz: [^\n]+\n$/) })
}
