import { readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { longText, text } from '../support/data.ts'
import { blockFiles, expectSuccess, it } from './run-cli.ts'
import type { RunResult, Sandbox } from './run-cli.ts'

const MIB = 1024 * 1024

/** Ways to damage the file of a block. */
const DAMAGES: Array<[string, (file: string) => Promise<void>]> = [
  ['has a flipped bit', flipBit],
  ['is cut short', async file => { await truncate(file, Math.floor((await stat(file)).size / 2)) }],
  ['holds another block', async file => { await writeFile(file, text((await stat(file)).size, 99)) }]
]

describe.concurrent.each(DAMAGES)('a stored block that %s', (_, damage) => {
  it('is refused by cat, whichever block of the file it is', async ({ sandbox }) => {
    const cid = await sandbox.add(longText(10 * MIB))
    const files = await blockFiles(sandbox.repo)
    expect(files.length).toBeGreaterThan(3)

    for (const file of files) {
      const whole = await readFile(file)
      await damage(file)
      expectDamaged(await sandbox.run(['cat', cid]))
      await writeFile(file, whole)
    }

    expectSuccess(await sandbox.run(['cat', cid]))
  })

  it('is refused by cat and stat in a file of one block', async ({ sandbox }) => {
    const cid = await sandbox.add(text(50_000))
    await damage((await blockFiles(sandbox.repo))[0])

    expectDamaged(await sandbox.run(['cat', cid]))
    expectDamaged(await sandbox.run(['stat', cid]))
  })

  it('is refused by cat in an uncompressed file', async ({ sandbox }) => {
    const cid = await sandbox.add(text(50_000), '--codec', 'none')
    await damage((await blockFiles(sandbox.repo))[0])

    expectDamaged(await sandbox.run(['cat', cid]))
  })

  it('is refused by get, which keeps an existing target', async ({ sandbox }) => {
    const cid = await sandbox.add(longText(10 * MIB))
    await sandbox.write('out', text(1000))
    await damage(await largestBlock(sandbox))

    expectDamaged(await sandbox.run(['get', cid, '-o', 'out', '--force']))
    expect((await readFile(join(sandbox.directory, 'out'))).equals(text(1000))).toBe(true)
    expect(await readdir(sandbox.directory)).toEqual(['out', 'repo'])
  })

  it('is refused by get, which creates no file', async ({ sandbox }) => {
    const cid = await sandbox.add(longText(10 * MIB))
    await damage(await largestBlock(sandbox))

    expectDamaged(await sandbox.run(['get', cid, '-o', 'out']))
    expect(await readdir(sandbox.directory)).toEqual(['repo'])
  })

  it('is repaired by adding the file again', async ({ sandbox }) => {
    const bytes = longText(10 * MIB)
    const cid = await sandbox.add(bytes)
    await damage(await largestBlock(sandbox))

    expect(await sandbox.add(bytes)).toBe(cid)
    const back = await sandbox.run(['cat', cid])

    expectSuccess(back)
    expect(back.stdout.equals(bytes)).toBe(true)
  })

  it('does not affect other files', async ({ sandbox }) => {
    await sandbox.add(text(500_000, 1))
    const [damaged] = await blockFiles(sandbox.repo)
    const other = await sandbox.add(text(500_000, 2))
    await damage(damaged)

    const back = await sandbox.run(['cat', other])

    expectSuccess(back)
    expect(back.stdout.equals(text(500_000, 2))).toBe(true)
  })
})

describe.concurrent('a missing block', () => {
  it('makes cat and get fail', async ({ sandbox }) => {
    const cid = await sandbox.add(longText(10 * MIB))
    await rm(await largestBlock(sandbox))

    expectOneLine(await sandbox.run(['cat', cid]))
    expectOneLine(await sandbox.run(['get', cid, '-o', 'out']))
    expect(await readdir(sandbox.directory)).toEqual(['repo'])
  })

  it('only affects reads that need it: stat needs the root, a short read the root and one leaf', async ({
    sandbox
  }) => {
    const cid = await sandbox.add(longText(10 * MIB), '--frame-size', '1MiB')
    const files = await blockFiles(sandbox.repo)
    const needed = { stat: 0, cat: 0 }

    for (const file of files) {
      await rename(file, `${file}.gone`)
      needed.stat += (await sandbox.run(['stat', cid])).code ?? 0
      needed.cat += (await sandbox.run(['cat', cid, '--offset', '5000000', '--length', '10'])).code ?? 0
      await rename(`${file}.gone`, file)
    }

    expect(files.length).toBeGreaterThan(3)
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

async function flipBit (file: string): Promise<void> {
  const bytes = await readFile(file)
  bytes[Math.floor(bytes.byteLength / 2)] ^= 0x10
  await writeFile(file, bytes)
}

async function largestBlock (sandbox: Sandbox): Promise<string> {
  const files = await blockFiles(sandbox.repo)
  const sizes = await Promise.all(files.map(async file => ({ file, size: (await stat(file)).size })))

  return sizes.toSorted((a, b) => b.size - a.size)[0].file
}
