/** @module-tag long */
import {
  cp, mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile
} from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { CID } from 'multiformats/cid'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { unmark } from '@ipfsz/core'
import { withRepo } from '../src/context.ts'
import { addSources } from '../src/add/index.ts'
import { BlockSink } from '../src/add/block-sink.ts'
import { walkDag } from '../src/dag/dag-walk.ts'
import { isSettled } from '../src/disk/file-identity.ts'
import * as readInput from '../src/disk/read-input.ts'
import { initRepo, initStore } from '../src/init/index.ts'
import { readChunk } from '../src/known-files/chunks.ts'
import { MAX_RECORDS } from '../src/known-files/prune-records.ts'
import { TreeRecord } from '../src/known-files/tree-record.ts'
import { openRepo } from '../src/repo/repo.ts'
import { addPaths, makeTree } from './add-trees.ts'
import type { AddedPaths } from './add-trees.ts'
import type { MockInstance } from 'vitest'
import type { AddedRoot, AddSourcesOptions } from '../src/add/index.ts'
import type { KnownCounts } from '../src/add/known-files.ts'
import type { Repo } from '../src/repo/repo.ts'

let directory: string
let repo: string
let tree: string

const context = (): { repo: string, bootstrap: [], signal: AbortSignal } =>
  ({ repo, bootstrap: [], signal: new AbortController().signal })

/** How far the clock of this process is ahead of that of the file system, in milliseconds. */
let ahead: number

beforeEach(async () => {
  const { now } = Date
  ahead = 0
  vi.spyOn(Date, 'now').mockImplementation(() => now() + ahead)
  directory = await mkdtemp(join(tmpdir(), 'ipfsz-again-'))
  repo = join(directory, 'repo')
  tree = join(directory, 'tree')
  await initRepo(context(), { layout: 'packs' })
})

afterEach(async () => {
  vi.mocked(Date.now).mockRestore()
  await rm(directory, { recursive: true, force: true })
})

/** Files that were changed so long ago that what is known of them counts. */
async function makeSettled (files: Record<string, string>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(tree, name, '..'), { recursive: true })
    await writeFile(join(tree, name), content)
  }

  settle()
}

/** From now on, what was changed last is no longer racy. The ctime cannot be set, so the clock is. */
function settle (): void {
  ahead += 2100
}

async function add (options: AddSourcesOptions = {}): Promise<{ added: AddedPaths, known: KnownCounts | undefined }> {
  const added = await addPaths(repo, [tree], { threads: 0, ...options })

  return { added, known: added.roots[0].known }
}

/** The CID that the tree has if all of it is read. */
async function cidOf (options: AddSourcesOptions = {}): Promise<string> {
  const { roots } = await addPaths(repo, [tree], { ...options, onlyHash: true, threads: 0 })

  return String(roots[0].cid)
}

const THREE = { 'a': 'one', 'b/a': 'two', 'b/z': 'three', 'b.': 'four' }

describe('adding a directory again', () => {
  it('reads nothing that did not change, and gives the same', async () => {
    await makeTree(tree)
    settle()
    const { added: first, known: before } = await add({ threads: 2 })
    const { added: second, known } = await add({ threads: 2 })
    const all = first.roots[0].content?.files ?? 0

    expect(before).to.equal(undefined)
    expect(known).to.deep.equal({ new: 0, changed: 0, unchanged: all })
    expect(second.roots.map(root => ({ ...root, known: undefined }))).to.deep.equal(first.roots)
    expect(second.entries).to.deep.equal(first.entries)
  })

  it('reads no block of files that have several: it has noted which', async () => {
    await makeTree(tree)
    settle()
    const { added: first } = await add({ threads: 2 })
    const record = await openRecord(Date.now())
    const { blocks } = await record.find('many.larger') ?? {}
    await record.discard()
    const opened = await openRepo(repo)
    const larger = first.entries.find(({ path }) => path.endsWith('many.larger'))
    const walked = await Array.fromAsync(walkDag(unmark(larger?.cid as CID), opened.blockstore, {
      signal: new AbortController().signal, leaves: 'skip'
    }))
    await opened.close()
    const reads = vi.spyOn(BlockSink.prototype, 'blockstore', 'get')
    const { known } = await add({ threads: 2 })

    expect(blocks?.map(({ cid, size }) => [String(CID.decode(cid)), size]).toSorted()).to.deep.equal(
      walked.map(({ cid, bytes, statedSize }) => [String(cid), bytes?.byteLength ?? statedSize]).toSorted()
    )
    expect(known?.changed).to.equal(0)
    expect(reads.mock.calls).to.deep.equal([])
    reads.mockRestore()
  })

  it('reads what is new or has changed, and counts it', async () => {
    await makeSettled(THREE)
    await add()
    await writeFile(join(tree, 'b/m'), 'new')
    await writeFile(join(tree, 'b/z'), 'THREE')
    await rm(join(tree, 'a'))
    const { added, known } = await add()

    expect(known).to.deep.equal({ new: 1, changed: 1, unchanged: 2 })
    expect(String(added.roots[0].cid)).to.equal(await cidOf())
  })

  it('reads a file whose content changed, but not its size and mtime', async () => {
    await makeSettled(THREE)
    const { mtime, atime } = await stat(join(tree, 'a'))
    await add()
    await writeFile(join(tree, 'a'), 'ONE')
    await utimes(join(tree, 'a'), atime, mtime)
    settle()
    const { added, known } = await add()

    expect(known).to.deep.equal({ new: 0, changed: 1, unchanged: 3 })
    expect(String(added.roots[0].cid)).to.equal(await cidOf())
  })

  it('reads a file that took the place of another', async () => {
    await makeSettled({ ...THREE, other: 'ten' })
    await add()
    await rename(join(tree, 'other'), join(tree, 'a'))
    const { added, known } = await add()

    expect(known).to.deep.equal({ new: 0, changed: 1, unchanged: 3 })
    expect(String(added.roots[0].cid)).to.equal(await cidOf())
  })

  it('reads files again that had changed just before they were read', async () => {
    await mkdir(tree)
    await writeFile(join(tree, 'a'), 'one')
    await add()
    expect(await settled('a')).to.equal(false)
    settle()
    const { known } = await add()
    expect(known).to.deep.equal({ new: 0, changed: 0, unchanged: 1 })
    expect(await settled('a')).to.equal(true)
  })

  it('takes a file that changes within one tick of a clock of seconds for changed', () => {
    const identity = { mtimeNs: 1_000_000_000n, ctimeNs: 1_000_000_000n, size: 1n, ino: 1n }

    expect(isSettled(identity, 2900)).to.equal(false)
    expect(isSettled(identity, 3001)).to.equal(true)
  })

  it('reads files with times in the future', () => {
    const now = 1_000_000
    const [past, future] = [BigInt(now - 5000) * 1_000_000n, BigInt(now + 5000) * 1_000_000n]

    expect(isSettled({ mtimeNs: future, ctimeNs: past, size: 1n, ino: 1n }, now)).to.equal(false)
    expect(isSettled({ mtimeNs: past, ctimeNs: future, size: 1n, ino: 1n }, now)).to.equal(false)
    expect(isSettled({ mtimeNs: past, ctimeNs: past, size: 1n, ino: 1n }, now)).to.equal(true)
  })

  it.for([
    [{ compression: { level: 19 } }],
    [{ compression: { codec: 'none' } }],
    [{ preserve: { mode: true } }],
    [{ preserve: { mtime: true } }],
    [{ deterministic: true }]
  ] satisfies Array<[AddSourcesOptions]>)('reads all with %j, which makes other files', async ([options]) => {
    await makeSettled({ ...THREE, large: 'text that shrinks '.repeat(1000) })
    await add()
    const { added, known } = await add(options)

    expect(known).to.equal(undefined)
    expect(String(added.roots[0].cid)).to.equal(await cidOf(options))
  })

  it('takes files as they are known whichever of them are chosen', async () => {
    await makeSettled({ ...THREE, '.hidden': 'hidden' })
    await add({ hidden: true })
    const { added, known } = await add({ ignore: ['b/z'] })

    expect(known).to.deep.equal({ new: 0, changed: 0, unchanged: 3 })
    expect(String(added.roots[0].cid)).to.equal(await cidOf({ ignore: ['b/z'] }))
  })

  it('reads all without a cache, and knows it afterwards', async () => {
    await makeSettled(THREE)
    await add()
    const { known } = await add({ cache: false })
    const { known: after } = await add()

    expect(known).to.equal(undefined)
    expect(after).to.deep.equal({ new: 0, changed: 0, unchanged: 4 })
  })

  for (const layout of ['packs', 'files'] as const) {
    it(`reads a file again of which a block is gone, in a repo of ${layout}`, async () => {
      repo = join(directory, layout)
      await initRepo(context(), { layout })
      // of several blocks: a leaf goes, and the root stays
      const large = Array.from({ length: 200_000 }, (_, i) => Math.imul(i, 0x9e3779b1).toString(36)).join(' ')
      await makeSettled({ ...THREE, large })
      const { added } = await add()

      for (const name of ['large', 'b/a']) {
        const { cid } = added.entries.find(({ path }) => path === `tree/${name}`) ?? added.roots[0]
        const blocks = await blocksOf(cid)
        await withBlocks(async ({ blockstore }) => blockstore.delete(blocks.at(-1) ?? cid))
        const { added: again, known } = await add()

        expect(known).to.deep.equal({ new: 0, changed: 0, unchanged: 5 })
        expect(String(again.roots[0].cid)).to.equal(String(added.roots[0].cid))
        expect(await blocksOf(again.roots[0].cid)).to.have.lengthOf.above(5)
      }
    })
  }

  it('reads all if what is known is damaged in any place', async () => {
    await makeSettled(THREE)
    const { added } = await add()
    const [record] = await records()
    const whole = await readFile(record)

    for (let at = 0; at < whole.byteLength; at += 7) {
      const damaged = Buffer.from(whole)
      damaged[at] ^= 0x40
      await writeFile(record, at % 2 === 0 ? damaged : whole.subarray(0, at))
      const { added: again } = await add()

      expect(String(again.roots[0].cid)).to.equal(String(added.roots[0].cid))
    }

    expect((await add()).known).to.deep.equal({ new: 0, changed: 0, unchanged: 4 })
  })

  it('reads all if what is known is of another tree, another repo, or no file at all', async () => {
    await makeSettled(THREE)
    const { added } = await add()
    const [record] = await records()
    const cid = String(added.roots[0].cid)
    await cp(tree, join(directory, 'other'), { recursive: true })
    await writeFile(join(directory, 'other/a'), 'other')
    settle()
    await addPaths(repo, [join(directory, 'other')])
    const other = (await records()).find(path => path !== record) ?? ''

    for (const replace of [
      async () => cp(other, record),
      async () => mkdir(record),
      async () => symlink('/dev/zero', record),
      async () => symlink(record, record)
    ]) {
      await rm(record, { recursive: true, force: true })
      await replace()
      const { added: again, known } = await add()

      expect(known).to.equal(undefined)
      expect(String(again.roots[0].cid)).to.equal(cid)
    }
  })

  it('takes nothing from a repo that was copied, whose blocks are not there', async () => {
    await makeSettled(THREE)
    const { added } = await add()
    const copy = join(directory, 'copy')
    await initRepo({ ...context(), repo: copy }, { layout: 'packs' })
    await cp(join(repo, 'known-files'), join(copy, 'known-files'), { recursive: true })
    repo = copy
    const { added: again } = await add()

    expect(String(again.roots[0].cid)).to.equal(String(added.roots[0].cid))
    expect(await blocksOf(again.roots[0].cid)).to.have.lengthOf.above(4)
  })

  it('ignores what was written after now, as the clock was set back', async () => {
    await makeSettled(THREE)
    await add()
    expect(await hasOld(Date.now())).to.equal(true)
    expect(await hasOld(Date.now() - 60_000)).to.equal(false)
  })

  it('works for two that add the same tree at once', async () => {
    await makeTree(tree, { large: false })
    settle()
    const [one, other] = await Promise.all([add({ threads: 1 }), add({ threads: 1 })])
    const { known } = await add()

    expect(String(one.added.roots[0].cid)).to.equal(String(other.added.roots[0].cid))
    expect(known).to.include({ new: 0, changed: 0 })
    expect(await records()).to.have.lengthOf(1)
  })

  it('leaves nothing behind when it fails', async () => {
    await makeSettled(THREE)
    await symlink('x', join(tree, 'b\\'))
    await mkdir(join(tree, 'c\\'))

    await expect(add()).rejects.toMatchObject({ name: 'TreeEntryError' })
    expect(await records()).to.deep.equal([])
  })

  it('adds also where nothing can be noted', async () => {
    await makeSettled(THREE)
    await writeFile(join(repo, 'known-files'), 'a file')
    const { added, known } = await add()

    expect(known).to.equal(undefined)
    expect(String(added.roots[0].cid)).to.equal(await cidOf())
  })

  it('remembers the last 512 trees', async () => {
    await makeSettled({ a: 'one' })
    await mkdir(join(repo, 'known-files'))

    for (let i = 0; i < MAX_RECORDS + 2; i++) {
      const path = join(repo, 'known-files', String(i).padStart(32, '0'))
      await writeFile(path, '')
      await utimes(path, i + 1, i + 1)
    }

    await add()
    const names = (await records()).map(path => basename(path))

    expect(names).to.have.lengthOf(MAX_RECORDS)
    expect(names).not.to.include('2'.padStart(32, '0'))
    expect((await add()).known?.unchanged).to.equal(1)
  })
})

describe('adding a single file again', () => {
  let file: string
  let reads: MockInstance

  beforeEach(async () => {
    file = join(directory, 'file')
    await writeFile(file, contentOf(1))
    settle()
    reads = vi.spyOn(readInput, 'openInput')
  })

  afterEach(() => { reads.mockRestore() })

  /** @returns what was added, and whether it was opened */
  async function addFile (
    options: AddSourcesOptions = {},
    paths = [file]
  ): Promise<{ roots: AddedRoot[], cids: string[], known: Array<KnownCounts | undefined>, opened: number }> {
    reads.mockClear()
    const { roots } = await addPaths(repo, paths, options)

    return {
      roots,
      cids: roots.map(({ cid }) => String(cid)),
      known: roots.map(root => root.known),
      opened: reads.mock.calls.length
    }
  }

  it('does not open it if it did not change, and says the same of it', async () => {
    const first = await addFile()
    const again = await addFile()

    expect([first.opened, first.known]).to.deep.equal([1, [undefined]])
    expect([again.opened, again.known]).to.deep.equal([0, one({ unchanged: 1 })])
    expect(again.roots.map(root => ({ ...root, known: undefined }))).to.deep.equal(first.roots)
  })

  it('pins it again, and reports all of its bytes', async () => {
    await addFile({ pin: false })
    const { roots: [{ cid }], events } = await addPaths(repo, [file])
    const pins = await withRepo(context(), { lock: 'add' }, async ({ pins }) =>
      Array.fromAsync(pins.ls(context().signal)))

    expect(pins.map(pin => String(pin.plainCid))).to.deep.equal([String(unmark(cid))])
    expect(events.map(({ detail }) => detail)).to.containSubset([{ done: 2_000_000 }])
  })

  it('does not open it for a shared store either, and relies on what is there', async () => {
    repo = join(directory, 'node')
    await mkdir(join(directory, 'store'))
    await initStore(context(), join(directory, 'store'))
    const first = await addFile({ pin: false })
    const again = await addFile()

    expect([again.opened, again.cids]).to.deep.equal([0, first.cids])
    expect(await blocksOf(again.roots[0].cid)).to.have.lengthOf.above(1)
  })

  it('takes each of several as it is known', async () => {
    const others = ['b', 'a'].map(name => join(directory, name))
    await writeFile(others[0], contentOf(2))
    await writeFile(others[1], contentOf(3))
    settle()
    const first = await addFile({}, [file, ...others])
    await writeFile(others[0], contentOf(4))
    const again = await addFile({}, [...others, file])

    expect(again.opened).to.equal(1)
    expect(again.known).to.deep.equal([...one({ changed: 1 }), ...one({ unchanged: 1 }), ...one({ unchanged: 1 })])
    expect([again.cids[1], again.cids[2]]).to.deep.equal([first.cids[2], first.cids[0]])
  })

  it('reads it if it changed, but not its size and mtime', async () => {
    const { cids } = await addFile()
    const { mtime, atime } = await stat(file)
    await writeFile(file, contentOf(2))
    await utimes(file, atime, mtime)
    settle()
    const changed = await addFile()

    expect([changed.opened, changed.known]).to.deep.equal([1, one({ changed: 1 })])
    expect(changed.cids).not.to.deep.equal(cids)
  })

  it('reads it if another took its place', async () => {
    await writeFile(join(directory, 'other'), contentOf(2))
    await addFile()
    await rename(join(directory, 'other'), file)

    expect((await addFile()).known).to.deep.equal(one({ changed: 1 }))
  })

  it('reads it if it had changed just before it was read', async () => {
    await writeFile(file, contentOf(2))
    ahead = 0
    await addFile()
    settle()
    const second = await addFile()
    const third = await addFile()

    expect([second.opened, second.known]).to.deep.equal([1, one({ unchanged: 1 })])
    expect(third.opened).to.equal(0)
  })

  it('reads it again if it changed while it was read', async () => {
    const { openInput } = readInput
    reads.mockImplementationOnce(async (...args: Parameters<typeof openInput>) => {
      const opened = await openInput(...args)
      await writeFile(file, contentOf(2))

      return opened
    })
    await addPaths(repo, [file])
    settle()

    expect((await addFile()).opened).to.equal(1)
  })

  it('reads the target of a symlink if that is another one, also if it was one for a moment', async () => {
    const [link, other] = ['link', 'other'].map(name => join(directory, name))
    await writeFile(other, contentOf(2))
    await symlink(file, link)
    settle()
    const { openInput } = readInput
    reads.mockImplementationOnce(async (...args: Parameters<typeof openInput>) => {
      await rm(link)
      await symlink(other, link)
      const opened = await openInput(...args)
      await rm(link)
      await symlink(file, link)

      return opened
    })
    const { roots: [{ cid: torn }] } = await addPaths(repo, [link])
    const first = await addFile({}, [link])
    const again = await addFile({}, [link])
    await rm(link)
    await symlink(other, link)
    const third = await addFile({}, [link])

    expect([first.opened, again.opened, third.opened]).to.deep.equal([1, 0, 1])
    expect([String(torn), third.cids[0]]).not.to.include(first.cids[0])
  })

  it.for([
    [{ cache: false }],
    [{ link: true }],
    [{ onlyHash: true }],
    [{ dryRun: true }],
    [{ compression: { level: 19 } }],
    [{ preserve: { mtime: true } }]
  ] satisfies Array<[AddSourcesOptions]>)('reads it with %j', async ([options]) => {
    await addFile()

    expect(await addFile(options)).to.deep.include({ opened: 1, known: [undefined] })
  })

  it('knows nothing of what was not synced, of small files, and of streams', async () => {
    await addFile({ sync: false })
    await writeFile(join(directory, 'small'), 'small')
    settle()
    await addFile({}, [join(directory, 'small')])
    await addSources(context(), [{ open: async function * () { yield contentOf(1) }, name: 'file' }])

    expect(await records()).to.deep.equal([])
  })

  it.for([[0], [-1]])('reads it if a block is gone: %i', async ([at]) => {
    const { roots: [{ cid }] } = await addFile()
    const blocks = await blocksOf(cid)
    await withBlocks(async ({ blockstore }) => blockstore.delete(blocks.at(at) ?? cid))
    const again = await addFile()

    expect([again.opened, again.known]).to.deep.equal([1, one({ unchanged: 1 })])
    expect(await blocksOf(cid)).to.have.lengthOf(blocks.length)
  })
})

function one (part: Partial<KnownCounts>): KnownCounts[] {
  return [{ new: 0, changed: 0, unchanged: 0, ...part }]
}

/** 2 MB that do not shrink. */
function contentOf (seed: number): Buffer {
  return createHash('shake256', { outputLength: 2_000_000 }).update(String(seed)).digest()
}

async function records (): Promise<string[]> {
  return (await readdir(join(repo, 'known-files'))).map(name => join(repo, 'known-files', name))
}

async function openRecord (now: number): Promise<TreeRecord> {
  const [path] = await records()
  const file = await open(path)

  try {
    const { head } = JSON.parse(String(readChunk(file))) as { head: string }
    const { options } = JSON.parse(head) as { options: string }

    return await TreeRecord.open({ directory: join(repo, 'known-files'), tree, options, reads: true, now })
  } finally {
    await file.close()
  }
}

async function hasOld (now: number): Promise<boolean> {
  const record = await openRecord(now)
  await record.discard()

  return record.hasOld
}

async function settled (path: string): Promise<boolean | undefined> {
  const record = await openRecord(Date.now())
  const known = await record.find(path)
  await record.discard()

  return known?.isSettled
}

async function withBlocks<T> (work: (repo: Repo) => Promise<T>): Promise<T> {
  const opened = await openRepo(repo)

  try {
    return await work(opened)
  } finally {
    await opened.storage.sync()
    await opened.close()
  }
}

/** The blocks of a DAG, all of which are there. */
async function blocksOf (cid: CID): Promise<CID[]> {
  return withBlocks(async ({ blockstore }) => {
    const blocks: CID[] = []

    for await (const block of walkDag(unmark(cid), blockstore, { signal: context().signal, leaves: 'read' })) {
      blocks.push(block.cid)
    }

    return blocks
  })
}
