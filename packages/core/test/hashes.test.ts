import * as dagPb from '@ipld/dag-pb'
import fc from 'fast-check'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { create as createDigest } from 'multiformats/hashes/digest'
import { identity } from 'multiformats/hashes/identity'
import { sha256, sha512 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { checkBlock, checkHash, ipfsz } from '../src/index.ts'
import { collect, CountingBlockstore, noise, putNode, text } from './fixtures.ts'
import type { MultihashHasher } from 'multiformats/hashes/interface'

const BYTES = text(1000)

/** A CID whose digest is truncated to this length. */
async function cut (length: number, hasher: MultihashHasher = sha256): Promise<CID> {
  return CID.createV1(raw.code, createDigest(hasher.code, (await hasher.digest(BYTES)).digest.subarray(0, length)))
}

function inline (bytes: Uint8Array, code = raw.code): CID {
  return CID.createV1(code, identity.digest(bytes))
}

/** A file of one leaf. */
async function fileOf (leaf: CID, size: number, blockstore: CountingBlockstore): Promise<CID> {
  return putNode({
    Data: new UnixFS({ type: 'file', blockSizes: [BigInt(size)] }).marshal(),
    Links: [{ Name: '', Hash: leaf, Tsize: size }]
  }, blockstore)
}

describe('checkBlock', () => {
  it('compares whole digests, and digests truncated to 20 bytes or more', async () => {
    for (const cid of [await cut(32), await cut(20), await cut(64, sha512), await cut(20, sha512), inline(BYTES)]) {
      await expect(checkBlock(cid, BYTES)).resolves.toBeUndefined()
      await expect(checkBlock(cid, noise(1000))).rejects.toMatchObject({ name: 'CorruptBlockError', cid })
    }
  })

  it.each([
    ['blake3', 0x1e, '6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85'],
    ['blake2b-256', 0xb220, 'bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319']
  ])('computes %s as its specification does', async (_, code, digest) => {
    // the hash of "abc" by b3sum and by b2sum -l 256
    const cid = CID.createV1(raw.code, createDigest(code, Buffer.from(digest, 'hex')))

    await expect(checkBlock(cid, Buffer.from('abc'))).resolves.toBeUndefined()
    await expect(checkBlock(cid, Buffer.from('abd'))).rejects.toMatchObject({ name: 'CorruptBlockError', cid })
  })

  it('refuses bytes that differ from those in an identity CID', async () => {
    for (const bytes of [BYTES.subarray(1), BYTES.subarray(0, 999), Buffer.concat([BYTES, BYTES]), new Uint8Array(0)]) {
      await expect(checkBlock(inline(BYTES), bytes)).rejects.toMatchObject({ name: 'CorruptBlockError' })
    }
  })

  it('refuses digests longer than the hash function produces', async () => {
    const cid = CID.createV1(
      raw.code,
      createDigest(sha256.code, Buffer.concat([(await sha256.digest(BYTES)).digest, Buffer.of(0)]))
    )

    await expect(checkBlock(cid, BYTES)).rejects.toMatchObject({ name: 'CorruptBlockError', cid })
  })

  it('refuses digests of fewer than 20 bytes, even if they match', async () => {
    const lengths = fc.integer({ min: 0, max: 19 })
    const hashers = fc.constantFrom<MultihashHasher>(sha256, sha512)

    await fc.assert(fc.asyncProperty(lengths, hashers, async (length, hasher) => {
      const cid = await cut(length, hasher)

      expect(() => { checkHash(cid) }).toThrow(expect.objectContaining({ name: 'DigestLengthError', cid, length }))
      await expect(checkBlock(cid, BYTES)).rejects.toMatchObject({ name: 'DigestLengthError', cid, length })
    }), { numRuns: 40 })
  })

  it('refuses an unsupported hash function', async () => {
    const cid = CID.createV1(raw.code, createDigest(0x11, new Uint8Array(20)))

    await expect(checkBlock(cid, BYTES)).rejects.toMatchObject({ name: 'UnknownHashError', cid })
  })
})

describe('reading', () => {
  it('refuses a leaf with a digest of fewer than 20 bytes before requesting it', async () => {
    for (const length of [0, 4, 19]) {
      const blockstore = new CountingBlockstore()
      const fs = ipfsz({ blockstore })
      const leaf = await cut(length)
      await blockstore.put(leaf, BYTES)
      const file = await fileOf(leaf, BYTES.byteLength, blockstore)

      for (const cid of [leaf, file]) {
        await expect(collect(fs.cat(cid))).rejects.toMatchObject({ name: 'DigestLengthError', cid: leaf })
        await expect(fs.verify(cid)).rejects.toMatchObject({ name: 'DigestLengthError', cid: leaf })
      }

      await expect(fs.stat(leaf)).rejects.toMatchObject({ name: 'DigestLengthError', cid: leaf })
      expect(blockstore.gets).not.toContain(leaf.toString())
    }
  })

  it('takes the block of an identity CID from the CID', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    // as Kubo's --inline makes them
    const leaf = inline(text(32))
    const node = inline(
      dagPb.encode({ Data: new UnixFS({ type: 'file', data: text(32) }).marshal(), Links: [] }),
      dagPb.code
    )

    for (const cid of [leaf, node, await fileOf(leaf, 32, blockstore), inline(text(32))]) {
      expect(Buffer.from(await collect(fs.cat(cid)))).toEqual(Buffer.from(text(32)))
      expect(await fs.verify(cid)).toMatchObject({ size: 32n })
      expect(await fs.stat(cid)).toMatchObject({ type: cid.code === raw.code ? 'raw' : 'file', size: 32n })
      expect(await fs.stat(cid, { extended: true })).toMatchObject({ size: 32n })
    }

    const directory = await putNode({
      Data: new UnixFS({ type: 'directory' }).marshal(),
      Links: [{ Name: 'a', Hash: leaf, Tsize: 32 }, { Name: 'b', Hash: node, Tsize: 40 }]
    }, blockstore)

    expect(await Array.fromAsync(fs.ls(directory))).toMatchObject([{ name: 'a', size: 32n }, { name: 'b', size: 32n }])
    expect(Buffer.from(await collect(fs.cat(directory, { path: 'b' })))).toEqual(Buffer.from(text(32)))
    expect(blockstore.gets.filter(cid => CID.parse(cid).multihash.code === identity.code)).toEqual([])
  })

  it('reads raw identity CIDs of any length, and dag-pb ones of at most 128 bytes', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const long = inline(text(3000))
    const node = (size: number): CID => {
      const data = new UnixFS({ type: 'file', data: text(size) }).marshal()

      return inline(dagPb.encode({ Data: data, Links: [] }), dagPb.code)
    }

    expect(Buffer.from(await collect(fs.cat(long)))).toEqual(Buffer.from(text(3000)))
    expect(node(120).multihash.digest.byteLength).toBe(128)
    expect(Buffer.from(await collect(fs.cat(node(120))))).toEqual(Buffer.from(text(120)))
    await expect(collect(fs.cat(node(121)))).rejects.toMatchObject({ name: 'DigestLengthError', length: 129 })
  })
})
