import * as dagPb from '@ipld/dag-pb'
import { unixfs } from '@helia/unixfs'
import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'
import { beforeEach, describe, expect, it } from 'vitest'
import { ipfsz, unmark } from '../src/index.ts'
import { collect, CountingBlockstore, getBlock, noise } from './fixtures.ts'
import type { AddOptions, Ipfsz } from '../src/index.ts'

/**
 * Checks what the tests of @helia/unixfs 8 check, file by file. Those tests were also run
 * against ipfsz, with `codec: 'none'` in every add. All passed, except for two that need the
 * HTTP server of its build.
 *
 * The last suite runs for compressed files too. It has no literal CIDs and sizes, because
 * those differ.
 */
const bytes = Uint8Array.of(0, 1, 2, 3, 4)
const small = noise(13)
const plain: AddOptions = { compression: { codec: 'none' } }

describe('uncompressed content', () => {
  const fs = ipfsz({ blockstore: new CountingBlockstore() })
  const metadata = { mode: 0x700, mtime: { secs: 100n } }

  it.each([
    ['bytes', async () => fs.addBytes(bytes), 'bafkreiaixnpf23vkyecj5xqispjq5ubcwgsntnnurw2bjby7khe4wnjihu'],
    [
      'a stream of bytes',
      async () => fs.addByteStream([bytes]),
      'bafkreiaixnpf23vkyecj5xqispjq5ubcwgsntnnurw2bjby7khe4wnjihu'
    ],
    [
      'bytes with metadata',
      async () => fs.addBytes(bytes, metadata),
      'bafybeiakcmpjcpv5waxiipptqjn2hfz2kxm22kogkg53f2ilcuxmel2doe'
    ],
    [
      'a stream with metadata',
      async () => fs.addByteStream([bytes], metadata),
      'bafybeiakcmpjcpv5waxiipptqjn2hfz2kxm22kogkg53f2ilcuxmel2doe'
    ],
    [
      'a file',
      async () => fs.addFile({ path: '/file.txt', content: bytes }),
      'bafybeid5m2zdvy6yz2ozuzidsaxex53epmminr4dkynmxjhcnbpvglql74'
    ],
    [
      'an empty directory',
      async () => fs.addDirectory(),
      'bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354'
    ],
    [
      'an empty directory of CID version 0',
      async () => fs.addDirectory({}, { cidVersion: 0 }),
      'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'
    ],
    [
      'an empty directory with metadata',
      async () => fs.addDirectory({ mode: 0x123, mtime: { secs: 5n, nsecs: 5 } }),
      'bafybeifj2yuv5mnnbw57oceooov4rrphvs7grxhbien42g3orki2t6xgae'
    ],
    [
      'a directory with a path',
      async () => fs.addDirectory({ path: 'dir' }),
      'bafybeid7d2tgynb3lcfgiqdln5vo73dhzw57febadhgu4cqrhm5vltvnbe'
    ]
  ])('has the CID of @helia/unixfs: %s', async (_, add, cid) => {
    expect((await add()).toString()).toBe(cid)
  })

  it('is listed with paths that begin with the CID of its directory', async () => {
    const cid = await fs.addFile({ path: '/file.txt', content: bytes })
    expect(
      (await Array.fromAsync(fs.ls(cid))).map(({ name, path }) => [name, path])
    ).toEqual([['file.txt', `${cid}/file.txt`]])
  })
})

describe('extended statistics', () => {
  it('are those of @helia/unixfs for files and directories, with and without all blocks', {
    tags: 'slow'
  }, async () => {
    const blockstore = new CountingBlockstore()
    const theirs = unixfs({ blockstore })
    const large = await theirs.addBytes(noise(5_242_880))
    const directory = await theirs.cp(
      large,
      await theirs.cp(await theirs.addBytes(small), await theirs.addDirectory(), 'a'),
      'b'
    )
    const twice = await theirs.cp(large, directory, 'c')
    const raw = await theirs.addBytes(small)
    const inline = await theirs.addBytes(small, { rawLeaves: false, cidVersion: 0 })
    const shards = (await Array.fromAsync(theirs.addAll(
      Array.from({ length: 300 }, (_, i) => ({ path: `f${i}`, content: bytes })),
      { wrapWithDirectory: true, shardSplitThresholdBytes: 1 }
    ))).at(-1)?.cid as CID
    const cids = [large, directory, twice, raw, inline, shards, await theirs.addDirectory()]
    const compare = async (offline: boolean): Promise<void> => {
      for (const cid of cids) {
        const ours = await ipfsz({ blockstore }).stat(cid, { extended: true, offline })
        expect(ours, cid.toString()).toMatchObject(
          await theirs.stat(cid, { extended: true, offline } as { extended: true })
        )
        expect(await ipfsz({ blockstore }).stat(cid)).toMatchObject(await theirs.stat(cid))
      }
    }

    await compare(false)
    await blockstore.delete(dagPb.decode(await getBlock(large, blockstore)).Links[0].Hash)
    await compare(true)
    await expect(ipfsz({ blockstore }).stat(large, { extended: true })).rejects.toMatchObject({ name: 'NotFoundError' })
  })

  it('count unique blocks with the given filter', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const seen: number[] = []
    const filter = { has: () => true, add: (bytes: Uint8Array) => { seen.push(bytes.byteLength) }, remove: () => true }
    const stats = await fs.stat(
      await fs.addFile({ path: 'a', content: small }),
      { extended: true, filter: filter as never }
    )

    expect(stats).toMatchObject({ blocks: 2n, uniqueBlocks: 0n })
    expect(seen).toHaveLength(2)
  })
})

describe.each([
  ['plain', plain],
  ['compressed', { compression: { detect: false } }]
])('ipfsz with %s files', (_, options) => {
  let blockstore: CountingBlockstore
  let fs: Ipfsz
  let empty: CID
  let file: CID

  const sharded = async (): Promise<CID> => {
    const results = await Array.fromAsync(fs.addAll(
      Array.from({ length: 200 }, (_, i) => ({ path: `./file-${i}`, content: bytes })),
      { ...options, wrapWithDirectory: true, shardSplitThresholdBytes: 1 }
    ))

    return results[results.length - 1].cid
  }

  beforeEach(async () => {
    blockstore = new CountingBlockstore()
    fs = ipfsz({ blockstore })
    empty = await fs.addDirectory()
    file = await fs.addBytes(small, options)
  })

  it('reads a file whole and in ranges', async () => {
    for (const range of [{}, { offset: 10 }, { length: 10 }, { offset: 2, length: 5 }]) {
      const { offset = 0, length = 100 } = range
      expect(Buffer.compare(await collect(fs.cat(file, range)), small.subarray(offset, offset + length))).toBe(0)
    }

    await expect(collect(fs.cat(empty))).rejects.toMatchObject({ name: 'NotAFileError' })
  })

  it('rejects every verb if the block of a file is missing', async () => {
    await blockstore.delete(unmark(file))

    for (const verb of [
      async () => collect(fs.cat(file, { offline: true })),
      async () => Array.fromAsync(fs.ls(file, { offline: true })),
      async () => fs.stat(file, { offline: true }),
      async () => fs.chmod(file, 0o777, { offline: true }),
      async () => fs.touch(file, { offline: true }),
      async () => fs.cp(file, file, 'a', { offline: true }),
      async () => fs.mkdir(file, 'a', { offline: true }),
      async () => fs.rm(file, 'a', { offline: true })
    ]) {
      await expect(verb()).rejects.toMatchObject({ name: 'NotFoundError' })
    }
  })

  it('finds a file in shards by fetching only those on the way', async () => {
    const directory = await fs.cp(file, await sharded(), 'new-file.txt')
    blockstore.gets.length = 0

    expect(Buffer.compare(await collect(fs.cat(directory, { path: 'new-file.txt' })), small)).toBe(0)
    expect(blockstore.gets.length).toBeLessThanOrEqual(4)
  })

  it('copies a file into plain and sharded directories, but over an existing entry only with force', async () => {
    for (const target of [empty, await sharded()]) {
      const copied = await fs.cp(file, target, 'a')

      expect((await fs.stat(copied)).unixfs?.type).toBe((await fs.stat(target)).unixfs?.type)
      expect((await fs.stat(copied, { path: 'a' })).cid.equals(unmark(file))).toBe(true)
      await expect(fs.cp(file, copied, 'a')).rejects.toMatchObject({ name: 'AlreadyExistsError' })
      expect((await fs.cp(file, copied, 'a', { force: true })).equals(copied)).toBe(true)
      expect(
        (await fs.rm(copied, 'a', { shardSplitThresholdBytes: 1 })).multihash.bytes
      ).toEqual(target.multihash.bytes)
      await expect(fs.stat(await fs.rm(copied, 'a'), { path: 'a' })).rejects.toMatchObject({ name: 'NotFoundError' })
    }
  })

  it('copies directories into sharded directories, and sharded directories into others', async () => {
    const shards = await sharded()

    expect((await fs.stat(await fs.cp(shards, empty, 'd'), { path: 'd' })).cid.equals(unmark(shards))).toBe(true)
    expect((await fs.stat(await fs.cp(empty, shards, 'd'), { path: 'd' })).cid.equals(empty)).toBe(true)
    expect((await Array.fromAsync(fs.ls(await fs.cp(await fs.cp(file, empty, 'f'), shards, 'd'), { path: 'd' }))).map(
      ({ name }) => name
    )).toEqual(['f'])
  })

  it('refuses to copy to or from something that is not UnixFS', async () => {
    const other = CID.createV1(identity.code, identity.digest(Buffer.from('derp')))

    await expect(fs.cp(file, other, 'foo')).rejects.toMatchObject({ name: 'NotADirectoryError' })
    await expect(fs.cp(other, empty, 'foo')).rejects.toMatchObject({ name: 'NotUnixFSError' })
    await expect((fs.cp as () => Promise<CID>)()).rejects.toThrow()
    await expect((fs.rm as () => Promise<CID>)()).rejects.toThrow()
    await expect((fs.mkdir as (cid: CID) => Promise<CID>)(empty)).rejects.toThrow()
    await expect(Array.fromAsync((fs.ls as () => AsyncIterable<unknown>)())).rejects.toThrow()
  })

  it('lists files with the sizes that reading returns', async () => {
    expect(
      await Array.fromAsync(fs.ls(await fs.cp(file, empty, 'a')))
    ).toMatchObject([{ name: 'a', cid: file, size: 13n }])
    expect(
      await Array.fromAsync(fs.ls(await fs.cp(file, empty, 'a'), { path: 'a' }))
    ).toMatchObject([{ cid: file, size: 13n }])
    expect(await Array.fromAsync(fs.ls(await sharded()))).toHaveLength(200)
  })

  it('sets modes and mtimes of files and directories, recursively too', async () => {
    const directory = await fs.mkdir(
      await fs.cp(file, await sharded(), 'a'),
      'd',
      { mode: 0o700, mtime: { secs: 5n, nsecs: 0 } }
    )
    expect(await fs.stat(directory, { path: 'd' })).toMatchObject({ mode: 0o700, mtime: { secs: 5n } })

    const changed = await fs.touch(
      await fs.chmod(directory, 0o777, { recursive: true }),
      { recursive: true, mtime: { secs: 9n } }
    )

    for await (const entry of fs.ls(changed)) {
      expect(entry).toMatchObject({ mode: 0o777, mtime: { secs: 9n } })
    }

    expect((await fs.stat(await fs.touch(file))).mtime?.secs).toBeGreaterThan(0n)
    expect((await fs.stat(await fs.chmod(file, 0o777))).mode).toBe(0o777)
  })

  it('makes a directory of CID version 1 in one of version 0', async () => {
    const directory = await fs.mkdir(await fs.addDirectory({}, { cidVersion: 0 }), 'sub', { cidVersion: 1 })

    expect((await fs.stat(directory)).cid.version).toBe(0)
    expect((await fs.stat(directory, { path: 'sub' })).cid.version).toBe(1)
    await expect(fs.mkdir(directory, 'sub')).rejects.toMatchObject({ name: 'AlreadyExistsError' })
  })

  it('puts a file into shards of the requested fanout', async () => {
    const directory = await fs.cp(file, empty, 'file.txt', { shardSplitThresholdBytes: 0, shardFanoutBits: 16 })
    const { Links } = dagPb.decode(await getBlock(unmark(directory), blockstore))

    expect(Links[0].Name?.slice(4)).toBe('file.txt')
    expect(Buffer.compare(await collect(fs.cat(directory, { path: 'file.txt' })), small)).toBe(0)
  })
})
