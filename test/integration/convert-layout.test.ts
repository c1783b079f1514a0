/** @module-tag long */
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { openRepo } from '@ipfsz/node'
import { CID } from 'multiformats/cid'
import { describe, expect } from 'vitest'
import { noise, text } from '../support/data.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'
import { largestBlock, listBlocks, readBlock, writeBlock } from '../support/stored-blocks.ts'
import { makeTree } from './tree-files.ts'
import type { Sandbox } from './run-cli.ts'

const LAYOUTS = [['files', 'packs'], ['packs', 'files']] as const
/** How often a conversion is killed. */
const KILLS = 12

describe.concurrent.each(LAYOUTS)('ipfsz blockstore convert from %s to %s', (from, to) => {
  it('moves all blocks, and leaves nothing of the old layout', async ({ sandbox }) => {
    await fill(sandbox, from)
    const before = await listBlocks(sandbox.repo)

    const [{ blocks, kept }] = await convert(sandbox, to)

    expect({ blocks, kept }).toEqual({ blocks: before.length, kept: 0 })
    expect(await listBlocks(sandbox.repo)).toEqual(before)
    expect(await setting(sandbox)).toEqual({ layout: to })
    const names = await readdir(join(sandbox.repo, 'blocks'), { recursive: true })
    expect(names.filter(name => name.endsWith(to === 'packs' ? '.data' : '.zst'))).toEqual([])
    expectSuccess(await sandbox.run(['verify', '--all']))
    expect(await convert(sandbox, to)).toEqual([{ layout: to, blocks: 0, size: 0, kept: 0 }])
  })

  it('works beside readers that have the repo open, which find every block', async ({ sandbox }) => {
    const cids = await fill(sandbox, from)
    await using repo = await openRepo(sandbox.repo, { create: false })
    const converting = sandbox.spawn(['blockstore', 'convert', '--layout', to])
    let reads = 0

    do {
      for (const { cid, bytes } of cids) {
        const read = Buffer.concat(await Array.fromAsync<Uint8Array>(repo.files.cat(CID.parse(cid))))
        expect(read.equals(bytes)).toBe(true)
        reads++
      }
    } while (await Promise.race([converting, setImmediate()]) == null)

    expectSuccess(await converting)
    expect(reads).toBeGreaterThanOrEqual(cids.length)
    // and what is added through it goes where blocks are now
    const { cid } = await repo.add(text(20_000, 77))
    expectSuccess(await sandbox.run(['verify', cid.toString()]))
  })

  it('leaves a damaged block where it is, and goes on after a repair', async ({ sandbox }) => {
    const [{ cid, bytes }] = await fill(sandbox, from)
    const block = await largestBlock(sandbox.repo)
    const { byteLength } = await readBlock(sandbox.repo, block)
    await writeBlock(sandbox.repo, block, noise(byteLength, 99))

    const result = await sandbox.run(['--json', 'blockstore', 'convert', '--layout', to])

    expect(result.code).toBe(1)
    expect(result.stderr).toContain('CorruptBlockError')
    expect(parseLines(result.stdout)).toMatchObject([{ kept: 1 }])
    expect(await setting(sandbox)).toMatchObject({ layout: to, from })
    // everything works meanwhile, but for the file with the damaged block
    const added = await sandbox.add(text(30_000, 78))
    expectSuccess(await sandbox.run(['cat', added]))
    expectSuccess(await sandbox.run(['gc']))
    expect((await sandbox.run(['verify', '--all'])).code).toBe(1)

    // adding the file again repairs it
    expect(await sandbox.add(bytes, '--codec', 'none')).toBe(cid)
    expect(await convert(sandbox, to)).toMatchObject([{ kept: 0 }])
    expectSuccess(await sandbox.run(['verify', '--all']))
  })

  it('goes back where it came from if it is asked to in the middle', async ({ sandbox }) => {
    await fill(sandbox, from)
    const before = await listBlocks(sandbox.repo)
    const child = sandbox.start(['blockstore', 'convert', '--layout', to])
    // on a busy machine it may have ended before it is looked at
    await until(async () => 'from' in await setting(sandbox) || child.exitCode != null)
    child.kill('SIGKILL')

    await convert(sandbox, from)

    expect(await listBlocks(sandbox.repo)).toEqual(before)
    expectSuccess(await sandbox.run(['verify', '--all']))
  })

  it('can be killed at any moment, and goes on', { tags: 'slow' }, async ({ sandbox }) => {
    const cids = await fill(sandbox, from, 200)
    let finished = false

    for (let kill = 0; kill < KILLS && !finished; kill++) {
      const child = sandbox.start(['blockstore', 'convert', '--layout', to])
      const closed = new Promise<number | null>(resolve => { child.once('close', resolve) })
      // from the start of the process to its end
      const killed = setTimeout(200 + 60 * kill).then(() => child.kill('SIGKILL'))
      finished = await closed === 0
      await killed

      expectSuccess(await sandbox.run(['verify', '--all']))
      expect((await sandbox.run(['cat', cids[kill].cid])).stdout.equals(cids[kill].bytes)).toBe(true)
    }

    await convert(sandbox, to)
    expectSuccess(await sandbox.run(['verify', '--all']))
    expect(await setting(sandbox)).not.toHaveProperty('from')
  })
})

describe.concurrent('ipfsz blockstore convert --layout', () => {
  it('decompresses what is compressed at rest, since packs compress', async ({ sandbox }) => {
    expectSuccess(await sandbox.run(['init', '--blockstore-codec', 'zstd']))
    const cid = await sandbox.add(text(300_000), '--codec', 'none')

    await convert(sandbox, 'packs')

    expect((await sandbox.run(['cat', cid])).stdout.equals(text(300_000))).toBe(true)
    expect(await setting(sandbox)).toEqual({ layout: 'packs' })
    expect(parseLines((await sandbox.run(['--json', 'stats'])).stdout)[0].ratio).toBeLessThan(0.5)
  })

  it('refuses a codec in packs, another layout for a repo, both at once, and neither', async ({ sandbox }) => {
    expectSuccess(await sandbox.run(['init']))
    const before = await readdir(sandbox.repo, { recursive: true })

    expectFailure(await sandbox.run(['init', '--layout', 'files']), 1)
    expectFailure(await sandbox.run(['init', '--blockstore-codec', 'zstd']), 1)
    expectFailure(await sandbox.run(['init', '--layout', 'packs', '--blockstore-codec', 'zstd']), 2)
    expectFailure(await sandbox.run(['blockstore', 'convert', '--codec', 'zstd']), 2)
    expectFailure(await sandbox.run(['blockstore', 'convert']), 2)
    expectFailure(await sandbox.run(['blockstore', 'convert', '--codec', 'none', '--layout', 'packs']), 2)
    expect(await readdir(sandbox.repo, { recursive: true })).toEqual(before)
  })

  it('finds nothing to move in an empty repo', async ({ sandbox }) => {
    expectSuccess(await sandbox.run(['init', '--layout', 'files']))

    expect(await convert(sandbox, 'packs')).toEqual([{ layout: 'packs', blocks: 0, size: 0, kept: 0 }])
    expect(await listBlocks(sandbox.repo)).toEqual([])
  })
})

/** A repo with files, and what they are. */
async function fill (sandbox: Sandbox, layout: string, small = 40): Promise<Array<{ cid: string, bytes: Buffer }>> {
  expectSuccess(await sandbox.run(['init', '--layout', layout]))
  const files = [noise(3_000_000), ...Array.from({ length: small }, (_, i) => text(500 + i * 37, i))]
    .map(bytes => Buffer.from(bytes))
  const named = files.map((bytes, i) => [`${i}`.padStart(4, '0'), bytes] as const)
  await makeTree(join(sandbox.directory, 'in'), Object.fromEntries(named))
  const added = await sandbox.run(['--json', 'add', '--codec', 'none', 'in'])
  expectSuccess(added)
  const cids = parseLines(added.stdout).filter(({ name, path }) => /\d{4}$/.test(String(name ?? path)))
  expect(cids).toHaveLength(files.length)

  return files.map((bytes, i) => ({ cid: String(cids[i].cid), bytes }))
}

async function convert (sandbox: Sandbox, layout: string): Promise<Array<Record<string, unknown>>> {
  const result = await sandbox.run(['--json', 'blockstore', 'convert', '--layout', layout])
  expectSuccess(result)

  return parseLines(result.stdout)
}

async function setting (sandbox: Sandbox): Promise<Record<string, unknown>> {
  return JSON.parse(String(await readFile(join(sandbox.repo, 'blockstore.json')))) as Record<string, unknown>
}

async function until (condition: () => Promise<boolean>): Promise<void> {
  while (!await condition()) {
    await setTimeout(5)
  }
}
