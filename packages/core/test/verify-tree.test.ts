import { unixfs } from '@helia/unixfs'
import * as dagPb from '@ipld/dag-pb'
import { MemoryDatastore } from 'datastore-core'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { MAX_TREE_DEPTH } from '../src/constants.ts'
import { ipfsz, mark, TREE_CODE, unmark } from '../src/index.ts'
import { CountingBlockstore, getBlock, leavesOf, noise, putNode, text } from './fixtures.ts'
import { putDeep, putDirectory } from './trees.ts'

function directoryData (type: 'directory' | 'hamt-sharded-directory', fanout?: bigint): Uint8Array {
  return new UnixFS({ type, fanout, hashType: 0x22n }).marshal()
}

/** A directory of files and directories, some compressed, and its marked CID. */
async function tree (): Promise<{ blockstore: CountingBlockstore, cid: CID, bad: CID }> {
  const blockstore = new CountingBlockstore()
  const fs = ipfsz({ blockstore, datastore: new MemoryDatastore() })
  const theirs = unixfs({ blockstore })
  const bad = await fs.addBytes(text(300_000), { link: true })
  const symlink = await putNode(
    { Data: new UnixFS({ type: 'symlink', data: text(10) }).marshal(), Links: [] },
    blockstore
  )
  let below = await theirs.addDirectory()
  below = await theirs.cp(unmark(bad), below, 'compressed')
  below = await theirs.cp(await theirs.addBytes(noise(100)), below, 'plain')
  below = await theirs.cp(symlink, below, 'link')
  let root = await theirs.addDirectory()
  root = await theirs.cp(below, root, 'below')
  root = await theirs.cp(await theirs.addDirectory(), root, 'empty')
  root = await theirs.cp(unmark(await fs.addBytes(text(100_000, 2))), root, 'other')

  return { blockstore, cid: mark(root, TREE_CODE), bad: unmark(bad) }
}

describe('verify of a tree', () => {
  it('reads every file in it, according to its header', async () => {
    const { blockstore, cid } = await tree()
    const paths: string[] = []
    const report = await ipfsz({ blockstore }).verify(cid, {
      onProgress: event => {
        if (event.type === 'ipfsz:verify:file') {
          paths.push(event.detail.path)
        }
      }
    })

    // four files: two compressed ones of one frame each, plain, and link
    expect(report).toMatchObject({ cid: unmark(cid), size: 400_100n, frames: 2, files: 4 })
    expect(paths.toSorted()).toEqual(['below/compressed', 'below/link', 'below/plain', 'other'])
  })

  it('reads the files of an unmarked tree as they are stored', async () => {
    const { blockstore, cid } = await tree()

    expect(await ipfsz({ blockstore }).verify(unmark(cid))).toMatchObject({ frames: 0, files: 4 })
  })

  it('begins at the given path', async () => {
    const { blockstore, cid, bad } = await tree()

    expect(
      await ipfsz({ blockstore }).verify(cid, { path: 'below' })
    ).toMatchObject({ size: 300_100n, frames: 1, files: 3 })
    expect(
      await ipfsz({ blockstore }).verify(cid, { path: 'below/compressed' })
    ).toMatchObject({ cid: bad, frames: 1, contentCid: expect.any(CID) })
  })

  it('reports the path of a file with a damaged or missing block', async () => {
    const { blockstore, cid, bad } = await tree()
    const [leaf] = await leavesOf(bad, blockstore)

    for (const damaged of [bad, leaf]) {
      const block = await getBlock(damaged, blockstore)
      await blockstore.put(damaged, noise(100))
      await expect(ipfsz({ blockstore }).verify(cid)).rejects.toMatchObject({
        name: 'VerifyFailedError',
        path: 'below/compressed',
        cid: bad,
        cause: { name: 'CorruptBlockError', cid: damaged }
      })
      await blockstore.delete(damaged)
      await expect(ipfsz({ blockstore }).verify(cid)).rejects.toMatchObject(
        { name: 'VerifyFailedError', path: 'below/compressed', cause: { name: 'NotFoundError', cid: damaged } }
      )
      await blockstore.put(damaged, block)
    }
  })

  it('reads the shards of a large directory', async () => {
    const blockstore = new CountingBlockstore()
    const theirs = unixfs({ blockstore })
    const file = unmark(await ipfsz({ blockstore }).addBytes(text(100_000)))
    let root = await theirs.addDirectory()

    for (let i = 0; i < 40; i++) {
      root = await theirs.cp(file, root, `file ${i}`, { shardSplitThresholdBytes: 0 })
    }

    blockstore.gets.length = 0
    const paths: string[] = []
    const report = await ipfsz({ blockstore }).verify(mark(root, TREE_CODE), {
      onProgress: event => {
        if (event.type === 'ipfsz:verify:file') {
          paths.push(event.detail.path)
        }
      }
    })

    const blocks = BigInt(new Set(blockstore.gets.map(cid => cid.toString())).size)

    expect(report).toMatchObject({ files: 40, frames: 40, size: 4_000_000n, blocks })
    expect(paths.toSorted()).toEqual(Array.from({ length: 40 }, (_, i) => `file ${i}`).toSorted())
  })

  it('ends if the same directories are linked repeatedly, and refuses too large or too deep trees', {
    tags: 'slow'
  }, async () => {
    const blockstore = new CountingBlockstore()
    const Data = new UnixFS({ type: 'directory' }).marshal()
    let cid = await unixfs({ blockstore }).addBytes(noise(10))
    const roots: CID[] = []

    for (let level = 0; level < 60; level++) {
      cid = await putNode(
        dagPb.prepare({ Data, Links: ['a', 'b'].map(Name => ({ Hash: cid, Name, Tsize: 0 })) }),
        blockstore
      )
      roots.push(cid)
    }

    expect(await ipfsz({ blockstore }).verify(roots[49])).toMatchObject({ files: 2 ** 50, size: 10n * 2n ** 50n })
    await expect(ipfsz({ blockstore }).verify(roots[59])).rejects.toMatchObject(
      { name: 'VerifyFailedError', cause: { name: 'InvalidDagError' } }
    )

    const { tree } = await putDeep(MAX_TREE_DEPTH + 2, 'file', cid, blockstore)
    await expect(ipfsz({ blockstore }).verify(tree)).rejects.toMatchObject(
      { name: 'VerifyFailedError', cause: { name: 'InvalidDagError' } }
    )
  })

  it('refuses a tree whose nested directories do not fit into memory together', async () => {
    const blockstore = new CountingBlockstore()
    let cid = await putNode({ Data: new UnixFS({ type: 'file' }).marshal(), Links: [] }, blockstore)

    for (let level = 0; level < 20; level++) {
      cid = await putDirectory([['n'.repeat(1_000_000), cid]], blockstore)

      if (level === 5) {
        await expect(ipfsz({ blockstore }).verify(cid)).resolves.toMatchObject({ files: 1 })
      }
    }

    await expect(ipfsz({ blockstore }).verify(cid)).rejects.toMatchObject(
      { name: 'VerifyFailedError', cause: { name: 'InvalidDagError' } }
    )
  })

  it('refuses entries that are not files, and invalid shards', async () => {
    const blockstore = new CountingBlockstore()
    const cbor = CID.createV1(0x71, await sha256.digest(Uint8Array.of(0xa0)))
    const file = await putNode({ Data: new UnixFS({ type: 'file' }).marshal(), Links: [] }, blockstore)
    const cases = [
      [directoryData('directory'), 'a', cbor, 'NotUnixFSError'],
      [directoryData('hamt-sharded-directory', 256n), 'FF', file, 'NotUnixFSError'],
      [directoryData('hamt-sharded-directory'), 'FFa', file, 'InvalidDagError']
    ] as const

    for (const [Data, Name, Hash, name] of cases) {
      const cid = await putNode(dagPb.prepare({ Data, Links: [{ Hash, Name, Tsize: 0 }] }), blockstore)
      const err = await ipfsz({ blockstore }).verify(cid).then(() => undefined, (err: Error) => err)

      expect(err?.name === 'VerifyFailedError' ? (err.cause as Error).name : err?.name).toBe(name)
    }
  })
})
