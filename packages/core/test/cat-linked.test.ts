import { unixfs } from '@helia/unixfs'
import { MemoryDatastore } from 'datastore-core'
import { describe, expect, it } from 'vitest'
import { ipfsz, unmark } from '../src/index.ts'
import { chunked, collect, CountingBlockstore, text } from './fixtures.ts'
import { mortal, originals } from './link-fixtures.ts'
import type { Ipfsz } from '../src/index.ts'
import type { CID } from 'multiformats/cid'

/** A linked file whose original is not stored, and everything that belongs to it. */
async function linked (
  size = 300_000
): Promise<{ fs: Ipfsz, blockstore: CountingBlockstore, bytes: Uint8Array, original: CID, cid: CID }> {
  const blockstore = new CountingBlockstore()
  const fs = ipfsz({ blockstore, datastore: new MemoryDatastore() })
  const bytes = text(size)
  const cid = await fs.addBytes(bytes, { link: true })
  const original = await unixfs({ blockstore: new CountingBlockstore() }).addByteStream(chunked(bytes, 100_000))

  return { fs, blockstore, bytes, original, cid }
}

describe('reading an original', () => {
  it.each([300_000, 3_000_000])('of %d bytes that is not stored here reads the compressed file', {
    tags: 'slow'
  }, async (size) => {
    const { fs, bytes, original } = await linked(size)

    expect(Buffer.compare(await collect(fs.cat(original)), bytes)).toBe(0)
    expect(
      Buffer.from(await collect(fs.cat(original, { offset: 70_000, length: 10 })))
    ).toEqual(Buffer.from(bytes.subarray(70_000, 70_010)))
  })

  it('with ls lists the compressed file', async () => {
    const { fs, cid, original, bytes } = await linked()

    expect(await Array.fromAsync(fs.ls(original))).toMatchObject(
      [{ cid, size: BigInt(bytes.byteLength), codec: 'zstd' }]
    )
  })

  it('that is stored locally does not look for a link', async () => {
    const { blockstore, bytes, original } = await linked()
    await unixfs({ blockstore }).addBytes(bytes)
    blockstore.gets.length = 0
    const datastore = { ...mortal(new MemoryDatastore(), 0), get: () => { throw new Error('asked') } }

    expect(Buffer.compare(await collect(ipfsz({ blockstore, datastore }).cat(original)), bytes)).toBe(0)
    expect(blockstore.gets[0]).toBe(original.toString())
  })

  it('by the plain CID of the compressed file returns the stored bytes', async () => {
    const { fs, blockstore, cid } = await linked()

    expect(await collect(fs.cat(unmark(cid)))).toEqual(await collect(unixfs({ blockstore }).cat(unmark(cid))))
  })

  it('that is a linked directory follows the path', async () => {
    const { fs, blockstore, bytes } = await linked()
    const tree = await fs.addFile({ path: 'a/b', content: bytes })
    const original = await unixfs({ blockstore: new CountingBlockstore() }).addFile({ path: 'a/b', content: bytes })
    await fs.links.add(original, tree, { unchecked: true })

    expect(Buffer.compare(await collect(fs.cat(original, { path: 'a/b' })), bytes)).toBe(0)
    await expect(collect(fs.cat(original, { path: 'a/c' }))).rejects.toMatchObject({ name: 'NotFoundError' })
    expect(blockstore.gets).not.toContain(original.toString())
  })

  it('is refused if both sides are missing, with both named and the link kept', async () => {
    const { fs, blockstore, original, cid } = await linked()
    await blockstore.delete(unmark(cid))

    await expect(collect(fs.cat(original))).rejects.toMatchObject(
      { name: 'NotFoundError', cid: original, compressed: cid, cause: expect.any(Error) }
    )
    expect(await fs.links.get(original)).toEqual(cid)
  })

  it('that is neither stored nor linked is refused', async () => {
    const { fs } = await linked()
    await expect(collect(fs.cat(originals[0]))).rejects.toMatchObject(
      { name: 'NotFoundError', cid: originals[0], compressed: undefined }
    )
  })
})
