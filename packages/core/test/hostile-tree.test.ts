import * as dagPb from '@ipld/dag-pb'
import { describe, expect, it } from 'vitest'
import { ipfsz, mark, TREE_CODE, unmark } from '../src/index.ts'
import { collect, CountingBlockstore, getBlock, putNode, text } from './fixtures.ts'
import { addTree, putDeep, putDirectory, putSharded } from './trees.ts'
import type { CID } from 'multiformats/cid'

async function file (blockstore: CountingBlockstore): Promise<CID> {
  return unmark(await ipfsz({ blockstore }).addBytes(text(1000)))
}

describe('a hostile directory', () => {
  it.each([
    ['an entry called ..', ['..', 'b']],
    ['an entry called .', ['.', 'b']],
    ['an entry without a name', ['', 'b']],
    ['a slash in a name', ['a/../../b', 'b']],
    ['two entries of the same name', ['b', 'b']]
  ])('with %s is not listed or changed', async (_, names) => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const cid = await file(blockstore)
    const tree = mark(await putDirectory(names.map(name => [name, cid]), blockstore), TREE_CODE)
    const name = 'InvalidDagError'

    await expect(fs.ls(tree)[Symbol.asyncIterator]().next()).rejects.toMatchObject({ name })
    await expect(fs.ls(unmark(tree))[Symbol.asyncIterator]().next()).rejects.toMatchObject({ name })
    await expect(fs.cp(cid, tree, 'b', { force: true })).rejects.toMatchObject({ name })
    await expect(fs.rm(tree, 'b')).rejects.toMatchObject({ name })
    await expect(fs.mkdir(tree, 'c')).rejects.toMatchObject({ name })
    await expect(fs.chmod(tree, 0o700, { recursive: true })).rejects.toMatchObject({ name })

    if (names[0] === names[1] || names[0].startsWith('.')) {
      await expect(fs.stat(tree, { path: names[0] })).rejects.toMatchObject({ name })
    }
  })

  it('in shards with a duplicate name or shard is not listed', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const sharded = unmark(await putSharded(fs, 400, () => text(100)))
    const { Data = new Uint8Array(0), Links } = dagPb.decode(await getBlock(sharded, blockstore))
    const shard = Links.find(link => link.Name?.length === 2) as dagPb.PBLink
    const unused = [
      '00',
      '01',
      '02',
      '03',
      '04',
      '05',
      '06',
      '07',
      '08',
      '09',
      '0A'
    ].find(prefix => !Links.some(link => link.Name?.startsWith(prefix)))
    const twice = await putNode(
      dagPb.prepare({ Data, Links: [...Links, { ...shard, Name: unused ?? 'FF' }] }),
      blockstore
    )

    await expect(Array.fromAsync(fs.ls(twice))).rejects.toMatchObject({ name: 'InvalidDagError' })

    const { Links: innerLinks } = dagPb.decode(await getBlock(shard.Hash, blockstore))
    const name = innerLinks[0].Name?.slice(2) ?? ''
    const doubled = await putNode(
      dagPb.prepare({ Data, Links: [...Links, { ...innerLinks[0], Name: `${shard.Name}${name}` }] }),
      blockstore
    )

    await expect(Array.fromAsync(fs.ls(doubled))).rejects.toMatchObject({ name: 'InvalidDagError' })
  })

  it.each([0n, 1n, 3n, 2n ** 40n])('in shards with a fanout of %d is refused', async (fanout) => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const cid = await putDirectory(
      [['00a', await file(blockstore)]],
      blockstore,
      { type: 'hamt-sharded-directory', fanout }
    )

    await expect(Array.fromAsync(fs.ls(cid))).rejects.toMatchObject({ name: 'InvalidDagError' })
    await expect(fs.stat(cid, { path: 'a' })).rejects.toMatchObject({ name: 'InvalidDagError' })
    await expect(fs.rm(cid, 'a')).rejects.toMatchObject({ name: 'InvalidDagError' })
  })

  it('in shards of 100 levels is refused', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    let cid = await file(blockstore)

    for (let level = 0; level < 100; level++) {
      cid = await putDirectory(
        [['00', cid]],
        blockstore,
        { type: 'hamt-sharded-directory', fanout: 256n, hashType: 0x22n }
      )
    }

    await expect(Array.fromAsync(fs.ls(cid))).rejects.toMatchObject({ name: 'InvalidDagError' })
  })
})

describe('a tree', () => {
  it('refuses a path that does not exist or leads through a file', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const tree = await addTree(fs, { 'a.txt': text(1000), 'b/c.bin': new Uint8Array(10) })

    for (const [path, name] of [
      ['x', 'NotFoundError'],
      ['b/x/y', 'NotFoundError'],
      ['../a.txt', 'NotFoundError'],
      ['a.txt/x', 'NotADirectoryError'],
      ['b/c.bin/x', 'NotADirectoryError']
    ]) {
      await expect(collect(fs.cat(tree, { path })), path).rejects.toMatchObject({ name })
      await expect(fs.stat(tree, { path }), path).rejects.toMatchObject({ name })
      await expect(Array.fromAsync(fs.ls(tree, { path })), path).rejects.toMatchObject({ name })
    }

    await expect(collect(fs.cat(tree, { path: 'b' }))).rejects.toMatchObject({ name: 'NotAFileError' })
  })

  it('with an invalid header in one file refuses that file and the listing, and reads other files', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const good = await file(blockstore)
    const { Data = new Uint8Array(0), Links } = dagPb.decode(await getBlock(good, blockstore))
    const data = Buffer.from(Data)
    // the version in the header, its first field
    data[data.indexOf(Buffer.from('aa5a', 'hex')) + 4] = 9
    const bad = await putNode({ Data: data, Links }, blockstore)
    const tree = mark(await putDirectory([['bad', bad], ['good', good]], blockstore), TREE_CODE)

    await expect(collect(fs.cat(tree, { path: 'bad' }))).rejects.toMatchObject(
      { name: 'InvalidHeaderError', rule: 'version' }
    )
    await expect(fs.stat(tree, { path: 'bad' })).rejects.toMatchObject({ name: 'InvalidHeaderError' })
    await expect(Array.fromAsync(fs.ls(tree))).rejects.toMatchObject({ name: 'InvalidHeaderError' })
    expect(Buffer.compare(await collect(fs.cat(tree, { path: 'good' })), text(1000))).toBe(0)
    // the plain CID ignores headers
    expect(await Array.fromAsync(fs.ls(unmark(tree)))).toHaveLength(2)
  })

  it('of 10,000 levels is read, listed, counted and changed', { tags: 'slow' }, async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const { tree, path } = await putDeep(10_000, 'a.txt', await file(blockstore), blockstore)

    expect(Buffer.compare(await collect(fs.cat(tree, { path })), text(1000))).toBe(0)
    expect(await Array.fromAsync(fs.ls(tree, { path: path.slice(0, -6) }))).toHaveLength(1)
    expect(await fs.stat(tree, { extended: true })).toMatchObject({ blocks: 10_001n, size: 1000n })
    expect(await fs.verify(tree)).toMatchObject({ blocks: 10_001n, size: 1000n, files: 1 })
    expect(
      await fs.stat(await fs.chmod(tree, 0o700, { recursive: true }), { path })
    ).toMatchObject({ mode: 0o700, size: 1000n, codec: 'zstd' })
    expect(
      await fs.stat(await fs.touch(tree, { path, mtime: { secs: 1n } }), { path })
    ).toMatchObject({ mtime: { secs: 1n }, codec: 'zstd' })
  })

  it('that links the same directories repeatedly is counted and changed in bounded time', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const trees = [await file(blockstore)]

    for (let level = 0; level < 60; level++) {
      const cid = trees[level]
      trees.push(await putDirectory([['a', cid], ['b', cid]], blockstore))
    }

    const tree = mark(trees[36], TREE_CODE)
    expect(await fs.stat(tree, { extended: true })).toMatchObject(
      { blocks: 2n ** 37n - 1n, uniqueBlocks: 37n, size: 1000n * 2n ** 36n }
    )
    expect(
      await fs.stat(await fs.chmod(tree, 0o700, { recursive: true }), { path: 'a/b/'.repeat(18) })
    ).toMatchObject({ mode: 0o700, size: 1000n })

    // more than 2^53 bytes and files
    await expect(fs.verify(mark(trees[60], TREE_CODE))).rejects.toMatchObject(
      { name: 'VerifyFailedError', cause: { name: 'InvalidDagError' } }
    )
    await expect(
      fs.stat(mark(trees[60], TREE_CODE), { extended: true })
    ).rejects.toMatchObject({ name: 'InvalidDagError' })
    await expect(
      fs.chmod(mark(trees[60], TREE_CODE), 0o700, { recursive: true })
    ).rejects.toMatchObject({ name: 'InvalidDagError' })
  })
})
