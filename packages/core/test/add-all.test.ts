import { Readable } from 'node:stream'
import { unixfs } from '@helia/unixfs'
import * as dagPb from '@ipld/dag-pb'
import fc from 'fast-check'
import { MemoryBlockstore } from 'blockstore-core'
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { ipfsz, isMarked, MARKERS, TREE_CODE, unmark } from '../src/index.ts'
import { collect, CountingBlockstore, FRAME, getBlock, noise, text } from './fixtures.ts'
import { addTree, putSharded } from './trees.ts'
import type { AddEvents, ImportCandidateStream, Ipfsz } from '../src/index.ts'
import type { UnixFS } from '@helia/unixfs'

type Trees = Array<[string, ImportCandidateStream]>

/** A tree in which nothing is worth compressing. */
function source (): ImportCandidateStream {
  return [
    { path: 'a/noise.bin', content: noise(3_000_000), mode: 0o600, mtime: { secs: 5n, nsecs: 6 } },
    { path: 'a/dir', mode: 0o700 },
    { path: 'a/link', link: 'noise.bin' } as never,
    { path: 'b/empty', content: new Uint8Array(0) }
  ]
}

function sources (): Readable[] {
  return Array.from({ length: 60 }, (_, i) => Readable.from([text(300_000, i + 1)]))
}

function oneFile (content: unknown): ImportCandidateStream {
  return [{ path: './a', content: content as Uint8Array }]
}

async function settled (): Promise<void> {
  await new Promise(resolve => { setImmediate(resolve) })
}

/** The progress that an add reports, except for what depends on how the bytes are chunked. */
async function progress (fs: ReturnType<typeof unixfs>): Promise<unknown> {
  const read = new Map<string | undefined, bigint>()
  const written: Array<[string, string, string | undefined]> = []
  await Array.fromAsync(fs.addAll([{ path: 'a', content: noise(100) }, { path: 'b', content: noise(3_000_000) }], {
    onProgress: (event: AddEvents) => {
      if (event.type === 'unixfs:importer:progress:file:read') {
        read.set(event.detail.path, event.detail.bytesRead)
      } else if (
        event.type === 'unixfs:importer:progress:file:write' ||
        event.type === 'unixfs:importer:progress:file:layout'
      ) {
        written.push([event.type, event.detail.cid.toString(), event.detail.path])
      }
    }
  }))

  return { read, written: written.map(values => values.join(' ')).toSorted() }
}

describe('addAll', () => {
  it('marks compressed files, and directories that hold one at any depth', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const results = await Array.fromAsync(fs.addAll([
      { path: 'root/a/b/text.txt', content: text(10_000) },
      { path: 'root/a/noise.bin', content: noise(1000) },
      { path: 'root/c/noise.bin', content: noise(1000, 2) },
      { path: 'root/empty' }
    ]))

    expect(results.map(({ path, cid }) => [path, cid.code])).toEqual([
      ['root/a/b/text.txt', MARKERS.zstd],
      ['root/a/noise.bin', 0x55],
      ['root/c/noise.bin', 0x55],
      ['root/a/b', TREE_CODE],
      ['root/a', TREE_CODE],
      ['root/c', dagPb.code],
      ['root', TREE_CODE]
    ])
  })

  it.for([
    ['those above a file', [{ path: 'a' }, { path: 'a/b' }, { path: 'a/b/c', content: text(9) }]],
    ['two that stay empty', [{ path: 'a/b', content: text(9) }, { path: 'a/empty' }, { path: 'a/void' }]],
    ['one with metadata', [{ path: 'a', mode: 0o700, mtime: { secs: 2n ** 31n } }, { path: 'a/b', content: text(9) }]],
    ['an empty one alone', [{ path: 'empty' }]],
    ['an empty one with a time that the importer encodes wrongly', [{ path: 'empty', mtime: { secs: 2n ** 31n } }]]
  ] as Trees)('stores no directories but those of the tree: %s', async ([, candidates]) => {
    for (const depthFirst of [false, true]) {
      const blockstore = new MemoryBlockstore()
      const fs = ipfsz({ blockstore })
      const results = await Array.fromAsync(fs.addAll(candidates, { depthFirst }))
      const { uniqueBlocks } = await fs.stat(results.at(-1)?.cid as CID, { extended: true })

      expect(await Array.fromAsync(blockstore.getAll())).toHaveLength(Number(uniqueBlocks))
    }
  })

  it('reads the next file as soon as one is done, and keeps the order', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const third = Promise.withResolvers<void>()
    const second = async function * (): AsyncGenerator<Uint8Array> {
      await third.promise
      yield text(1000, 2)
    }
    const results = await Array.fromAsync(fs.addAll(async function * () {
      yield { path: 'a', content: text(1000) }
      yield { path: 'b', content: second() }
      third.resolve()
      yield { path: 'c', content: text(1000, 3) }
    }(), { fileImportConcurrency: 2, wrapWithDirectory: true }))

    expect(results.map(({ path }) => path)).toEqual(['a', 'b', 'c', ''])
  })

  it('refuses a concurrency that is not a whole number from 1', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })

    await expect(Array.fromAsync(fs.addAll([{ path: 'a' }], { fileImportConcurrency: 0 })))
      .rejects.toMatchObject({ name: 'InvalidParametersError' })
  })

  it('takes content in strings and arrays of numbers, as @helia/unixfs does, and refuses other content', async () => {
    const ours = ipfsz({ blockstore: new MemoryBlockstore() })
    const theirs = unixfs({ blockstore: new MemoryBlockstore() })

    for (const content of [['ab', 'é'], [[1, 2], [3]], async function * () { yield 'ab' }()]) {
      const [a] = await Array.fromAsync(ours.addAll(oneFile(content)))
      const [b] = await Array.fromAsync(theirs.addAll(oneFile(Symbol.asyncIterator in content ? ['ab'] : content)))

      expect([a.path, a.cid.toString()]).toEqual([b.path, b.cid.toString()])
    }

    for (const content of ['text', 5, [{}], [[1, 2], 3]]) {
      await expect(Array.fromAsync(ours.addAll(oneFile(content)))).rejects.toMatchObject({
        name: 'InvalidContentError'
      })
    }
  })

  it('writes no marked CID into a block', async () => {
    const blockstore = new CountingBlockstore()
    await putSharded(ipfsz({ blockstore }), 300, i => text(1000 + i))

    for (const cid of blockstore.puts.map(put => CID.parse(put)).filter(cid => cid.code === dagPb.code)) {
      expect(dagPb.decode(await getBlock(cid, blockstore)).Links.some(link => isMarked(link.Hash))).toBe(false)
    }

    expect(blockstore.puts.some(put => isMarked(CID.parse(put)))).toBe(false)
  })

  it('marks a directory below a sharded one only if it holds a compressed file', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const results = await Array.fromAsync(fs.addAll([
      { path: 'x/file', content: noise(100, 2) },
      { path: 'x/plain/a', content: noise(100) },
      { path: 'x/tree/b', content: text(1000) }
    ], { shardSplitThresholdBytes: 1 }))
    const root = results[results.length - 1].cid

    expect(root.code).toBe(TREE_CODE)
    expect((await fs.stat(root)).unixfs?.type).toBe('hamt-sharded-directory')
    expect((await fs.stat(root, { path: 'plain' })).cid.toString()).toBe(
      results.find(({ cid }) => cid.code === dagPb.code)?.cid.toString()
    )
  })

  it('returns the same results as @helia/unixfs if nothing is compressed', async () => {
    for (const options of [
      {},
      { wrapWithDirectory: true },
      { wrapWithDirectory: true, shardSplitThresholdBytes: 1 },
      { cidVersion: 0 as const, rawLeaves: false }
    ]) {
      // the importer gives every entry below a sharded directory the path of that directory
      const describe = (results: Array<{ cid: CID, path?: string, size: bigint }>): unknown => results.map(
        ({ cid, path, size }) => [cid.toString(), 'shardSplitThresholdBytes' in options ? '' : path, size].join(' ')
      ).toSorted()
      const ours = await Array.fromAsync(ipfsz({ blockstore: new MemoryBlockstore() }).addAll(source(), options))
      const theirs = await Array.fromAsync(unixfs({ blockstore: new MemoryBlockstore() }).addAll(source(), options))

      expect(describe(ours)).toEqual(describe(theirs))
    }
  })

  it('keeps symlinks, modes and mtimes', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const metadata = { mode: 0o640, mtime: { secs: 7n, nsecs: 8 } }
    const results = await Array.fromAsync(fs.addAll([
      { path: 'dir', ...metadata },
      { path: 'dir/a.txt', content: text(1000), ...metadata },
      { path: 'dir/link', link: 'a.txt', ...metadata } as never
    ], { wrapWithDirectory: true }))
    const { cid } = results[results.length - 1]

    for (const path of ['dir', 'dir/a.txt', 'dir/link']) {
      expect(await fs.stat(cid, { path })).toMatchObject(metadata)
    }

    const { unixfs: link } = await fs.stat(cid, { path: 'dir/link' })
    expect([link?.type, Buffer.from(link?.data ?? []).toString()]).toEqual(['symlink', 'a.txt'])
  })

  it.each([
    ['InvalidParametersError', 'a path with two dots', ['a/../b']],
    ['InvalidParametersError', 'a path with an escaped slash', ['a/b\\/c']],
    ['InvalidParametersError', 'a path of 10,000 names', ['d/'.repeat(10_000)]],
    ['AlreadyExistsError', 'a file twice', ['a', 'a']],
    ['AlreadyExistsError', 'a file twice, its path written differently', ['a/b', './a//b']],
    ['AlreadyExistsError', 'a file below a file', ['a', 'a/b']],
    ['AlreadyExistsError', 'a file with the path of a directory', ['a/b', 'a']]
  ])('refuses with %s: %s', async (name, _, paths) => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const adding = Array.fromAsync(
      fs.addAll(paths.map(path => ({ path, content: text(10) })), { wrapWithDirectory: true })
    )

    await expect(adding).rejects.toMatchObject({ name })
  })

  it('refuses a directory that is added after its content', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    await expect(
      Array.fromAsync(fs.addAll([{ path: 'a/b', content: text(10) }, { path: 'a', mode: 0o700 }]))
    ).rejects.toMatchObject({ name: 'AlreadyExistsError' })
  })

  it('accepts files of the same name if no directory holds them', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    expect(await Array.fromAsync(
      fs.addAll([{ path: 'a', content: text(10) }, { path: 'a', content: text(20) }, { content: text(5) }])
    )).toHaveLength(3)
  })

  it('leaves empty names and dots out of paths, as @helia/unixfs does', async () => {
    const paths = ['./x', 'a//b', '/a/./c', 'd/']
    const add = async (fs: Pick<Ipfsz, 'addAll'> | UnixFS): Promise<string> =>
      (await Array.fromAsync(
        fs.addAll(paths.map(path => ({ path, content: noise(10) })), { wrapWithDirectory: true })
      )).map(({ path, cid }) => `${path} ${cid}`).toSorted().join('\n')

    expect(await add(ipfsz({ blockstore: new CountingBlockstore() })))
      .toBe(await add(unixfs({ blockstore: new CountingBlockstore() })))
  })

  it('keeps the original bytes of all files together within inFlightBytes', async () => {
    const inFlightBytes = 8 * FRAME
    const { codecs } = ipfsz({ blockstore: new CountingBlockstore() })
    let now = 0
    let most = 0
    const counting = codecs.map(codec => ({
      ...codec,
      async compress (...args: Parameters<typeof codec.compress>) {
        now += args[0].byteLength
        most = Math.max(most, now)
        const size = args[0].byteLength

        try {
          return await codec.compress(...args)
        } finally {
          now -= size
        }
      }
    }))
    const fs = ipfsz({ blockstore: new CountingBlockstore() }, { codecs: counting, inFlightBytes })
    const files = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`f${i}`, text(20 * FRAME + i, i + 1)]))
    const cid = await addTree(fs, files, { compression: { frameSize: FRAME } })

    expect(most).toBeGreaterThan(FRAME)
    expect(most).toBeLessThanOrEqual(inFlightBytes)

    for (const [path, bytes] of Object.entries(files)) {
      expect(Buffer.compare(await collect(fs.cat(cid, { path })), bytes)).toBe(0)
    }
  })

  it('works with the smallest memory bound', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() }, { inFlightBytes: 1 })
    const files = Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [`f${i}`, text(i % 2 === 0 ? 1000 : 5 * FRAME, i + 1)])
    )
    const cid = await addTree(fs, files, { compression: { frameSize: FRAME } })

    expect(await Array.fromAsync(fs.ls(cid))).toHaveLength(20)
  })

  it('closes all sources if one fails, the signal aborts, or the caller stops reading', { tags: 'slow' }, async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const failing = [Readable.from((async function * () { yield text(10); throw new Error('gone') })()), ...sources()]
    const aborted = sources()
    const dropped = sources()
    // those that the import never takes are left to the caller
    const taken: Readable[][] = []
    const take = async function * (streams: Readable[]): AsyncGenerator<{ path: string, content: Readable }> {
      const own: Readable[] = []
      taken.push(own)

      for (const [i, content] of streams.entries()) {
        own.push(content)
        yield { path: `f${i}`, content }
      }
    }

    await expect(Array.fromAsync(fs.addAll(take(failing)))).rejects.toThrow('gone')

    const controller = new AbortController()
    const onProgress = (): void => {
      // on a busy machine, the first file is read before the second one is taken
      if ((taken.at(-1)?.length ?? 0) > 1) {
        controller.abort()
      }
    }
    const adding = Array.fromAsync(fs.addAll(take(aborted), { signal: controller.signal, onProgress }))
    await expect(adding).rejects.toMatchObject({ name: 'AbortError' })

    for await (const { cid } of fs.addAll(take(dropped))) {
      expect(isMarked(cid)).toBe(true)
      break
    }

    await settled()

    for (const streams of taken) {
      expect(streams.length).toBeGreaterThan(1)
      expect(streams.map(stream => stream.destroyed)).not.toContain(false)
    }
  })

  it('reports what @helia/unixfs reports', async () => {
    expect(await progress(ipfsz({ blockstore: new MemoryBlockstore() }))).toEqual(
      await progress(unixfs({ blockstore: new MemoryBlockstore() }))
    )
  })

  it('shards a directory whose many subdirectories would make its block too large', { tags: 'slow' }, async () => {
    const blockstore = new CountingBlockstore()
    const fs = ipfsz({ blockstore })
    const name = 'n'.repeat(200)
    const results = await Array.fromAsync(fs.addAll((function * () {
      for (let i = 0; i < 5000; i++) {
        yield { path: `${name}${i}/file`, content: Uint8Array.of(1) }
      }
    })(), { wrapWithDirectory: true }))
    const { cid } = results[results.length - 1]

    expect((await fs.stat(cid)).unixfs?.type).toBe('hamt-sharded-directory')
    expect(await Array.fromAsync(fs.ls(cid))).toHaveLength(5000)

    for await (const { cid } of blockstore.getAll()) {
      expect((await getBlock(cid, blockstore)).byteLength).toBeLessThan(1024 * 1024)
    }
  })

  it('loses no entries if directories below a sharded one keep growing, unlike @helia/unixfs', async () => {
    const files = { 'd/x': noise(1), a: noise(2), b: noise(3), 'd/y/z': noise(4) }
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const cid = await addTree(fs, files, { shardSplitThresholdBytes: 1 })

    expect(Object.keys(await readTree(fs, cid)).toSorted()).toEqual(['/a', '/b', '/d/x', '/d/y/z'])
  })

  it('keeps the names and bytes of any tree, like @helia/unixfs', async () => {
    const name = fc.stringMatching(/^[a-d]{1,2}$/)
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.integer({ min: 1, max: 3000 }).map(size => text(size)),
      fc.integer({ min: 1, max: 3000 }).map(size => noise(size))
    )
    const trees = fc.dictionary(
      fc.array(name, { minLength: 1, maxLength: 4 }).map(names => names.join('/')),
      content,
      { minKeys: 1, maxKeys: 12 }
    )
      .filter(tree => Object.keys(tree).every(path => !Object.keys(tree).some(other => other.startsWith(`${path}/`))))

    await fc.assert(fc.asyncProperty(trees, fc.boolean(), async (tree, sharded) => {
      const options = { wrapWithDirectory: true, ...sharded ? { shardSplitThresholdBytes: 1 } : {} }
      const fs = ipfsz({ blockstore: new MemoryBlockstore() })
      const helia = unixfs({ blockstore: new MemoryBlockstore() })
      const ours = await addTree(fs, tree, options)
      const theirs = (await Array.fromAsync(
        helia.addAll(Object.entries(tree).map(([path, content]) => ({ path, content })), options)
      )).at(-1)?.cid as CID

      // @helia/unixfs loses files of sharded trees
      if (!sharded) {
        expect(await readTree(fs, ours)).toEqual(await readTree(helia, theirs))
      }

      expect(await readTree(fs, ours)).toEqual(Object.fromEntries(
        Object.entries(tree).map(([path, bytes]) => [`/${path}`, Buffer.from(bytes).toString('hex')])
      ))
    }), { numRuns: 40 })
  })
})

/** Every file by its path, found through `ls` alone. */
async function readTree (fs: ReturnType<typeof unixfs>, cid: CID, path = ''): Promise<Record<string, string>> {
  const files: Record<string, string> = {}

  for await (const entry of fs.ls(cid)) {
    if ((await fs.stat(entry.cid)).type === 'directory') {
      Object.assign(files, await readTree(fs, entry.cid, `${path}/${entry.name}`))
    } else {
      files[`${path}/${entry.name}`] = Buffer.from(await collect(fs.cat(entry.cid))).toString('hex')
    }
  }

  return files
}

describe('addDirectory', () => {
  it('returns the same CID as @helia/unixfs', async () => {
    for (const directory of [undefined, {}, { path: 'a/b' }, { mode: 0o700, mtime: { secs: 5n, nsecs: 5 } }]) {
      const cid = await ipfsz({ blockstore: new CountingBlockstore() }).addDirectory(directory)
      expect(cid.toString()).toBe(
        (await unixfs({ blockstore: new CountingBlockstore() }).addDirectory(directory)).toString()
      )
    }
  })

  it('refuses content, and a path that leads outside', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    await expect(
      fs.addDirectory({ path: 'a', content: text(1) } as never)
    ).rejects.toMatchObject({ name: 'InvalidParametersError' })
    await expect(fs.addDirectory({ path: '../a' })).rejects.toMatchObject({ name: 'InvalidParametersError' })
  })
})

describe('addFile', () => {
  it('returns a directory that @helia/unixfs lists by its plain CID', async () => {
    const blockstore = new CountingBlockstore()
    const cid = await ipfsz({ blockstore }).addFile({ path: 'a/b.txt', content: text(1000) })
    expect((await Array.fromAsync(unixfs({ blockstore }).ls(unmark(cid)))).map(({ name }) => name)).toEqual(['a'])
  })
})
