import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'
import { describe, expect, it, onTestFinished } from 'vitest'
import { BlockCache } from '../src/cache/block-cache.ts'
import { sizeOnDisk } from '../src/cache/cached-root.ts'
import { makeBlock, makeBlocks } from './nodes.ts'
import type { BlockCacheInit } from '../src/cache/block-cache.ts'
import type { Block } from './nodes.ts'

const KIB = 1024
const MIB = KIB * KIB
const blocks = await makeBlocks(20, 100 * KIB)
const roots = (await Promise.all(Array.from({ length: 20 }, async (_, i) => makeBlock(i, 10)))).map(({ cid }) => cid)

async function makeDirectory (): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-cache-'))
  onTestFinished(async () => { await rm(directory, { recursive: true, force: true }) })

  return directory
}

interface Made extends Pick<BlockCacheInit, 'directory'> {
  cache: BlockCache
  notes: string[]
}

async function make (init: Partial<BlockCacheInit> = {}): Promise<Made> {
  const notes: string[] = []
  const directory = init.directory ?? await makeDirectory()
  const cache = new BlockCache({ size: 100 * MIB, onNote: note => { notes.push(note) }, ...init, directory })

  onTestFinished(async () => { await cache.close() })
  await cache.open()

  return { cache, directory, notes }
}

async function putAll (cache: BlockCache, root: CID, added: readonly Block[]): Promise<void> {
  await Promise.all(added.map(async ({ cid, bytes }) => cache.put(root, cid, bytes)))
}

/** Which of the blocks are kept below a root. Each has the right bytes. */
async function kept (cache: BlockCache, root: CID, asked: readonly Block[] = blocks): Promise<number> {
  let count = 0

  for (const { cid, bytes } of asked) {
    const found = await cache.get(root, cid)

    if (found != null) {
      expect(Buffer.compare(found, bytes)).toBe(0)
      count++
    }
  }

  return count
}

/** The files of a directory, and what they take on the disk as the cache counts it. */
async function filesIn (directory: string): Promise<{ files: string[], bytes: number }> {
  const files: string[] = []
  let bytes = 0

  for (const name of await readdir(join(directory, 'roots'))) {
    bytes += 4096

    for (const file of await readdir(join(directory, 'roots', name))) {
      const path = join(directory, 'roots', name, file)
      files.push(path)
      bytes += sizeOnDisk((await stat(path)).size)
    }
  }

  return { files, bytes }
}

/** Wait until evicted roots are deleted: what is counted is then what there is. */
async function settle ({ cache, directory }: Made): Promise<void> {
  await expect.poll(async () => {
    // a directory may be deleted while it is read
    const { bytes } = await filesIn(directory).catch(() => ({ bytes: undefined }))

    return bytes === cache.usage.bytes
  }).toBe(true)
}

describe('a cache of blocks', () => {
  it('returns what was put below the same root, and nothing else', async () => {
    const { cache } = await make()
    await putAll(cache, roots[0], blocks.slice(0, 3))

    expect(await kept(cache, roots[0])).toBe(3)
    expect(await kept(cache, roots[1])).toBe(0)
  })

  it('is as it was after a restart, with the same sizes and order', async () => {
    const first = await make()
    await putAll(first.cache, roots[0], blocks.slice(0, 3))
    await putAll(first.cache, roots[1], blocks.slice(3, 5))
    await first.cache.get(roots[0], blocks[0].cid)
    const { usage } = first.cache
    await first.cache.close()

    const { cache } = await make({ directory: first.directory, size: 400 * KIB })

    expect(usage.bytes).toBe(2 * 4096 + 5 * sizeOnDisk(100 * KIB))
    // there is room for one, and the first was used last
    expect(await kept(cache, roots[1])).toBe(0)
    expect(await kept(cache, roots[0])).toBe(3)
    await expect.poll(() => cache.usage).toEqual({ roots: 1, bytes: 4096 + 3 * sizeOnDisk(100 * KIB) })
  })

  it('counts what it has after a crash, and deletes half-written files', async () => {
    // not closed, as in a process that was killed
    const { cache: killed, directory } = await make()
    await putAll(killed, roots[0], blocks.slice(0, 3))
    await mkdir(join(directory, 'tmp'), { recursive: true })
    await writeFile(join(directory, 'tmp', 'half'), 'written')

    const { cache } = await make({ directory })

    expect(cache.usage).toEqual(killed.usage)
    expect(await kept(cache, roots[0])).toBe(3)
    expect(await readdir(join(directory, 'tmp')).catch(() => [])).toEqual([])
  })

  it('counts a root again that changed after the index was written', async () => {
    const before = await make()
    await putAll(before.cache, roots[0], blocks.slice(0, 3))
    await putAll(before.cache, roots[1], blocks.slice(0, 1))
    await before.cache.close()
    const index = await readFile(join(before.directory, 'index.json'))
    const more = await make({ directory: before.directory })
    await putAll(more.cache, roots[0], blocks.slice(3, 5))
    await more.cache.close()
    await writeFile(join(before.directory, 'index.json'), index)

    const { cache, directory } = await make({ directory: before.directory })

    expect(cache.usage.bytes).toBe((await filesIn(directory)).bytes)
  })

  it.each([
    '',
    '{',
    '{}',
    '[[1]]',
    '[["a", -1, "b"]]',
    '[null, ["x", 1, 2]]'
  ])('survives an index of %j', async text => {
    const before = await make()
    await putAll(before.cache, roots[0], blocks.slice(0, 3))
    await before.cache.close()
    await writeFile(join(before.directory, 'index.json'), text)

    const { cache } = await make({ directory: before.directory })

    expect(cache.usage).toEqual(before.cache.usage)
    expect(await kept(cache, roots[0])).toBe(3)
  })

  it('does not read the files of a root at a start, if nothing changed', async () => {
    const before = await make()
    await putAll(before.cache, roots[0], blocks.slice(0, 3))
    await before.cache.close()
    // a file of another size, which nobody told the directory
    await truncate((await filesIn(before.directory)).files[0], MIB)

    const { cache } = await make({ directory: before.directory })

    expect(cache.usage).toEqual(before.cache.usage)
  })

  it('evicts the root that was used least recently, with all its blocks', async () => {
    const made = await make({ size: MIB })
    const { cache } = made

    await putAll(cache, roots[0], blocks.slice(0, 4))
    await putAll(cache, roots[1], blocks.slice(4, 8))
    await cache.get(roots[0], blocks[0].cid)
    await putAll(cache, roots[2], blocks.slice(8, 11))

    expect(await kept(cache, roots[1])).toBe(0)
    expect(await kept(cache, roots[0])).toBe(4)
    expect(await kept(cache, roots[2])).toBe(3)
    await settle(made)
  })

  it('never takes more than its size, whatever is put at once', async () => {
    const made = await make({ size: MIB })
    const puts = roots.flatMap(root =>
      blocks.slice(0, 5).map(async ({ cid, bytes }) => made.cache.put(root, cid, bytes)))

    await Promise.all(puts.map(async put => {
      await put
      expect(made.cache.usage.bytes).toBeLessThanOrEqual(MIB)
    }))
    await settle(made)
    expect(made.notes).toEqual([])
  })

  it('keeps a part of a root that is larger than the cache', async () => {
    const { cache } = await make({ size: MIB })

    for (const block of blocks) {
      await putAll(cache, roots[0], [block])
    }

    expect(cache.usage.bytes).toBeLessThanOrEqual(MIB)
    expect(await kept(cache, roots[0])).toBe(9)
  })

  it('has a bounded number of roots, and counts small files as what they take on the disk', async () => {
    const made = await make({ maxRoots: 5 })
    const { cid, bytes } = await makeBlock(1, 1)

    for (const root of roots) {
      await made.cache.put(root, cid, bytes)
    }

    expect(made.cache.usage).toMatchObject({ roots: 5 })
    expect(await Promise.all(roots.map(async root => await made.cache.get(root, cid) != null)))
      .toEqual(roots.map((_, i) => i >= 15))
    await expect.poll(() => made.cache.usage.bytes).toBe(5 * (4096 + 4096))
    await settle(made)
  })

  it.each([
    ['torn', async (file: string) => { await truncate(file, 10) }],
    ['empty', async (file: string) => { await truncate(file, 0) }],
    ['changed', async (file: string) => { await writeFile(file, new Uint8Array(100 * KIB).fill(99)) }],
    ['gone', async (file: string) => { await rm(file) }],
    ['a directory', async (file: string) => { await rm(file); await mkdir(file) }]
  ])('does not return a block that is %s, and keeps it when it is put again', async (what, damage) => {
    const { cache, directory } = await make()
    await putAll(cache, roots[0], blocks.slice(0, 1))
    const [file] = (await filesIn(directory)).files
    await damage(file)

    expect(await cache.get(roots[0], blocks[0].cid)).toBeUndefined()
    await putAll(cache, roots[0], blocks.slice(0, 1))

    expect(await kept(cache, roots[0])).toBe(what === 'a directory' ? 0 : 1)
  })

  it('works on when its directory is deleted', async () => {
    const { cache, directory, notes } = await make()
    await putAll(cache, roots[0], blocks.slice(0, 3))
    await rm(directory, { recursive: true })

    expect(await kept(cache, roots[0])).toBe(0)
    await putAll(cache, roots[0], blocks.slice(0, 3))

    expect(await kept(cache, roots[0])).toBe(3)
    expect(notes).toEqual([])
  })

  it('keeps blocks of a root again that filled it and was deleted', async () => {
    const { cache, directory } = await make({ size: MIB })
    await putAll(cache, roots[0], blocks)
    const before = await kept(cache, roots[0])
    expect(before).toBeLessThan(blocks.length)
    await rm(directory, { recursive: true })

    // the first one finds that all of them are gone
    await putAll(cache, roots[0], blocks.slice(0, 1))
    await putAll(cache, roots[0], blocks)
    expect(await kept(cache, roots[0])).toBe(before)
  })

  it('says once that it cannot write, and never fails', async () => {
    const { cache, directory, notes } = await make()
    // as a full disk would
    await rm(join(directory, 'roots'), { recursive: true, force: true })
    await writeFile(join(directory, 'roots'), '')

    await putAll(cache, roots[0], blocks.slice(0, 3))
    await putAll(cache, roots[1], blocks.slice(0, 3))

    expect(notes).toHaveLength(1)
    expect(await kept(cache, roots[0])).toBe(0)
  })

  it('reads and writes a root while it is being evicted', async () => {
    const { cache, notes } = await make({ size: MIB, maxRoots: 2 })
    const readers = roots.map(async root => {
      for (const block of blocks.slice(0, 3)) {
        await putAll(cache, root, [block])
        await kept(cache, root)
      }
    })

    await Promise.all(readers)

    expect(cache.usage.bytes).toBeLessThanOrEqual(MIB)
    expect(notes).toEqual([])
  })

  it('leaves alone what is not its own in its directory, and drops directories without blocks', async () => {
    const before = await make()
    await putAll(before.cache, roots[0], blocks.slice(0, 1))
    await before.cache.close()
    const [name] = await readdir(join(before.directory, 'roots'))
    await mkdir(join(before.directory, 'roots', name.replace(/.$/, 'x')))
    await writeFile(join(before.directory, 'notes.txt'), 'mine')

    const made = await make({ directory: before.directory })
    await settle(made)

    expect(await readdir(join(before.directory, 'roots'))).toEqual([name])
    expect(await readdir(before.directory)).toContain('notes.txt')
  })

  it('deletes what was evicted before it ended, and does not take it for a root', async () => {
    const before = await make()
    await putAll(before.cache, roots[0], blocks.slice(0, 1))
    await before.cache.close()
    const [name] = await readdir(join(before.directory, 'roots'))
    await rename(join(before.directory, 'roots', name), join(before.directory, 'evicted', name))

    const { cache } = await make({ directory: before.directory })

    expect(cache.usage.roots).toBe(0)
    await expect.poll(async () => readdir(join(before.directory, 'evicted'))).toEqual([])
  })

  it('keeps nothing below a root whose CID is too long for a name', async () => {
    const { cache } = await make()
    const root = CID.createV1(0x55, identity.digest(new Uint8Array(200)))

    await putAll(cache, root, blocks.slice(0, 1))

    expect(await kept(cache, root)).toBe(0)
    expect(cache.usage.roots).toBe(0)
  })

  it('passes on an abort', async () => {
    const { cache } = await make()
    await putAll(cache, roots[0], blocks.slice(0, 1))

    await expect(cache.get(roots[0], blocks[0].cid, { signal: AbortSignal.abort() }))
      .rejects.toMatchObject({ name: 'AbortError' })
  })
})
