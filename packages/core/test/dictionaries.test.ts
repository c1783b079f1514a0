import { zstd } from '@ipfsz/codecs/zstd'
import { decode } from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { ipfsz, unmark } from '../src/index.ts'
import { chunked, collect, CountingBlockstore, getBlock, noise, same, text } from './fixtures.ts'
import type { Codec } from '@ipfsz/codecs'
import type { AddAllOptions, CompressionOptions } from '../src/index.ts'

/** What pages of a site have in common: hardly compressible, and longer than what each has of its own. */
const FRAME = hex(noise(1500, 1))
const OTHER = hex(noise(1500, 2))

interface File {
  path: string
  content: Uint8Array
}

/** Files of one kind: most of each is in all of them. */
function pages (count: number, { name = 'page', extension = 'html', shared = FRAME } = {}): File[] {
  return Array.from({ length: count }, (_, i) => ({
    path: `site/${name}-${i}.${extension}`,
    content: Buffer.concat([shared.subarray(0, 1800), text(400 + 31 * i, 100 + i), shared.subarray(1200)])
  }))
}

function hex (bytes: Uint8Array): Buffer {
  return Buffer.from(Buffer.from(bytes).toString('hex'))
}

/** As JSON has no large numbers. */
function stringOf (_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

interface Added {
  root: CID
  fs: ReturnType<typeof ipfsz>
  blockstore: CountingBlockstore
  /** Bytes of all blocks. */
  stored: number
  /** The plain CIDs of the dictionaries that the events name. */
  dictionaries: Set<string>
}

async function addTree (
  files: Parameters<ReturnType<typeof ipfsz>['addAll']>[0],
  compression: CompressionOptions = { dictionaries: 'auto' },
  options: AddAllOptions = {}
): Promise<Added> {
  const blockstore = new CountingBlockstore()
  const fs = ipfsz({ blockstore })
  const dictionaries = new Set<string>()
  let root: CID | undefined

  const results = fs.addAll(files, {
    compression,
    ...options,
    onProgress (event) {
      if (event.type === 'ipfsz:add:decided' && event.detail.dictionary != null) {
        dictionaries.add(event.detail.dictionary.cid.toString())
      }
    }
  })

  for await (const { cid } of results) {
    root = cid
  }

  let stored = 0

  for (const cid of new Set(blockstore.puts)) {
    stored += (await getBlock(CID.parse(cid), blockstore)).byteLength
  }

  return { root: root as CID, fs, blockstore, stored, dictionaries }
}

/** The levels at which files are compressed with a dictionary. */
async function levelsOf (files: File[], options: CompressionOptions = {}): Promise<Set<number>> {
  const levels = new Set<number>()
  const inner = zstd()
  const codec: Codec = {
    ...inner,
    compress (bytes, options = {}) {
      if (options.dictionary != null) {
        levels.add(options.level ?? 0)
      }

      return inner.compress(bytes, options)
    }
  }
  const fs = ipfsz({ blockstore: new CountingBlockstore() }, { codecs: [codec] })
  await Array.fromAsync(fs.addAll(files, { compression: { dictionaries: 'auto', ...options } }))

  return levels
}

describe('the small files of a tree', () => {
  it('share a dictionary, which saves more than it takes', async () => {
    const files = pages(12)
    const { root, fs, stored, dictionaries } = await addTree(files)
    const alone = await addTree(files, {})

    expect(stored).toBeLessThan(alone.stored * 0.6)
    expect(dictionaries.size).toBe(1)
    await expect(fs.verify(root)).resolves.toMatchObject({ files: 12 })

    for (const { path, content } of files) {
      const below = path.slice('site/'.length)

      expect(Buffer.from(await collect(fs.cat(root, { path: below }))).equals(content)).toBe(true)
      expect([...dictionaries]).toContain((await fs.stat(root, { path: below })).base?.toString())
    }
  })

  it('are stored and reported the same in the steps of larger files', async () => {
    // only with detection is a file encoded at once
    const [atOnce, inSteps] = await Promise.all([true, false].map(async detect => {
      const events: unknown[] = []
      const files = await Array.fromAsync(ipfsz({ blockstore: new CountingBlockstore() }).addAll(pages(12), {
        compression: { dictionaries: 'auto', detect },
        onProgress ({ type, detail }) {
          events.push([type, { ...detail as object, reason: undefined }])
        }
      }))

      return { files, events: new Set(events.map(event => JSON.stringify(event, stringOf))) }
    }))

    expect(atOnce.files.length).toBe(13)
    expect(JSON.stringify(atOnce.files, stringOf)).toBe(JSON.stringify(inSteps.files, stringOf))
    expect(atOnce.events).toEqual(inSteps.events)
  })

  it('are compressed at a lower level if most of them is not in the dictionary, unless one is asked for', async () => {
    // a tenth of each is in all of them, or nearly all
    const thinPages = (size: number): ReturnType<typeof pages> => pages(12).map(({ path, content }, i) =>
      ({ path, content: Buffer.concat([content, hex(noise(size, 200 + i))]) }))
    const thin = thinPages(15_000)

    await expect(levelsOf(thin)).resolves.toEqual(new Set([5]))
    await expect(levelsOf(thinPages(6000))).resolves.toEqual(new Set([6]))
    await expect(levelsOf(pages(12))).resolves.toEqual(new Set([7]))
    await expect(levelsOf(thin, { codec: 'zstd', level: 8 })).resolves.toEqual(new Set([8]))
  })

  it('are each read by three blocks: root, leaf and dictionary, which is read once for all', async () => {
    const { root, blockstore, dictionaries } = await addTree(pages(12))
    const [{ Hash: file }] = decode(await getBlock(unmark(root), blockstore)).Links
    const fresh = new CountingBlockstore()

    for (const cid of new Set(blockstore.puts)) {
      await fresh.put(CID.parse(cid), await getBlock(CID.parse(cid), blockstore))
    }

    const tree = CID.createV1(root.code, root.multihash)
    const fs = ipfsz({ blockstore: fresh })
    await collect(fs.cat(tree, { path: 'page-0.html' }))
    const read = new Set(fresh.gets)
    read.delete(unmark(tree).toString())

    expect(read.size).toBe(3)
    expect(read).toContain(file.toString())

    for (const { path } of pages(12)) {
      await collect(fs.cat(tree, { path: path.slice('site/'.length) }))
    }

    expect(fresh.gets.filter(cid => dictionaries.has(cid))).toHaveLength(1)
  })

  it('refer to all of the dictionary, so that zstd needs only its content', async () => {
    const { root, fs, blockstore } = await addTree(pages(12))
    const { base, size } = await fs.stat(root, { path: 'page-3.html' })
    const dictionary = await fs.stat(CID.createV1(0x3f5a05, (base as CID).multihash))
    const { Links } = decode(await getBlock(unmark(root), blockstore))
    const { Hash: file } = Links.find(({ Name }) => Name === 'page-3.html') ?? Links[0]

    expect(size).toBe(BigInt(pages(12)[3].content.byteLength))
    expect(dictionary).toMatchObject({ codec: 'zstd', frames: 1 })
    expect(dictionary.base).toBeUndefined()
    // the last link of the root, so that every node keeps it with the file
    expect(decode(await getBlock(file, blockstore)).Links.at(-1)?.Hash.toString()).toBe(base?.toString())
    expect(decode(await getBlock(base as CID, blockstore)).Links).toEqual([])
  })

  it('have a dictionary for each kind', async () => {
    const files = [...pages(8), ...pages(8, { extension: 'json', shared: OTHER })]
    const { root, fs, dictionaries } = await addTree(files)
    const [html, json] = await Promise.all(
      ['page-1.html', 'page-1.json'].map(async path => (await fs.stat(root, { path })).base?.toString())
    )

    expect(dictionaries.size).toBe(2)
    expect(html).not.toBe(json)
  })

  it('have several dictionaries if the first of a kind are unlike the last', { tags: 'slow' }, async () => {
    // all of both does not fit into one dictionary
    const files = [4, 5].flatMap(seed => {
      const shared = hex(noise(90_000, seed))

      return Array.from({ length: 4 }, (_, i) => (
        { path: `site/${seed}-${i}.html`, content: Buffer.concat([shared, noise(100, 10 * seed + i)]) }
      ))
    })
    const { root, fs, dictionaries } = await addTree(files)
    const dictionaryOf = async (path: string): Promise<string> => String((await fs.stat(root, { path })).base)

    expect(dictionaries.size).toBe(2)
    expect(await dictionaryOf('4-3.html')).toBe(await dictionaryOf('4-0.html'))
    expect(await dictionaryOf('5-0.html')).not.toBe(await dictionaryOf('4-3.html'))
  })

  it('get dictionaries 16 MiB at a time, so that no more than twice as many are held', { tags: 'slow' }, async () => {
    // what follows the shared bytes shrinks to nothing
    const size = 1_000_000
    const [first, second] = [pages(17), pages(23, { name: 'second', shared: OTHER })].map(files => files.map(file => {
      const content = new Uint8Array(size)
      content.set(file.content)

      return { ...file, content }
    }))
    const files = [...first, ...second]
    let read = 0
    let readAtFirst = 0
    const source = async function * (): AsyncGenerator<File> {
      for (const file of files) {
        read++
        yield file
      }
    }
    // the first block that is written is a dictionary
    class Blockstore extends CountingBlockstore {
      override put (...args: Parameters<CountingBlockstore['put']>): ReturnType<CountingBlockstore['put']> {
        readAtFirst ||= read

        return super.put(...args)
      }
    }

    const fs = ipfsz({ blockstore: new Blockstore() })
    const bases: string[] = []
    let root: CID | undefined

    for await (const { cid } of fs.addAll(source(), { compression: { dictionaries: 'auto' } })) {
      root = cid
    }

    for (const { path, content } of files) {
      const below = { path: path.slice('site/'.length) }
      bases.push(String((await fs.stat(root as CID, below)).base))
      expect(same(await collect(fs.cat(root as CID, below)), content)).toBe(true)
    }

    expect(readAtFirst).toBeLessThanOrEqual(2 * Math.ceil(16 * 1024 * 1024 / size))
    // those of each window have their own
    expect([0, 17, 34].map(start => new Set(bases.slice(start, start + 17)).size)).toEqual([1, 1, 1])
    expect(new Set([bases[0], bases[17]]).size).toBe(2)
    expect(bases).not.toContain('undefined')
  })

  it('get the same CID however they arrive', async () => {
    const files = pages(12)
    const { root } = await addTree(files)
    const slow = (async function * () {
      for (const { path, content } of files) {
        yield { path, content: chunked(content, 7) }
        await Promise.resolve()
      }
    })()

    expect((await addTree(slow)).root.toString()).toBe(root.toString())
    expect((await addTree(files, { dictionaries: 'auto' }, { fileImportConcurrency: 1 })).root.toString())
      .toBe(root.toString())
  })

  it('stay in their order, as a directory is complete when an entry outside of it comes', async () => {
    const large = { path: 'site/sub/large.bin', content: noise(1_200_000) }
    const inSub = pages(4).map(({ path, content }) => ({ path: path.replace('site/', 'site/sub/'), content }))
    const after = pages(4, { name: 'z' })
    const { root, fs } = await addTree([...pages(4), large, ...inSub, ...after], undefined, { depthFirst: true })
    const names = (await Array.fromAsync(fs.ls(root, { path: 'sub' }))).map(({ name }) => name)

    expect(names).toEqual(['large.bin', 'page-0.html', 'page-1.html', 'page-2.html', 'page-3.html'])
    expect(same(await collect(fs.cat(root, { path: 'sub/large.bin' })), large.content)).toBe(true)
  })

  it('stay as they are without a gain', async () => {
    const unlike = Array.from({ length: 8 }, (_, i) => ({ path: `tree/${i}.bin`, content: hex(noise(2000, i + 1)) }))
    const few = pages(3)

    for (const files of [unlike, few]) {
      const { root, dictionaries } = await addTree(files)

      expect(dictionaries.size).toBe(0)
      expect(root.toString()).toBe((await addTree(files, {})).root.toString())
    }
  })

  it('stay as they are unless asked for, and outside of a directory', async () => {
    const { dictionaries } = await addTree(pages(12), {})
    const loose = pages(12).map(({ path, content }) => ({ path: path.slice('site/'.length), content }))

    expect(dictionaries.size).toBe(0)
    expect((await addTree(loose)).dictionaries.size).toBe(0)
    expect((await addTree(loose, { dictionaries: 'auto' }, { wrapWithDirectory: true })).dictionaries.size).toBe(1)
  })

  it('pass with what has no dictionary: large files, directories, symlinks, empty and compressed files', async () => {
    const png = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), noise(2000)])
    const large = text(1_200_000, 9)
    const { root, fs } = await addTree([
      { path: 'site' },
      { path: 'site/large.html', content: chunked(large, 500_000) },
      { path: 'site/empty.html', content: new Uint8Array(0) },
      ...pages(8),
      { path: 'site/picture.html', content: png },
      { path: 'site/sub', mode: 0o750 }
    ])

    expect(Buffer.from(await collect(fs.cat(root, { path: 'large.html' }))).equals(large)).toBe(true)
    expect((await fs.stat(root, { path: 'large.html' })).base).toBeUndefined()
    expect((await collect(fs.cat(root, { path: 'empty.html' }))).byteLength).toBe(0)
    expect(Buffer.from(await collect(fs.cat(root, { path: 'picture.html' }))).equals(png)).toBe(true)
    expect((await fs.stat(root, { path: 'sub' })).mode).toBe(0o750)
  })
})

describe('a tree with dictionaries', () => {
  it('says which dictionary is missing or wrong', async () => {
    const { root, blockstore, dictionaries } = await addTree(pages(12))
    const [dictionary] = [...dictionaries].map(text => CID.parse(text))
    const read = async (): Promise<unknown> =>
      collect(ipfsz({ blockstore }).cat(root, { path: 'page-1.html' }))

    await blockstore.delete(dictionary)
    await expect(read()).rejects.toMatchObject({
      name: 'UnreadableBaseError',
      base: dictionary,
      cause: { name: 'NotFoundError' }
    })
    await blockstore.put(dictionary, text(100))
    await expect(read()).rejects.toMatchObject({ name: 'UnreadableBaseError', cause: { name: 'CorruptBlockError' } })
  })

  it('ends when it is aborted, and closes what it reads', async () => {
    const controller = new AbortController()
    let closed = false
    const files = (async function * () {
      try {
        yield * pages(8)
        controller.abort(new Error('enough'))
        yield * pages(8, { name: 'more' })
      } finally {
        closed = true
      }
    })()

    await expect(addTree(files, { dictionaries: 'auto' }, { signal: controller.signal })).rejects.toThrow('enough')
    await expect.poll(() => closed).toBe(true)
  })

  it.each<CompressionOptions>([
    { codec: 'lz4', dictionaries: 'auto' },
    { cut: 'content', dictionaries: 'auto' },
    { base: () => undefined, dictionaries: 'auto' },
    { dictionaries: 'yes' as 'auto' }
  ])('refuses %o', async compression => {
    await expect(addTree(pages(4), compression)).rejects.toMatchObject({ name: 'InvalidParametersError' })
  })
})
