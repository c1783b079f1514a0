import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { longText, noise, text } from '../support/data.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'
import { blockFiles } from '../support/stored-blocks.ts'
import { addTree, makeTree, PRESERVE, readTree } from './tree-files.ts'
import type { Sandbox } from './run-cli.ts'

async function stats (sandbox: Sandbox): Promise<Record<string, number> & {
  codecs: Record<string, { blocks: number }>
}> {
  const result = await sandbox.run(['stats', '--json'])
  expectSuccess(result)

  return parseLines(result.stdout)[0] as never
}

describe.concurrent('the blockstore of a repo', () => {
  it('compresses blocks under their CIDs after init --blockstore-codec', async ({ sandbox }) => {
    const bytes = longText(3_000_000)
    expectSuccess(await sandbox.run(['init', '--blockstore-codec', 'zstd']))
    const cid = await sandbox.add(bytes, '--codec', 'none')
    const { size, storedSize, codecs } = await stats(sandbox)

    expect(storedSize).toBeLessThan(size / 2)
    expect(Object.keys(codecs)).toContain('zstd')
    expect((await sandbox.run(['cat', cid])).stdout.equals(bytes)).toBe(true)
    expectSuccess(await sandbox.run(['verify', cid]))
    // an uncompressed repo gives the same CID and the same CAR
    expect(
      (
        await sandbox.run(['add', '-Q', '--codec', 'none', '--repo', 'other', '-'], { stdin: bytes })
      ).stdout.toString().trim()
    ).toBe(cid)
    expect(
      await sandbox.shell(
        `ipfsz car export ${cid} -o a.car && ipfsz --repo other car export ${cid} -o b.car && cmp a.car b.car`
      )
    ).toMatchObject({ code: 0 })
  })

  it('is not changed by another init, which refuses another codec', async ({ sandbox }) => {
    const cid = await sandbox.add(text(10_000))

    expectSuccess(await sandbox.run(['init']))
    expectFailure(await sandbox.run(['init', '--blockstore-codec', 'zstd']), 1)
    expectFailure(await sandbox.run(['init', '--blockstore-level', '3']), 2)
    expectFailure(await sandbox.run(['init', '--blockstore-codec', 'zstd', '--blockstore-level', '1000']), 2)
    expect((await sandbox.run(['cat', cid])).stdout.equals(text(10_000))).toBe(true)
  })

  it('is refused when blockstore.json is invalid', async ({ sandbox }) => {
    const cid = await sandbox.add(text(10_000))

    for (const bad of ['', '{}', '{"codec":"zip"}', '{"codec":"zstd","level":"x"}', '{"codec":"zstd","level":999}']) {
      await writeFile(join(sandbox.repo, 'blockstore.json'), bad)
      const result = await sandbox.run(['cat', cid])

      expectFailure(result, 1)
      expect(result.stderr).toContain('blockstore.json')
    }
  })
})

describe.concurrent('ipfsz blockstore convert', () => {
  it('re-encodes the blocks of a repo and back, and changes nothing else', { tags: 'slow' }, async ({ sandbox }) => {
    const directory = await makeTree(
      join(sandbox.directory, 'in'),
      { 'a/b': text(100_000), c: longText(3_000_000), d: noise(100_000) }
    )
    const cid = await addTree(sandbox, 'in', ...PRESERVE, '--codec', 'none')
    expectSuccess(await sandbox.run(['blockstore', 'convert', '--layout', 'files']))
    const before = await Promise.all((await blockFiles(sandbox.repo)).map(async file => readFile(file)))

    for (const [codec, name] of [['zstd', 'zstd'], ['lz4', 'lz4'], ['none', 'none']]) {
      expectSuccess(await sandbox.run(['blockstore', 'convert', '--codec', codec]))
      expect(Object.keys((await stats(sandbox)).codecs)).toContain(name)
      expect(parseLines((await sandbox.run(['gc', '--json', '--dry-run'])).stdout))
        .toMatchObject([{ removed: expect.any(Number) }])
      expectSuccess(await sandbox.run(['get', cid, '-o', `out-${codec}`]))
      expect(await readTree(join(sandbox.directory, `out-${codec}`))).toEqual(await readTree(directory))
      expectSuccess(await sandbox.run(['verify', cid]))
    }

    expect(await Promise.all((await blockFiles(sandbox.repo)).map(async file => readFile(file)))).toEqual(before)
  })

  it.for([['none', 'zstd'], ['zstd', 'lz4'], [
    'zstd',
    'none'
  ]])('does not disturb a running cat while it re-encodes blocks from %s to %s', {
    tags: 'slow'
  }, async ([before, after], { sandbox }) => {
    const bytes = longText(20_000_000)
    expectSuccess(await sandbox.run(['init', '--blockstore-codec', before]))
    const cid = await sandbox.add(bytes, '--codec', 'none')
    const reading = sandbox.start(['cat', cid])
    const chunks = reading.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    const read = [(await chunks.next()).value as Buffer]

    // more bytes are left than the pipe and the read-ahead hold
    expectSuccess(await sandbox.run(['blockstore', 'convert', '--codec', after]))

    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      read.push(next.value)
    }

    expect(Buffer.concat(read).equals(bytes)).toBe(true)
  })

  it('loses nothing when it is killed, and finishes when run again', { tags: 'slow' }, async ({ sandbox }) => {
    const cids = []
    expectSuccess(await sandbox.run(['init', '--layout', 'files']))

    for (let seed = 1; seed <= 4; seed++) {
      cids.push(await sandbox.add(longText(5_000_000, seed), '--codec', 'none'))
    }

    for (let round = 0; round < 4; round++) {
      const converting = sandbox.start(['blockstore', 'convert', '--codec', round % 2 === 0 ? 'zstd' : 'none'])
      // each round kills it at another moment
      await setTimeout(400 + round * 150)
      converting.kill('SIGKILL')
    }

    expectSuccess(await sandbox.run(['verify', ...cids]))
    expectSuccess(await sandbox.run(['blockstore', 'convert', '--codec', 'zstd']))
    expect((await stats(sandbox)).codecs.zstd.blocks).toBeGreaterThan(10)
    expectSuccess(await sandbox.run(['verify', ...cids]))
  })

  it('leaves damaged blocks as they are and reports how many', async ({ sandbox }) => {
    expectSuccess(await sandbox.run(['init', '--layout', 'files']))
    await sandbox.add(longText(3_000_000), '--codec', 'none')
    const [file] = await blockFiles(sandbox.repo)
    await writeFile(file, noise(1000))

    const result = await sandbox.run(['blockstore', 'convert', '--codec', 'zstd'])

    expect(result.code).toBe(1)
    expect(result.stderr).toContain('1 of ')
    expect((await readFile(file)).equals(noise(1000))).toBe(true)
  })

  it('refuses a directory without a repo and creates none', async ({ sandbox }) => {
    expectFailure(await sandbox.run(['blockstore', 'convert', '--codec', 'zstd']), 1)
    expectFailure(await sandbox.run(['stats']), 1)
    expect(await sandbox.shell('test ! -e repo')).toMatchObject({ code: 0 })
  })
})
