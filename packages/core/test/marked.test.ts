import { unixfs } from '@helia/unixfs'
import * as dagPb from '@ipld/dag-pb'
import { describe, expect, it } from 'vitest'
import { ipfsz, mark, MARKERS, TREE_CODE, unmark } from '../src/index.ts'
import { bytesField, varintField } from '../src/format/protobuf.ts'
import { collect, CountingBlockstore, FRAME, getBlock, noise, putNode, stored, text } from './fixtures.ts'
import type { CID } from 'multiformats/cid'

/** Another root for a file, with its UnixFS message changed. */
async function withData (
  cid: CID,
  blockstore: CountingBlockstore,
  change: (data: Uint8Array) => Uint8Array
): Promise<CID> {
  const { Data = new Uint8Array(0), Links } = dagPb.decode(await getBlock(unmark(cid), blockstore))

  return mark(await putNode({ Data: change(Data), Links }, blockstore), cid.code)
}

/** A UnixFS message without its last field, the header. */
function withoutHeader (data: Uint8Array): Uint8Array {
  return data.subarray(0, Buffer.from(data).indexOf(Buffer.from('aa5a', 'hex')))
}

describe('cat of a marked CID', () => {
  it('refuses a file without a header whose stream has another codec', async () => {
    const blockstore = new CountingBlockstore()
    const plain = await unixfs({ blockstore }).addBytes(noise(100), { rawLeaves: false })
    await expect(
      collect(ipfsz({ blockstore }).cat(mark(plain, MARKERS.zstd)))
    ).rejects.toMatchObject({ name: 'CorruptFrameError' })
  })

  it('refuses a directory that is marked as a file', async () => {
    const blockstore = new CountingBlockstore()
    const directory = await unixfs({ blockstore }).addDirectory()
    await expect(
      collect(ipfsz({ blockstore }).cat(mark(directory, MARKERS.zstd)))
    ).rejects.toMatchObject({ name: 'MissingHeaderError' })
  })

  it('refuses a marker that differs from the header', async () => {
    const { blockstore, cid } = await stored()
    await expect(collect(ipfsz({ blockstore }).cat(mark(unmark(cid), MARKERS.gzip))))
      .rejects.toMatchObject({ name: 'InvalidHeaderError', rule: 'codec' })
  })

  it('refuses a file that is marked as a tree', async () => {
    const { blockstore, cid } = await stored()
    await expect(
      collect(ipfsz({ blockstore }).cat(mark(unmark(cid), TREE_CODE)))
    ).rejects.toMatchObject({ name: 'InvalidDagError' })
  })

  it('refuses a directory that is marked as a tree', async () => {
    const blockstore = new CountingBlockstore()
    const cid = await ipfsz({ blockstore }).addFile({ path: 'a', content: text(100_000) })
    await expect(collect(ipfsz({ blockstore }).cat(cid))).rejects.toMatchObject({ name: 'NotAFileError' })
  })

  it('refuses frames of another codec than the marker and the header', async () => {
    const { blockstore, cid } = await stored()
    const other = await withData(cid, blockstore, data => {
      const changed = Buffer.from(data)
      // the codec in the header: field 2, 0x3f5a05 as a varint
      changed[changed.indexOf(Buffer.from('1085b4fd01', 'hex')) + 1] = 0x83

      return changed
    })

    await expect(
      collect(ipfsz({ blockstore }).cat(mark(unmark(other), MARKERS.lzo)))
    ).rejects.toMatchObject({ name: 'CorruptFrameError', codec: 'lzo' })
  })

  it('refuses a codec that is not available', async () => {
    const { blockstore, cid } = await stored()
    await expect(
      collect(ipfsz({ blockstore }, { codecs: [] }).cat(cid))
    ).rejects.toMatchObject({ name: 'UnknownCodecError', codec: 'zstd' })
  })

  it('refuses a false size and false frame lengths in the header', async () => {
    const { blockstore, cid } = await stored()
    const fields = (size: number, lengths: Uint8Array): Uint8Array => bytesField(1445, Buffer.concat([
      Uint8Array.from(
        [...varintField(1, 1), ...varintField(2, cid.code), ...varintField(3, size), ...varintField(4, FRAME)]
      ),
      bytesField(5, lengths)
    ]))
    for (const [size, lengths] of [[1_000, [100]], [65_536, [255, 1]], [70_000, [9, 9]], [2 ** 52, [1]]] as const) {
      const other = await withData(
        cid,
        blockstore,
        data => Buffer.concat([withoutHeader(data), fields(size, Uint8Array.from(lengths))])
      )
      const name = await collect(ipfsz({ blockstore }).cat(other)).then(() => 'read', (err: Error) => err.name)
      expect(['InvalidHeaderError', 'CorruptFrameError']).toContain(name)
    }
  })

  it('refuses a root with both data and links', async () => {
    const { blockstore, cid } = await stored()
    const other = await withData(cid, blockstore, data => Buffer.concat([data, Uint8Array.from([0x12, 1, 0])]))
    await expect(collect(ipfsz({ blockstore }).cat(other))).rejects.toMatchObject({ name: 'InvalidHeaderError' })
  })

  it('refuses a missing block, and names it', async () => {
    const { blockstore, cid } = await stored()
    const { Links: [{ Hash: leaf }] } = dagPb.decode(await getBlock(unmark(cid), blockstore))
    await blockstore.delete(leaf)

    await expect(collect(ipfsz({ blockstore }).cat(cid))).rejects.toMatchObject(
      { name: 'NotFoundError', cid: leaf, cause: expect.any(Error) }
    )
    await expect(
      collect(ipfsz({ blockstore: new CountingBlockstore() }).cat(cid))
    ).rejects.toMatchObject({ name: 'NotFoundError', cid: unmark(cid) })
  })

  it('refuses a flipped bit or a missing byte in any block', async () => {
    const { blockstore, cid } = await stored(200_000)
    const cids = [unmark(cid), ...dagPb.decode(await getBlock(unmark(cid), blockstore)).Links.map(link => link.Hash)]

    for (const damaged of cids) {
      const block = await getBlock(damaged, blockstore)

      for (let i = 0; i < 64; i++) {
        const flipped = Buffer.from(block)
        flipped[Math.floor(block.byteLength * i / 64)] ^= 1 << i % 8
        await blockstore.put(damaged, flipped)
        await expect(collect(ipfsz({ blockstore }).cat(cid))).rejects.toMatchObject(
          { name: 'CorruptBlockError', cid: damaged }
        )
      }

      await blockstore.put(damaged, block.subarray(0, -1))
      await expect(collect(ipfsz({ blockstore }).cat(cid))).rejects.toMatchObject({ name: 'CorruptBlockError' })
      await blockstore.put(damaged, block)
    }
  })

  it('refuses a damaged frame under valid hashes', async () => {
    const blockstore = new CountingBlockstore()
    const cid = await ipfsz({ blockstore }).addBytes(text(60_000))
    const other = await withData(cid, blockstore, data => {
      const damaged = Buffer.from(data)
      // the magic number of the frame, behind the UnixFS type and the data's tag
      damaged[damaged.indexOf(Buffer.from('28b52ffd', 'hex'))] ^= 1

      return damaged
    })

    await expect(collect(ipfsz({ blockstore }).cat(other))).rejects.toMatchObject(
      { name: 'CorruptFrameError', codec: 'zstd' }
    )
  })
})
