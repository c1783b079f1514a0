import { unixfs } from '@helia/unixfs'
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { ipfsz, mark, MARKERS, TREE_CODE, unmark } from '../src/index.ts'
import { collect, CountingBlockstore, noise, text } from './fixtures.ts'
import { addTree, putSharded } from './trees.ts'

const FILES = { 'a.txt': text(10_000), 'b.bin': noise(1000), 'dir/c.txt': text(300_000, 2), 'empty': new Uint8Array(0) }

/** The content of a file in a large tree: one in a hundred is worth compressing. */
function content (i: number): Uint8Array {
  return i % 100 === 0 ? text(500, i + 1) : Uint8Array.of(i & 0xff, i >> 8)
}

describe('ls', () => {
  it('of a tree shows both sizes, the codec, and CIDs that read the original bytes', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const cid = await addTree(fs, FILES)
    const entries = await Array.fromAsync(fs.ls(cid))
    const [a, b, dir, empty] = entries

    expect(entries.map(({ name, path, type }) => [name, path, type])).toEqual([
      ['a.txt', `${cid}/a.txt`, 'file'], ['b.bin', `${cid}/b.bin`, 'raw'], [
        'dir',
        `${cid}/dir`,
        'directory'
      ], ['empty', `${cid}/empty`, 'raw']
    ])
    expect(a).toMatchObject(
      { size: 10_000n, codec: 'zstd', frames: 1, markedCid: a.cid, plainCid: unmark(a.cid), mode: 0o644 }
    )
    expect(a.storedSize).toBe((await fs.stat(a.cid)).storedSize)
    expect(b).toMatchObject({ size: 1000n, storedSize: 1000n, codec: 'none', cid: b.plainCid })
    expect(dir.cid.code).toBe(TREE_CODE)
    expect(empty.size).toBe(0n)
    expect(Buffer.compare(await collect(fs.cat(a.cid)), FILES['a.txt'])).toBe(0)
    expect(Buffer.compare(await collect(fs.cat(dir.cid, { path: 'c.txt' })), FILES['dir/c.txt'])).toBe(0)
  })

  it('of the plain CID lists the stored files, with the names and CIDs of @helia/unixfs', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const cid = unmark(await addTree(fs, FILES))
    const ours = await Array.fromAsync(fs.ls(cid))
    const theirs = await Array.fromAsync(unixfs({ blockstore }).ls(cid))
    const key = ({ name, path, cid }: typeof theirs[0]): string => `${name} ${path} ${cid}`

    expect(ours.map(key)).toEqual(theirs.map(key))
    expect(ours[0]).toMatchObject({ codec: 'none', size: BigInt((await collect(fs.cat(ours[0].cid))).byteLength) })
    expect(ours[0].markedCid?.code).toBe(MARKERS.zstd)
  })

  it('fetches one block per file, none for raw ones, and none for cached ones', async () => {
    const blockstore = new CountingBlockstore()
    const cid = await addTree(ipfsz({ blockstore }), FILES)
    const fs = ipfsz({ blockstore })
    blockstore.gets.length = 0
    const entries = await Array.fromAsync(fs.ls(cid))

    // the directory, a.txt, dir, and empty: its Tsize of 0 may also mean that the parent states none
    expect(blockstore.gets.length).toBe(4)
    expect(entries).toHaveLength(4)
    blockstore.gets.length = 0
    await Array.fromAsync(fs.ls(cid))
    expect(blockstore.gets).not.toContain(unmark(entries[0].cid).toString())
  })

  it('lists the part of a directory that offset and length select, sharded or not', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const flat = await addTree(fs, Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`f${i}`, text(1000 + i)])))
    const sharded = await putSharded(fs, 300, i => text(100 + i))

    for (const cid of [flat, sharded]) {
      const all = (await Array.fromAsync(fs.ls(cid))).map(({ name }) => name)

      for (const [offset, length] of [[0, 3], [4, 3], [8, 100], [20, 5], [0, 0], [290, 50]]) {
        expect(
          (await Array.fromAsync(fs.ls(cid, { offset, length }))).map(({ name }) => name)
        ).toEqual(all.slice(offset, offset + length))
      }
    }

    await expect(Array.fromAsync(fs.ls(flat, { offset: -1 }))).rejects.toMatchObject({ name: 'InvalidParametersError' })
    await expect(
      Array.fromAsync(fs.ls(flat, { length: 0.5 }))
    ).rejects.toMatchObject({ name: 'InvalidParametersError' })
  })

  it('of a file shows the file itself, named by its CID', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const tree = await addTree(fs, FILES)
    const marked = await fs.addBytes(FILES['a.txt'])

    for (const [cid, options] of [[marked, {}], [tree, { path: 'a.txt' }]] as const) {
      expect(await Array.fromAsync(fs.ls(cid, options))).toMatchObject(
        [{ cid: marked, name: marked.toString(), path: marked.toString(), size: 10_000n, type: 'file' }]
      )
    }

    const [plain] = await Array.fromAsync(fs.ls(unmark(marked)))
    expect(plain.cid.toString()).toBe(unmark(marked).toString())
  })

  it('lists a directory with a missing file, whose type stays unknown', async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const cid = await addTree(fs, FILES)
    const [{ plainCid }] = await Array.fromAsync(fs.ls(cid))
    await blockstore.delete(plainCid)
    const [a, b] = await Array.fromAsync(ipfsz({ blockstore }).ls(cid))

    expect([a.name, a.type, a.codec, a.cid.toString()]).toEqual(['a.txt', undefined, undefined, plainCid.toString()])
    expect(b.type).toBe('raw')
  })

  it('ends if the signal aborts', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const cid = await addTree(fs, FILES)
    await expect(
      Array.fromAsync(fs.ls(cid, { signal: AbortSignal.abort() }))
    ).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('a tree of 20,000 entries', () => {
  it('is listed and changed, and read by fetching only the shards on the way to a file', { tags: 'slow' }, async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const results = await Array.fromAsync(fs.addAll((function * () {
      for (let i = 0; i < 20_000; i++) {
        yield { path: `file-${i}.txt`, content: content(i) }
      }
    })(), { wrapWithDirectory: true }))
    const { cid } = results[results.length - 1]

    expect(cid.code).toBe(TREE_CODE)
    expect((await fs.stat(cid)).unixfs?.type).toBe('hamt-sharded-directory')

    const names = new Set<string>()

    for await (const { name, size, codec } of fs.ls(cid)) {
      const number = Number(name.slice(5, -4))
      names.add(name)
      expect(
        size === BigInt(content(number).byteLength) && codec === (number % 100 === 0 ? 'zstd' : 'none'),
        name
      ).toBe(true)
    }

    expect(names.size).toBe(20_000)

    for (const number of [0, 100, 4242, 19_900, 19_999]) {
      blockstore.gets.length = 0
      expect(Buffer.compare(await collect(fs.cat(cid, { path: `file-${number}.txt` })), content(number))).toBe(0)
      expect(blockstore.gets.length).toBeLessThanOrEqual(5)
    }

    const changed = await fs.rm(
      await fs.chmod(await fs.cp(await fs.addBytes(text(2000)), cid, 'new.txt'), 0o600, { path: 'file-100.txt' }),
      'file-4242.txt'
    )

    expect(changed.code).toBe(TREE_CODE)
    expect(await fs.stat(changed, { path: 'file-100.txt' })).toMatchObject({ mode: 0o600, codec: 'zstd', size: 500n })
    expect(await fs.stat(changed, { path: 'new.txt' })).toMatchObject({ codec: 'zstd', size: 2000n })
    await expect(fs.stat(changed, { path: 'file-4242.txt' })).rejects.toMatchObject({ name: 'NotFoundError' })
    await expect(fs.rm(changed, 'file-4242.txt')).rejects.toMatchObject({ name: 'DoesNotExistError' })
    expect(CID.asCID(changed)).toBe(changed)
    expect(mark(unmark(changed), TREE_CODE).equals(changed)).toBe(true)
  })
})
