import * as dagPb from '@ipld/dag-pb'
import { unixfs } from '@helia/unixfs'
import fc from 'fast-check'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { marshal } from '../src/dag/marshal.ts'
import { encodeNode } from '../src/dag/node.ts'
import { ipfsz, isMarked } from '../src/index.ts'
import { CountingBlockstore, getBlock, noise } from './fixtures.ts'
import type { Ipfsz } from '../src/index.ts'

const GB = 1_000_000_000
const leaf = CID.createV1(0x55, await sha256.digest(noise(10)))

/** A file with the mode 0o100600: by its upper bits a regular file. */
const PRIVATE_FILE = Uint8Array.of(0x08, 2, 0x18, 0, 0x38, 0x80, 0x83, 0x02)

/** Sizes that unixfs.marshal writes correctly. */
const rightSize = fc.oneof(fc.integer({ min: 1, max: 2 ** 31 - 1 }), fc.integer({ min: 2 ** 32, max: 2 ** 45 }))

describe('marshal', () => {
  it('returns the same bytes as unixfs.marshal', () => {
    fc.assert(fc.property(fc.record({
      type: fc.constantFrom('raw', 'directory', 'file', 'metadata', 'symlink', 'hamt-sharded-directory'),
      data: fc.option(fc.uint8Array(), { nil: undefined }),
      size: rightSize,
      hashType: fc.option(fc.bigInt(0n, 1000n), { nil: undefined }),
      fanout: fc.option(fc.bigInt(2n, 1024n), { nil: undefined }),
      mode: fc.option(fc.oneof(fc.integer({ min: 0, max: 0o7777 }), fc.constantFrom(0o644, 0o755)), { nil: undefined }),
      secs: fc.option(
        fc.oneof(fc.bigInt(0n, 2n ** 31n - 1n), fc.bigInt(2n ** 32n, 2n ** 50n), fc.bigInt(-(2n ** 40n), -1n)),
        { nil: undefined }
      ),
      nsecs: fc.option(fc.integer({ min: 0, max: 999_999_999 }), { nil: undefined })
    }), ({ size, secs, nsecs, ...fields }) => {
      const unixfs = new UnixFS({
        ...fields,
        data: size > 2 ** 20 ? undefined : fields.data,
        blockSizes: [BigInt(size)],
        ...secs == null ? {} : { mtime: { secs, nsecs } }
      })

      expect(Buffer.from(marshal(unixfs)).toString('hex')).toBe(Buffer.from(unixfs.marshal()).toString('hex'))
    }))
  })

  it('keeps the mode bits that ipfs-unixfs hides', () => {
    const unixfs = UnixFS.unmarshal(PRIVATE_FILE)
    unixfs.mode = 0o640

    expect(UnixFS.unmarshal(marshal(unixfs)).mode).toBe(0o640)
    expect(marshal(unixfs)).toEqual(unixfs.marshal())
    expect(marshal(UnixFS.unmarshal(PRIVATE_FILE))).toEqual(PRIVATE_FILE)
  })

  const numbers = [2 ** 31 - 1, 2 ** 31, 3 * GB, 2 ** 32 - 1, 2 ** 32, 2 ** 40]

  it.each(numbers)('writes sizes and mtimes of %d correctly, with the same bytes each time', (number) => {
    const make = (): UnixFS => new UnixFS(
      { type: 'file', blockSizes: [BigInt(number)], mtime: { secs: BigInt(number), nsecs: 5 } }
    )

    for (let i = 0; i < 50; i++) {
      expect(marshal(make())).toEqual(marshal(make()))
    }

    const read = UnixFS.unmarshal(marshal(make()))
    expect([read.fileSize(), read.blockSizes, read.mtime]).toEqual(
      [BigInt(number), [BigInt(number)], { secs: BigInt(number), nsecs: 5 }]
    )
  })
})

describe('a file of 2 to 4 GiB', () => {
  it('has a root that can be read', () => {
    const { block } = encodeNode({ links: [1, 2].map(() => ({ cid: leaf, size: 1.5 * GB, dagSize: 1.5 * GB })) })
    const { Data = new Uint8Array(0) } = dagPb.decode(block)

    expect(UnixFS.unmarshal(Data).fileSize()).toBe(BigInt(3 * GB))
  })

  it('that is stored uncompressed has a root that can be read', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    // two leaves that claim to hold 1.5 GB each
    const bufferImporter = async function * (): AsyncGenerator<() => Promise<never>> {
      yield async () => ({ cid: leaf, size: BigInt(1.5 * GB), block: noise(10) }) as never
      yield async () => ({ cid: leaf, size: BigInt(1.5 * GB), block: noise(10) }) as never
    }
    const cids = await Promise.all(
      [1, 2, 3].map(async () => fs.addBytes(noise(10), { compression: { codec: 'none' }, bufferImporter }))
    )
    const [cid] = cids

    expect(isMarked(cid)).toBe(false)
    expect(new Set(cids.map(String)).size).toBe(1)
    expect((await fs.stat(cid)).size).toBe(BigInt(3 * GB))
    const { Links } = dagPb.decode(await getBlock(cid, blockstore))
    expect(Links.map(({ Tsize }) => Tsize)).toEqual([1.5 * GB, 1.5 * GB])
  })
})

describe('an mtime from 2038 to 2106', () => {
  const mtime = { secs: 4_102_444_800n, nsecs: 5 }
  const ENTRIES: Record<string, object> = {
    'an empty file': { content: new Uint8Array(0) },
    'a file of one block': { content: noise(10) },
    'a file of several blocks': { content: noise(2_000_000) },
    'a compressed file': { content: new Uint8Array(10_000) },
    'an empty directory': {},
    'a symlink': { link: 'file' }
  }

  it.each(Object.entries(ENTRIES))('of %s is read back', async (_, entry) => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const added = [1, 2, 3].map(async () => Array.fromAsync(fs.addAll([{ path: 'entry', mtime, ...entry }] as never)))
    const [[{ cid }], ...others] = await Promise.all(added)

    expect((await fs.stat(cid)).mtime).toEqual(mtime)
    expect(others.map(([{ cid }]) => String(cid))).toEqual([String(cid), String(cid)])
  })

  const sharded = { shardSplitThresholdBytes: 100 }

  async function addSharded (fs: Ipfsz): Promise<CID> {
    const entries = [
      { path: 'directory', mtime, mode: 0o700 },
      ...Array.from({ length: 50 }, (_, i) => ({ path: `directory/${i}`, content: noise(i) }))
    ]

    return (await Array.fromAsync(fs.addAll(entries, sharded))).at(-1)?.cid as CID
  }

  it('of a sharded directory is read back', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const cid = await addSharded(fs)
    const { mtime: read, unixfs } = await fs.stat(cid)

    expect([read, unixfs?.type]).toEqual([mtime, 'hamt-sharded-directory'])
    expect(await Array.fromAsync(fs.ls(cid))).toHaveLength(50)
  })

  it.each<[string, number, (fs: Ipfsz, cid: CID) => Promise<CID>]>([
    ['cp', 51, async (fs, cid) => fs.cp(await fs.addBytes(noise(10)), cid, 'new', sharded)],
    ['mkdir', 51, async (fs, cid) => fs.mkdir(cid, 'new', sharded)],
    ['rm', 49, async (fs, cid) => fs.rm(cid, '7', sharded)],
    ['rm into one block', 49, async (fs, cid) => fs.rm(cid, '7')],
    ['touch of an entry', 50, async (fs, cid) => fs.touch(cid, { path: '7', mtime })],
    ['chmod of an entry', 50, async (fs, cid) => fs.chmod(cid, 0o600, { path: '7' })]
  ])('of a sharded directory stays, with the same bytes each time, after %s', async (_, entries, change) => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const cid = await addSharded(fs)
    const changed = await change(fs, cid)

    expect(await fs.stat(changed)).toMatchObject({ mtime, mode: 0o700 })
    expect(await Array.fromAsync(fs.ls(changed))).toHaveLength(entries)
    expect(String(await change(fs, cid))).toBe(String(changed))
  })

  it('of a new directory is read back, in directories with and without shards', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })

    for (const parent of [await fs.addDirectory(), await addSharded(fs)]) {
      const made = await fs.mkdir(parent, 'new', { ...sharded, mtime, mode: 0o711 })

      expect(await fs.stat(made, { path: 'new' })).toMatchObject({ mtime, mode: 0o711, type: 'directory' })
    }
  })
})

describe('mkdir', () => {
  it('makes the same directories as @helia/unixfs', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const helia = unixfs({ blockstore })
    const sharded = (await Array.fromAsync(fs.addAll(
      Array.from({ length: 50 }, (_, i) => ({ path: `directory/${i}`, content: noise(i) })),
      { shardSplitThresholdBytes: 100, cidVersion: 0, rawLeaves: false }
    ))).at(-1)?.cid as CID

    for (const parent of [await fs.addDirectory(), await fs.addDirectory({}, { cidVersion: 0 }), sharded]) {
      for (const options of [{}, { mode: 0o700, mtime: { secs: 5n, nsecs: 7 } }, { cidVersion: 0 as const }]) {
        const all = { shardSplitThresholdBytes: 100, ...options }

        expect(String(await fs.mkdir(parent, 'new', all))).toBe(String(await helia.mkdir(parent, 'new', all)))
      }
    }
  })
})
