import * as dagPb from '@ipld/dag-pb'
import { describe, expect, it } from 'vitest'
import { ipfsz, mark, TREE_CODE, unmark } from '../src/index.ts'
import { decodeNode } from '../src/dag/node.ts'
import { hashName } from '../src/directory/shard-place.ts'
import { listShards } from '../src/directory/shards.ts'
import { CountingBlockstore, getBlock, text } from './fixtures.ts'
import { putDirectory, putSharded } from './trees.ts'
import type { CID } from 'multiformats/cid'

const shardOf = (fanout = 256n) => ({
  type: 'hamt-sharded-directory' as const,
  fanout,
  hashType: 0x22n,
  data: new Uint8Array(32).fill(255)
})

/** The link name of an entry in a shard with a fanout of 256, at this level. */
async function label (name: string, level: number): Promise<string> {
  const hash = await hashName(name)

  const slot = Number(BigInt.asUintN(8, hash >> BigInt(56 - level * 8)))

  return `${slot.toString(16).toUpperCase().padStart(2, '0')}${name}`
}

async function file (blockstore: CountingBlockstore): Promise<CID> {
  return unmark(await ipfsz({ blockstore }).addBytes(text(100)))
}

async function names (cid: CID, blockstore: CountingBlockstore): Promise<string[]> {
  return Array.fromAsync(ipfsz({ blockstore }).ls(cid), ({ name }) => name)
}

describe('a sharded directory', () => {
  it.each([3, 5, 8, 10])('with a fanout of 2^%d is listed, and its names are found', async (shardFanoutBits) => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const expected = Array.from({ length: 300 }, (_, i) => `näme-${i}.txt`)
    const content = text(10)
    const results = await Array.fromAsync(fs.addAll(
      expected.map(path => ({ path, content })),
      { wrapWithDirectory: true, shardSplitThresholdBytes: 1, shardFanoutBits }
    ))
    const { cid } = results[results.length - 1]

    expect((await names(cid, blockstore)).toSorted()).toEqual(expected.toSorted())
    await expect(fs.stat(cid, { path: 'näme-123.txt' })).resolves.toMatchObject({ size: 10n })
    await expect(fs.stat(cid, { path: 'name-123.txt' })).rejects.toMatchObject({ name: 'NotFoundError' })
  })

  it('is listed in the order of its links', async () => {
    const blockstore = new CountingBlockstore()
    const cid = unmark(await putSharded(ipfsz({ blockstore }), 600, () => text(10)))

    const walk = async (cid: CID): Promise<string[]> => {
      const { Links } = dagPb.decode(await getBlock(cid, blockstore))
      const below = await Promise.all(
        Links.map(async ({ Name = '', Hash }) => Name.length > 2 ? [Name.slice(2)] : walk(Hash))
      )

      return below.flat()
    }

    expect(await names(cid, blockstore)).toEqual(await walk(cid))
  })

  it('is refused if a shard occurs twice, before the shard is fetched again', async () => {
    const blockstore = new CountingBlockstore()
    const one = await file(blockstore)
    const shard = await putDirectory([['00a', one]], blockstore, shardOf())
    const within = await putDirectory([['00', shard], ['01', shard]], blockstore, shardOf())
    const deeper = await putDirectory(
      [['00', await putDirectory([['00', shard]], blockstore, shardOf())], ['01', shard]],
      blockstore,
      shardOf()
    )

    for (const cid of [within, deeper]) {
      blockstore.gets.length = 0
      await expect(names(cid, blockstore)).rejects.toMatchObject({ name: 'InvalidDagError' })
      expect(blockstore.gets.filter(key => key === shard.toString()).length).toBeLessThanOrEqual(1)
    }
  })

  it.each<[fanout: bigint, digits: number, levels: number]>([
    [256n, 2, 8],
    [1024n, 3, 6],
    [2n, 1, 64]
  ])('with a fanout of %d is refused if it has more levels than a hash can reach', async (fanout, digits, levels) => {
    const blockstore = new CountingBlockstore()
    let cid = await putDirectory([[`${'0'.repeat(digits)}a`, await file(blockstore)]], blockstore, shardOf(fanout))

    for (let level = 1; level < levels; level++) {
      cid = await putDirectory([['0'.repeat(digits), cid]], blockstore, shardOf(fanout))
    }

    await expect(names(cid, blockstore)).resolves.toEqual(['a'])
    const deeper = await putDirectory([['0'.repeat(digits), cid]], blockstore, shardOf(fanout))
    await expect(names(deeper, blockstore)).rejects.toMatchObject({ name: 'InvalidDagError' })
    await expect(ipfsz({ blockstore }).stat(deeper, { path: 'b' })).rejects.toMatchObject(
      { name: expect.stringMatching(/^(InvalidDagError|NotFoundError)$/) }
    )
  })

  it('is refused if a shard is empty', async () => {
    const blockstore = new CountingBlockstore()
    const cid = await putDirectory([['00', await putDirectory([], blockstore, shardOf())]], blockstore, shardOf())

    await expect(names(cid, blockstore)).rejects.toMatchObject({ name: 'InvalidDagError' })
  })

  it('is refused if a name occurs twice anywhere, and listed if names are only misplaced', async () => {
    const blockstore = new CountingBlockstore()
    const one = await file(blockstore)
    const below = await putDirectory([[await label('x', 1), one]], blockstore, shardOf())
    const way = (await label('x', 0)).slice(0, 2)
    const [first, second] = ['00', '01', '02'].filter(slot => slot !== way)

    // in its place, and also before or after it
    for (const elsewhere of [first, 'FE']) {
      const links: Array<[string, CID]> = [[`${elsewhere}x`, one], [way, below]]
      await expect(
        names(await putDirectory(links, blockstore, shardOf()), blockstore)
      ).rejects.toMatchObject({ name: 'InvalidDagError' })
      await expect(
        names(await putDirectory(links.toReversed(), blockstore, shardOf()), blockstore)
      ).rejects.toMatchObject({ name: 'InvalidDagError' })
    }

    // in two wrong places
    await expect(
      names(await putDirectory([[`${first}x`, one], [`${second}x`, one]], blockstore, shardOf()), blockstore)
    ).rejects.toMatchObject({ name: 'InvalidDagError' })
    // of two shards
    const other = await putDirectory([[`${first}x`, one]], blockstore, shardOf())
    await expect(
      names(await putDirectory([[`${first}x`, one], [second, other]], blockstore, shardOf()), blockstore)
    ).rejects.toMatchObject({ name: 'InvalidDagError', message: expect.stringContaining('two entries named') })
    // misplaced, as @helia/unixfs leaves names after it removes others
    await expect(
      names(await putDirectory([[`${first}x`, one], [`${second}y`, one]], blockstore, shardOf()), blockstore)
    ).resolves.toEqual(['x', 'y'])
  })

  it('is refused if looking up its misplaced names means reading too many links', async () => {
    const blockstore = new CountingBlockstore()
    const one = await file(blockstore)
    const count = 300
    const links = Array.from(
      { length: count },
      (_, i) => [`${i.toString(16).toUpperCase().padStart(4, '0')}x${i}`, one] as [string, CID]
    )
    const cid = await putDirectory(links, blockstore, shardOf(65_536n))
    const root = decodeNode(cid, await getBlock(cid, blockstore))
    const list = async (lookups: number): Promise<unknown[]> =>
      Array.fromAsync(listShards(root, blockstore, {}, lookups))

    await expect(list(count * count)).resolves.toHaveLength(count)
    await expect(list(count * count / 2)).rejects.toMatchObject({ name: 'InvalidDagError' })
  })

  it('is refused if the names that are misplaced are too long to be remembered', { tags: 'slow' }, async () => {
    const blockstore = new CountingBlockstore()
    const one = await file(blockstore)
    const shards = await Promise.all(Array.from({ length: 12 }, async (_, i) => {
      const slot = i.toString(16).toUpperCase().padStart(2, '0')

      const name = `${slot}${i}${'x'.repeat(800_000)}`

      return [slot, await putDirectory([[name, one]], blockstore, shardOf())] as [string, CID]
    }))
    const list = async (count: number): Promise<unknown> =>
      names(await putDirectory(shards.slice(0, count), blockstore, shardOf()), blockstore)

    await expect(list(12)).rejects.toMatchObject({ name: 'InvalidDagError' })
    await expect(list(5)).resolves.toHaveLength(5)
  })

  it('is refused if a link name does not begin with a slot of its shard', async () => {
    const blockstore = new CountingBlockstore()
    const one = await file(blockstore)

    for (const [name, fanout] of [['GGa', 256n], ['9a', 8n], ['', 256n], ['0', 256n], [' 1a', 256n]] as const) {
      await expect(
        names(await putDirectory([[name, one]], blockstore, shardOf(fanout)), blockstore),
        name
      ).rejects.toMatchObject({ name: 'InvalidDagError' })
    }
  })

  it('is refused if a shard has more links than its fanout, after fetching few blocks', async () => {
    const blockstore = new CountingBlockstore()
    const one = await file(blockstore)
    const big = await putDirectory(
      Array.from({ length: 20_000 }, (_, i) => [`ff${i.toString(36)}`, one]),
      blockstore,
      shardOf()
    )
    let cid = await putDirectory([['00f', one]], blockstore, shardOf())

    for (let level = 0; level < 10; level++) {
      cid = await putDirectory(
        [['00', cid], ...['01', '02', '03', '04', '05', '06', '07'].map(slot => [slot, big] as [string, CID])],
        blockstore,
        shardOf()
      )
    }

    blockstore.gets.length = 0
    await expect(names(mark(cid, TREE_CODE), blockstore)).rejects.toMatchObject({ name: 'InvalidDagError' })
    expect(blockstore.gets.length).toBeLessThan(20)
  })

  it('is listed without fetching more shards than the read-ahead allows', { tags: 'slow' }, async () => {
    const blockstore = new CountingBlockstore()
    const cid = unmark(await putSharded(ipfsz({ blockstore }), 1200, () => text(10)))
    const { Links } = dagPb.decode(await getBlock(cid, blockstore))
    const list = ipfsz({ blockstore }).ls(cid)[Symbol.asyncIterator]()
    blockstore.gets.length = 0

    await list.next()
    await new Promise(resolve => { setTimeout(resolve, 50) })
    expect(blockstore.gets.length).toBeLessThan(40)
    expect(Links.filter(({ Name = '' }) => Name.length === 2).length).toBeGreaterThan(200)
    await list.return?.(undefined)
  })
})
