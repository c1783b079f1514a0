import { once } from 'node:events'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { unixfs } from '@helia/unixfs'
import { unmark } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { CID } from 'multiformats/cid'
import { describe, expect } from 'vitest'
import { longText, noise, text } from '../support/data.ts'
import { expectFailure, expectSuccess, it, parseLines } from './run-cli.ts'
import { listBlocks, removeBlock, writeBlock } from '../support/stored-blocks.ts'
import { makeTree } from './tree-files.ts'
import type { Sandbox } from './run-cli.ts'

async function originalOf (bytes: Uint8Array): Promise<string> {
  return (await unixfs({ blockstore: new MemoryBlockstore() }).addBytes(bytes)).toString()
}

async function links (sandbox: Sandbox): Promise<string[]> {
  const result = await sandbox.run(['link', 'ls'])
  expectSuccess(result)

  return result.stdout.toString().split('\n').filter(Boolean)
}

describe.concurrent('a link', () => {
  it('is made by add --link, and reads the compressed file by the original CID', async ({ sandbox }) => {
    const bytes = text(300_000)
    const original = await originalOf(bytes)

    const cid = await sandbox.add(bytes, '--link')

    expect(await links(sandbox)).toEqual([`${original}\t${cid}`])
    expect((await sandbox.run(['cat', original])).stdout.equals(bytes)).toBe(true)
    expect(parseLines((await sandbox.run(['stat', original, '--json'])).stdout))
      .toMatchObject([{ size: 300_000, markedCid: cid }])
    expectSuccess(await sandbox.run(['verify', original]))
  })

  it('is made by add --link for every compressed file of a tree', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { a: text(10_000), 'b/c': text(20_000, 2), d: noise(1000) })

    expectSuccess(await sandbox.run(['add', '-Q', '--link', 'in']))

    expect((await links(sandbox)).map(line => line.split('\t')[0]).toSorted())
      .toEqual([await originalOf(text(10_000)), await originalOf(text(20_000, 2))].toSorted())
  })

  it('is not made by add without --link', async ({ sandbox }) => {
    const bytes = text(300_000)
    await sandbox.add(bytes)

    expect(await links(sandbox)).toEqual([])
    expectFailure(await sandbox.run(['cat', await originalOf(bytes)]), 1)
  })

  it('is made by link add, and deleted by link rm of any of its CIDs', async ({ sandbox }) => {
    const bytes = text(300_000)
    const original = await originalOf(bytes)
    const cid = await sandbox.add(bytes)

    for (const side of [original, cid, unmark(CID.parse(cid)).toString()]) {
      expectSuccess(await sandbox.run(['link', 'add', original, cid]))
      expect(await links(sandbox)).toEqual([`${original}\t${cid}`])
      expectSuccess(await sandbox.run(['link', 'rm', side]))
      expect(await links(sandbox)).toEqual([])
      expectFailure(await sandbox.run(['cat', original]), 1)
    }

    expectFailure(await sandbox.run(['link', 'rm', original]), 1)
  })

  it('is refused between two plain or two marked CIDs, and to a missing file', async ({ sandbox }) => {
    const cid = await sandbox.add(text(10_000))
    const original = await originalOf(text(10_000))
    const missing = CID.createV1(
      CID.parse(cid).code,
      CID.parse('bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354').multihash
    ).toString()

    expectFailure(await sandbox.run(['link', 'add', original, original]), 2)
    expectFailure(await sandbox.run(['link', 'add', cid, cid]), 2)
    expectFailure(await sandbox.run(['link', 'add', original, missing]), 1)
    expect(await links(sandbox)).toEqual([])
  })

  it.for(
    ['original', 'marked', 'plain'] as const
  )('is deleted by ipfsz rm of the %s CID', async (side, { sandbox }) => {
    const bytes = text(300_000)
    const cid = await sandbox.add(bytes, '--link')
    const sides = { original: await originalOf(bytes), marked: cid, plain: unmark(CID.parse(cid)).toString() }

    expectSuccess(await sandbox.run(['rm', sides[side]]))

    expect(await links(sandbox)).toEqual([])
  })

  it('is deleted when gc deletes the compressed file, and kept otherwise', async ({ sandbox }) => {
    const gone = await sandbox.add(text(300_000), '--link')
    const kept = await sandbox.add(text(200_000, 2), '--link')
    expectSuccess(await sandbox.run(['pin', 'rm', gone]))
    expect(await links(sandbox)).toHaveLength(2)

    const result = await sandbox.run(['gc', '--json'])

    expectSuccess(result)
    expect(parseLines(result.stdout)).toMatchObject([{ links: 1 }])
    expect(await links(sandbox)).toEqual([`${await originalOf(text(200_000, 2))}\t${kept}`])
  })

  it('to a missing compressed file is refused on reading, and both CIDs are named', async ({ sandbox }) => {
    const bytes = text(300_000)
    const original = await originalOf(bytes)
    const cid = await sandbox.add(bytes, '--link')
    await removeBlock(sandbox.repo, unmark(CID.parse(cid)).toString())

    const result = await sandbox.run(['cat', original])

    expectFailure(result, 1)
    expect(result.stderr).toContain(original)
    expect(result.stderr).toContain(cid)
  })

  it('is made by several commands at the same time', async ({ sandbox }) => {
    const files = [1, 2, 3, 4].map(seed => text(300_000, seed))

    const cids = await Promise.all(files.map(async bytes => sandbox.add(bytes, '--link')))

    const expected = await Promise.all(files.map(async (bytes, i) => `${await originalOf(bytes)}\t${cids[i]}`))
    expect((await links(sandbox)).toSorted()).toEqual(expected.toSorted())
  })

  it('is read and made by other commands while an add --link runs', async ({ sandbox }) => {
    const [first, second] = [text(300_000), text(300_000, 2)]
    await sandbox.write('first', first)
    const adding = sandbox.start(['add', '--link', 'first', '-'])
    // the first file is linked once its line is printed; stdin is still open
    await once(adding.stdout, 'data')

    const read = await sandbox.run(['cat', await originalOf(first)])
    expectSuccess(read)
    expect(Buffer.compare(read.stdout, first)).toBe(0)
    await sandbox.add(second, '--link')
    expect(await links(sandbox)).toHaveLength(2)

    const ended = once(adding, 'exit')
    adding.stdin.end(text(300_000, 3))
    expect((await ended)[0]).toBe(0)
    expect(await links(sandbox)).toHaveLength(3)
  })

  it('is read even if the links cannot be locked, as on a read-only disk', async ({ sandbox }) => {
    const bytes = text(300_000)
    await sandbox.add(bytes, '--link')
    const lock = join(sandbox.repo, 'links', 'LOCK')
    await rm(lock)
    await mkdir(lock)

    const read = await sandbox.run(['cat', await originalOf(bytes)])
    expectSuccess(read)
    expect(Buffer.compare(read.stdout, bytes)).toBe(0)
    expect(await sandbox.run(['link', 'rm', await originalOf(bytes)]))
      .toMatchObject({ code: 1, stderr: expect.stringContaining('Cannot open') })
  })
})

describe.concurrent('ipfsz verify', () => {
  it('reports the size and the frames that it read', async ({ sandbox }) => {
    await makeTree(join(sandbox.directory, 'in'), { a: longText(9_000_000), b: noise(1000), link: { link: 'a' } })
    const cid = (await sandbox.run(['add', '-Q', 'in'])).stdout.toString().trim()

    const result = await sandbox.run(['verify', cid, '--json'])

    expectSuccess(result)
    expect(parseLines(result.stdout)).toMatchObject([{ cid, ok: true, size: 9_001_000, frames: 3 }])
  })

  it('reports the content CID of a file that was added with --link', async ({ sandbox }) => {
    const bytes = text(300_000)
    const cid = await sandbox.add(bytes, '--link')

    expect(parseLines((await sandbox.run(['verify', cid, '--json'])).stdout))
      .toMatchObject([{ contentCid: await originalOf(bytes) }])
  })

  it('refuses a file with a damaged block, and reports the other files', async ({ sandbox }) => {
    const bad = await sandbox.add(longText(9_000_000))
    const file = (await listBlocks(sandbox.repo))[0]
    const good = await sandbox.add(text(1000))
    await writeBlock(sandbox.repo, file, noise(100))

    expectFailure(await sandbox.run(['verify', bad]), 1)
    const both = await sandbox.run(['verify', bad, good])

    expect(both.code).toBe(1)
    expect(both.stdout.toString()).toContain(`${good}\tgood`)
    expect(both.stderr).toContain(bad)
  })
})
