/** @module-tag slow */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { PackedBlockstore } from '@ipfsz/blockstore-packed'
import { afterEach, describe, expect, vi } from 'vitest'
import { NodeNetwork } from '../../packages/node/dist/network/node/node-network.js'
import { longText, noise, text } from '../support/data.ts'
import { startDaemon } from '../support/network-daemons.ts'
import { expectSuccess, it, parseLines } from './run-cli.ts'
import { flipBit, largestBlocks, listBlocks, readBlock, removeBlock, writeBlock } from '../support/stored-blocks.ts'
import { expectIntact } from './repo.ts'
import { addTree, makeTree } from './tree-files.ts'

const MIB = 1024 * 1024

afterEach(() => { vi.restoreAllMocks() })

/** Ways to damage a block. */
const DAMAGES: Array<[string, (repo: string, block: string) => Promise<void>]> = [
  ['is empty', async (repo, block) => writeBlock(repo, block, new Uint8Array())],
  ['has a flipped bit', flipBit]
]

describe.each(DAMAGES)('a block that %s', (_, damage) => {
  it('is fetched again from a peer and replaced, by every command that reads it', async ({ sandbox }) => {
    const other = join(sandbox.directory, 'other')
    const directory = await makeTree(
      join(sandbox.directory, 'in'),
      { long: longText(5 * MIB), plain: noise(2 * MIB), 'sub/a': 'a' }
    )
    const cid = await addTree(sandbox, directory)
    await addTree(sandbox, directory, '--repo', other)
    const { address } = await startDaemon(sandbox, { repo: other })
    const blocks = await Promise.all(
      (await listBlocks(sandbox.repo)).map(async block => ({ block, whole: await readBlock(sandbox.repo, block) }))
    )

    for (
      const args of [
        ['cat', `${cid}/long`],
        ['cat', `${cid}/plain`],
        ['get', cid, '-o', 'out'],
        ['ls', cid],
        ['stat', cid]
      ]
    ) {
      await Promise.all(blocks.map(async ({ block }) => damage(sandbox.repo, block)))
      expect((await sandbox.run([...args, '--offline'])).code).toBe(1)

      const result = await sandbox.run([...args, '--peer', address])
      await rm(join(sandbox.directory, 'out'), { recursive: true, force: true })
      const again = await sandbox.run([...args, '--offline'])
      await rm(join(sandbox.directory, 'out'), { recursive: true, force: true })

      expect(result.code, result.stderr).toBe(0)
      expectSuccess(again)
      expect(again.stdout.equals(result.stdout)).toBe(true)
      await Promise.all(blocks.map(async ({ block, whole }) => writeBlock(sandbox.repo, block, whole)))
    }
  })
})

describe('ipfsz repair', () => {
  it('fetches lost blocks from a peer, inner nodes too', async ({ sandbox }) => {
    const other = join(sandbox.directory, 'other')
    const directory = await makeTree(join(sandbox.directory, 'in'), {
      long: longText(5 * MIB),
      'sub/plain': noise(2 * MIB)
    })
    const cid = await addTree(sandbox, directory)
    await addTree(sandbox, directory, '--repo', other)
    // blocks that no pin keeps are not repaired
    expectSuccess(await sandbox.run(['gc']))
    const { address } = await startDaemon(sandbox, { repo: other })
    const blocks = await listBlocks(sandbox.repo)
    await Promise.all(blocks.map(async (block, i) => (i % 2 === 0 ? flipBit : removeBlock)(sandbox.repo, block)))

    const syncLater = vi.spyOn(PackedBlockstore.prototype, 'syncLater')
    const sync = vi.spyOn(PackedBlockstore.prototype, 'sync')
    let synced = -1
    const result = await sandbox.run(['repair', '--json', '--peer', address], {
      onPrint: () => { synced = sync.mock.calls.length }
    })

    expect(result.code, result.stderr).toBe(0)
    // blocks are synced before the result is printed, so the result survives a power cut
    expect(syncLater).toHaveBeenCalledTimes(blocks.length)
    expect(synced).toBe(1)
    expect(sync.mock.contexts[0]).toBe(syncLater.mock.contexts[0])
    expect(parseLines(result.stdout)).toMatchObject([{
      cid,
      name: 'in',
      state: 'repaired',
      blocks: blocks.length,
      fetched: blocks.length,
      missing: 0,
      damaged: 0
    }])
    await expectIntact(sandbox.repo)
    expectSuccess(await sandbox.run(['verify', '--all']))
  })

  it('starts one node for all pins, and searches for peers once per pin', async ({ sandbox }) => {
    const count = 60
    for (const bytes of [noise(count * MIB), text(200_000), text(100_000, 2)]) {
      await sandbox.add(bytes, '--codec', 'none')
    }

    const leaves = await largestBlocks(sandbox.repo)
    // the others are smaller
    await Promise.all(leaves.slice(0, count).map(async leaf => removeBlock(sandbox.repo, leaf)))
    await Promise.all(leaves.slice(count, count + 2).map(async leaf => flipBit(sandbox.repo, leaf)))
    const { address } = await startDaemon(sandbox, { repo: join(sandbox.directory, 'other') })
    const fetch = vi.spyOn(NodeNetwork.prototype, 'fetch')
    const close = vi.spyOn(NodeNetwork.prototype, 'close')

    const result = await sandbox.run(['repair', '--peer', address, '--timeout', '1s', '--json'])

    expect(result.code).toBe(1)
    expect(parseLines(result.stdout).filter(({ block }) => block != null)).toHaveLength(count + 2)
    expect(close).toHaveBeenCalledOnce()
    expect(fetch).toHaveBeenCalledTimes(count + 2)
    expect(fetch.mock.calls.filter(([, { search }]) => search === 'all').length).toBeLessThanOrEqual(16 + 2)
  })

  it('reports a block as lost when no peer sends it', async ({ sandbox }) => {
    const cid = await sandbox.add(text(100_000))
    const { address } = await startDaemon(sandbox, { repo: join(sandbox.directory, 'other') })
    await flipBit(sandbox.repo, (await listBlocks(sandbox.repo))[0])

    const result = await sandbox.run(['repair', cid, '--peer', address, '--timeout', '1s', '--json'])

    expect(result.code).toBe(1)
    expect(parseLines(result.stdout))
      .toMatchObject([{ cid, state: 'damaged', damaged: 1 }, { state: 'damaged', roots: [cid] }])
  })
})
