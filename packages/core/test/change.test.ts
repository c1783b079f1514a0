import { unixfs } from '@helia/unixfs'
import * as dagPb from '@ipld/dag-pb'
import { describe, expect, it } from 'vitest'
import { ipfsz, mark, MARKERS, TREE_CODE, unmark } from '../src/index.ts'
import { readFields } from '../src/format/protobuf.ts'
import { collect, CountingBlockstore, getBlock, noise, text } from './fixtures.ts'
import { addTree, putSharded } from './trees.ts'
import type { Ipfsz } from '../src/index.ts'
import type { CID } from 'multiformats/cid'

const FILES = {
  'a.txt': text(10_000),
  'b.bin': noise(1000),
  'dir/c.txt': text(300_000, 2),
  'dir/sub/d.txt': text(5000, 3)
}

async function expectFiles (fs: Ipfsz, cid: CID, files: Record<string, Uint8Array> = FILES): Promise<void> {
  expect(cid.code).toBe(TREE_CODE)

  for (const [path, bytes] of Object.entries(files)) {
    expect(Buffer.compare(await collect(fs.cat(cid, { path })), bytes), path).toBe(0)
    expect((await fs.stat(cid, { path })).codec).toBe(path.endsWith('.txt') ? 'zstd' : 'none')
  }
}

describe('cp', () => {
  it('copies marked and plain files into directories, and returns a tree if either was marked', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const tree = await addTree(fs, FILES)
    const empty = await fs.addDirectory()
    const marked = await fs.addBytes(text(2000, 9))
    const plain = await fs.addBytes(noise(2000, 9))

    await expectFiles(fs, await fs.cp(marked, tree, 'new.txt'), { ...FILES, 'new.txt': text(2000, 9) })
    await expectFiles(fs, await fs.cp(unmark(marked), tree, 'new.txt'), { ...FILES, 'new.txt': text(2000, 9) })
    await expectFiles(fs, await fs.cp(plain, tree, 'new.bin'), { ...FILES, 'new.bin': noise(2000, 9) })
    await expectFiles(fs, await fs.cp(marked, empty, 'new.txt'), { 'new.txt': text(2000, 9) })
    await expectFiles(
      fs,
      await fs.cp(tree, empty, 'tree'),
      Object.fromEntries(Object.entries(FILES).map(([path, bytes]) => [`tree/${path}`, bytes]))
    )
    const helia = unixfs({ blockstore: new CountingBlockstore() })
    const expected = await helia.addFile({ path: 'new.bin', content: noise(2000, 9) })
    expect((await fs.cp(plain, empty, 'new.bin')).toString()).toBe(expected.toString())
  })

  it('writes no marked CID into a block', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const tree = await fs.cp(await fs.addBytes(text(2000)), await fs.addDirectory(), 'a')
    const { Links } = dagPb.decode(await getBlock(unmark(tree), blockstore))

    expect(Links.map(link => link.Hash.code)).toEqual([dagPb.code])
  })

  it('refuses a file as the target, a source with a wrong marker, and a name that is taken', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const tree = await addTree(fs, FILES)
    const marked = await fs.addBytes(text(2000, 9))
    const plain = await unixfs({ blockstore }).addBytes(noise(10), { rawLeaves: false })

    for (const target of [marked, unmark(marked), plain, mark(unmark(tree), MARKERS.zstd)]) {
      await expect(fs.cp(marked, target, 'x')).rejects.toMatchObject({ name: 'NotADirectoryError' })
      await expect(fs.mkdir(target, 'x')).rejects.toMatchObject({ name: 'NotADirectoryError' })
      await expect(fs.rm(target, 'x')).rejects.toMatchObject({ name: 'NotADirectoryError' })
    }

    await expect(
      fs.cp(mark(plain, MARKERS.zstd), tree, 'x')
    ).rejects.toMatchObject({ name: 'MissingHeaderError' })
    await expect(
      fs.cp(mark(unmark(marked), MARKERS.gzip), tree, 'x')
    ).rejects.toMatchObject({ name: 'InvalidHeaderError' })
    await expect(fs.cp(marked, tree, 'a.txt')).rejects.toMatchObject({ name: 'AlreadyExistsError' })
    await expectFiles(fs, await fs.cp(marked, tree, 'a.txt', { force: true }), { ...FILES, 'a.txt': text(2000, 9) })
  })

  it.each(['..', '.', '', 'a/b'])('refuses the name %j, as mkdir and rm do', async (name) => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const tree = await addTree(fs, FILES)

    await expect(fs.cp(tree, tree, name)).rejects.toMatchObject({ name: 'InvalidParametersError' })
    await expect(fs.mkdir(tree, name)).rejects.toMatchObject({ name: 'InvalidParametersError' })
    await expect(fs.rm(tree, name)).rejects.toMatchObject({ name: 'InvalidParametersError' })
  })

  it('works in shards with an unusual fanout, as do mkdir, rm and touch', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const results = await Array.fromAsync(fs.addAll(
      Array.from({ length: 60 }, (_, i) => ({ path: `f${i}.txt`, content: text(500 + i) })),
      { wrapWithDirectory: true, shardSplitThresholdBytes: 1, shardFanoutBits: 4 }
    ))
    const tree = results[results.length - 1].cid
    const withDirectory = await fs.mkdir(tree, 'dir', { shardSplitThresholdBytes: 1 })
    const withFile = await fs.cp(await fs.addBytes(text(900)), withDirectory, 'new.txt')
    const changed = await fs.rm(withFile, 'f7.txt', { shardSplitThresholdBytes: 1 })

    expect((await Array.fromAsync(fs.ls(changed))).map(({ name }) => name).toSorted()).toEqual([
      ...Array.from({ length: 60 }, (_, i) => `f${i}.txt`).filter(name => name !== 'f7.txt'),
      'dir',
      'new.txt'
    ].toSorted())
    expect(
      (await fs.stat(await fs.touch(changed, { path: 'f8.txt', mtime: { secs: 3n } }), { path: 'f8.txt' })).mtime?.secs
    ).toBe(3n)
  })
})

describe('mkdir and rm', () => {
  it('keep the headers of the other files', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const tree = await addTree(fs, FILES)
    const { 'a.txt': _, ...rest } = FILES

    await expectFiles(fs, await fs.mkdir(tree, 'new'))
    await expectFiles(fs, await fs.rm(tree, 'a.txt'), rest)
    expect((await fs.rm(tree, 'missing')).equals(tree)).toBe(true)
    await expect(fs.mkdir(tree, 'dir')).rejects.toMatchObject({ name: 'AlreadyExistsError' })
  })
})

describe.each([
  ['chmod', async (fs: Ipfsz, cid: CID, options = {}) => fs.chmod(cid, 0o700, options), { mode: 0o700 }],
  [
    'touch',
    async (fs: Ipfsz, cid: CID, options = {}) => fs.touch(cid, { mtime: { secs: 42n, nsecs: 7 }, ...options }),
    { mtime: { secs: 42n, nsecs: 7 } }
  ]
])('%s', (_, change, expected) => {
  it('of a compressed file keeps it compressed, by its marked or plain CID', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })

    for (const size of [10_000, 3_000_000]) {
      const cid = await fs.addBytes(text(size), { compression: { codec: 'gzip' } })
      const changed = await change(fs, cid)
      const plain = await change(fs, unmark(cid))

      expect(changed.code).toBe(MARKERS.gzip)
      expect(changed.equals(cid)).toBe(false)
      expect(plain.equals(unmark(changed))).toBe(true)
      expect(await fs.stat(changed)).toMatchObject({ ...expected, size: BigInt(size), codec: 'gzip' })
      expect(Buffer.compare(await collect(fs.cat(changed)), text(size))).toBe(0)
    }
  })

  it('of a path in a tree changes only that entry, and returns a tree', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const tree = await addTree(fs, FILES)

    for (const path of ['dir/sub/d.txt', 'b.bin', 'dir']) {
      const changed = await change(fs, tree, { path })
      expect(await fs.stat(changed, { path })).toMatchObject(expected)
      expect(await fs.stat(changed, { path: 'a.txt' })).toMatchObject({ mode: 0o644 })
      await expectFiles(fs, changed)
    }
  })

  it('with recursive changes every entry of a tree and keeps the content, in shards too', {
    tags: 'slow'
  }, async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const tree = await addTree(fs, FILES)
    const sharded = await fs.cp(tree, await putSharded(fs, 300, i => text(100 + i)), 'tree')

    for (const [cid, prefix] of [[tree, ''], [sharded, 'tree/']] as const) {
      const changed = await change(fs, cid, { recursive: true })
      await expectFiles(
        fs,
        changed,
        Object.fromEntries(Object.entries(FILES).map(([path, bytes]) => [`${prefix}${path}`, bytes]))
      )

      for (const path of ['', `${prefix}dir`, `${prefix}dir/sub/d.txt`, `${prefix}b.bin`]) {
        expect(await fs.stat(changed, { path }), path).toMatchObject(expected)
      }

      expect(
        (await Array.fromAsync(fs.ls(changed))).map(({ name }) => name)
      ).toEqual((await Array.fromAsync(fs.ls(cid))).map(({ name }) => name))
    }

    const part = await change(fs, tree, { recursive: true, path: 'dir' })
    await expectFiles(fs, part)
    expect(await fs.stat(part, { path: 'dir/c.txt' })).toMatchObject(expected)
    expect((await fs.stat(part, { path: 'a.txt' })).mtime).toBeUndefined()
  })

  it('of uncompressed content returns the same CID as @helia/unixfs', async () => {
    const blockstore = new CountingBlockstore()
    const theirs = unixfs({ blockstore }) as Ipfsz
    const ours = ipfsz({ blockstore })
    const file = await theirs.addBytes(noise(100))
    const dir = await theirs.cp(
      file,
      await theirs.cp(await theirs.addBytes(noise(100, 2), { rawLeaves: false }), await theirs.addDirectory(), 'a'),
      'b'
    )
    const parent = await theirs.cp(dir, await theirs.addDirectory(), 'dir')

    for (const [cid, options] of [
      [file, {}],
      [await theirs.addBytes(noise(3_000_000)), {}],
      [dir, {}],
      [parent, { path: 'dir/a' }],
      [parent, { recursive: true }],
      [parent, { path: 'dir', recursive: true }]
    ] as const) {
      expect((await change(ours, cid, options)).toString()).toBe((await change(theirs, cid, options)).toString())
    }
  })

  it.each([
    ['marked', (cid: CID) => cid],
    ['plain', unmark]
  ])('of a sharded directory by its %s CID keeps the hash function, which Kubo requires', async (_, form) => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const changed = await change(fs, form(await putSharded(fs, 50, i => text(1000 + i))))
    const { Data = new Uint8Array(0) } = dagPb.decode(await getBlock(unmark(changed), blockstore))

    expect([...readFields(Data)].find(field => field.number === 5)?.value).toBe(0x22)
  })

  it('refuses a missing path, a path through a file, and a wrong marker', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const tree = await addTree(fs, FILES)
    const file = await fs.addBytes(FILES['a.txt'])

    await expect(change(fs, tree, { path: 'dir/x' })).rejects.toMatchObject({ name: 'NotFoundError' })
    await expect(change(fs, tree, { path: 'a.txt/x' })).rejects.toMatchObject({ name: 'NotADirectoryError' })
    await expect(change(fs, file, { path: 'x' })).rejects.toMatchObject({ name: 'NotADirectoryError' })
    await expect(
      change(fs, mark(unmark(file), MARKERS.lz4))
    ).rejects.toMatchObject({ name: 'InvalidHeaderError' })
    await expect(change(fs, mark(unmark(file), TREE_CODE))).rejects.toMatchObject({ name: 'InvalidDagError' })
  })
})
