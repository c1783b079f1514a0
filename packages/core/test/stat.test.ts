import { unixfs } from '@helia/unixfs'
import * as dagPb from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { ipfsz, mark, MARKERS, unmark } from '../src/index.ts'
import { CountingBlockstore, noise, text } from './fixtures.ts'

const FRAME = 64 * 1024

describe('stat', () => {
  it('returns both sizes, codec, frames and both CIDs from one block', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const cid = await fs.addBytes(text(1_000_000), { compression: { codec: 'gzip', frameSize: FRAME } })
    const storedSize = await blockstoreSize(blockstore)
    blockstore.gets.length = 0

    expect(await fs.stat(cid)).toMatchObject({
      type: 'file',
      cid: unmark(cid),
      size: 1_000_000n,
      storedSize,
      ratio: Number(storedSize) / 1_000_000,
      codec: 'gzip',
      frames: 16,
      frameSize: FRAME,
      plainCid: unmark(cid),
      markedCid: cid
    })
    expect(blockstore.gets).toHaveLength(1)
  })

  it('of the plain CID returns the stored size, and the marked CID', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const cid = await fs.addBytes(text(1_000_000))
    const { size, storedSize, codec, frames, markedCid } = await fs.stat(unmark(cid))

    expect({ codec, frames, markedCid }).toEqual({ codec: 'none', frames: 0, markedCid: cid })
    expect(size).toBeLessThan(storedSize ?? 0n)
  })

  it('returns what @helia/unixfs returns for uncompressed content', async () => {
    const blockstore = new CountingBlockstore()
    const theirs = unixfs({ blockstore })
    const cids = [
      await theirs.addBytes(noise(1000)),
      await theirs.addBytes(noise(3_000_000), { mode: 0o700, mtime: { secs: 3n } }),
      await theirs.addDirectory({ path: 'a' }),
      await theirs.addBytes(new Uint8Array(0))
    ]

    for (const cid of cids) {
      const ours = await ipfsz({ blockstore }).stat(cid)
      expect(ours).toMatchObject(await theirs.stat(cid))
      expect(ours).toMatchObject({ frames: 0, plainCid: cid })
      expect(ours.codec).toBe(ours.type === 'directory' ? undefined : 'none')
      expect(ours.markedCid).toBeUndefined()
    }

    expect(await ipfsz({ blockstore }).stat(cids[3])).toMatchObject({ size: 0n, ratio: 1 })
  })

  it('has the fields of @helia/unixfs, how it is compressed, and no others', async () => {
    const blockstore = new CountingBlockstore()
    const cid = await unixfs({ blockstore }).addFile({ path: 'a/b', content: noise(1000) })

    for (const extended of [undefined, true] as const) {
      const options = { extended: extended as true }
      const theirs = Object.keys(await unixfs({ blockstore }).stat(cid, options))
      const ours = Object.keys(await ipfsz({ blockstore }).stat(cid, options))

      const sizes = extended ? ['fetchSize', 'ratio', 'storedSize'] : []

      expect(ours.toSorted()).toEqual([...theirs, 'frames', 'plainCid', ...sizes].toSorted())
    }
  })

  it('counts blocks with extended: true, inner nodes included', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const small = await fs.addBytes(text(1000))
    // 15 frames of noise fill a leaf
    const large = await fs.addBytes(noise(1_200_000), { compression: { frameSize: FRAME, detect: false } })
    const deep = await unixfs({ blockstore }).addBytes(noise(300_000), {
      chunker: async function * (source) {
        for await (const bytes of source) {
          for (let i = 0; i < bytes.byteLength; i += 100) {
            yield bytes.subarray(i, i + 100)
          }
        }
      }
    })

    expect((await fs.stat(small, { extended: true })).blocks).toBe(1n)
    expect((await fs.stat(large, { extended: true })).blocks).toBe(3n)
    expect((await fs.stat(deep, { extended: true })).blocks).toBe(3000n + 3n + 1n)
    expect(await fs.stat(small)).not.toHaveProperty('blocks')
  })

  it('counts a DAG that links the same nodes repeatedly, and refuses one that is too large or too deep', async () => {
    const blockstore = new CountingBlockstore()
    let cid = await unixfs({ blockstore }).addBytes(new Uint8Array(0), { rawLeaves: false })
    const nodes: CID[] = [cid]

    for (let level = 0; level < 80; level++) {
      const block = dagPb.encode(dagPb.prepare({
        Data: new UnixFS({ type: 'file', blockSizes: [0n, 0n] }).marshal(),
        Links: [{ Hash: cid, Tsize: 0, Name: '' }, { Hash: cid, Tsize: 0, Name: '' }]
      }))
      cid = CID.createV1(dagPb.code, await sha256.digest(block))
      await blockstore.put(cid, block)
      nodes.push(cid)
    }

    const fs = ipfsz({ blockstore })
    expect((await fs.stat(nodes[40], { extended: true })).blocks).toBe(2n ** 41n - 1n)
    await expect(fs.stat(nodes[60], { extended: true })).rejects.toMatchObject({ name: 'InvalidDagError' })
    await expect(fs.stat(nodes[80], { extended: true })).rejects.toMatchObject({ name: 'InvalidDagError' })
  })

  it('counts no block for what identity CIDs contain, as ls does', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const [held, stored] = [text(50), text(70)]
    const leaf = CID.createV1(raw.code, identity.digest(held))
    const small = new UnixFS({ type: 'file', data: held }).marshal()
    const inline = CID.createV1(dagPb.code, identity.digest(dagPb.encode({ Data: small, Links: [] })))
    const other = CID.createV1(raw.code, await sha256.digest(stored))
    await blockstore.put(other, stored)
    const block = dagPb.encode(dagPb.prepare({
      Data: new UnixFS({ type: 'file', blockSizes: [50n, 70n] }).marshal(),
      Links: [{ Name: '', Hash: leaf, Tsize: 50 }, { Name: '', Hash: other, Tsize: 70 }]
    }))
    const file = CID.createV1(dagPb.code, await sha256.digest(block))
    await blockstore.put(file, block)

    for (const [cid, storedSize, blocks] of [
      [leaf, 0n, 0n], [inline, 0n, 0n], [file, BigInt(block.byteLength + 70), 2n]
    ] as const) {
      expect(await fs.stat(cid)).toMatchObject({ storedSize })
      expect(await fs.stat(cid, { extended: true })).toMatchObject({ storedSize, uniqueBlocks: blocks })
      expect(await Array.fromAsync(fs.ls(cid))).toMatchObject([{ storedSize }])
      const tree = await fs.cp(cid, await fs.addDirectory(), 'entry')
      expect(await Array.fromAsync(fs.ls(tree))).toMatchObject([{ storedSize }])
    }
  })

  it('refuses a marked CID of a directory, and one that differs from the header', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const directory = await unixfs({ blockstore }).addDirectory()
    const cid = await fs.addBytes(text(10_000))

    await expect(fs.stat(mark(directory, MARKERS.zstd))).rejects.toMatchObject({ name: 'MissingHeaderError' })
    await expect(
      fs.stat(mark(unmark(cid), MARKERS.lz4))
    ).rejects.toMatchObject({ name: 'InvalidHeaderError', rule: 'codec' })
  })
})

/** The bytes of all blocks together. */
async function blockstoreSize (blockstore: CountingBlockstore): Promise<bigint> {
  let size = 0

  for await (const { bytes } of blockstore.getAll()) {
    for await (const chunk of bytes) {
      size += chunk.byteLength
    }
  }

  return BigInt(size)
}
