import { execFile } from 'node:child_process'
import {
  chmod, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { UnixFS } from 'ipfs-unixfs'
import { describe, expect, it as base } from 'vitest'
import { SpillStack } from '../src/disk/spill-stack.ts'
import { sweepTemporaries } from '../src/disk/temporary-files.ts'
import { treeSource } from '../src/disk/tree-source.ts'
import { writeWhole } from '../src/disk/write-file.ts'
import { WriteLimits } from '../src/disk/write-limits.ts'
import { writeTree } from '../src/tree/write-tree.ts'
import { leavesAll, Trees } from './trees.ts'
import type { TreeCounts } from '../src/tree/tree-writer.ts'
import type { Ipfsz } from '@ipfsz/core'

/*
 * What another user does who may rename in the directory that is written or read, at the moment that suits him. The
 * same user does it here, so that these tests need not be root.
 */

interface Places {
  /** Where he may rename. */
  shared: string
  /** Where nothing may change: it has a file `id` and the directory `below`. */
  victim: string
}

const it = base.extend<{ places: Places }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads which fixtures are needed from the pattern
  places: async ({}, use) => {
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-swapped-'))
    const places = { shared: join(directory, 'shared'), victim: join(directory, 'victim') }
    await mkdir(places.shared)
    await mkdir(join(places.victim, 'below'), { recursive: true })
    await writeFile(join(places.victim, 'id'), 'private')
    await chmod(join(places.victim, 'id'), 0o600)
    await Promise.all([join(places.victim, 'id'), join(places.victim, 'below'), places.victim]
      .map(async path => utimes(path, 1, 1)))
    await use(places)
    await rm(directory, { recursive: true })
  }
})

const progress = { update () {}, add () {}, end () {} }
const { signal } = new AbortController()
const mtime = { secs: 5n }

/** Everything that must stay in a directory. */
async function stateOf (directory: string): Promise<unknown> {
  const names = ['.', ...(await readdir(directory, { recursive: true })).toSorted()]

  return Promise.all(names.map(async name => {
    const { mode, mtimeMs, nlink } = await lstat(join(directory, name))

    return [name, mode, mtimeMs, nlink]
  }))
}

async function temporaryIn (directory: string): Promise<string> {
  const name = (await readdir(directory)).find(name => name.endsWith('.tmp'))

  return join(directory, name ?? 'none')
}

/** Move what is at a path away, and put a symlink in its place. */
async function swap (path: string, target: string): Promise<void> {
  await rename(path, `${path}.moved`)
  await symlink(target, path)
}

type Swap = (places: Places) => Promise<void>

const SWAPS: ReadonlyArray<[what: string, swap: Swap]> = [
  ['the temporary', async ({ shared, victim }) => swap(await temporaryIn(shared), victim)],
  ['the temporary, by a symlink to a file', async ({ shared, victim }) =>
    swap(await temporaryIn(shared), join(victim, 'id'))],
  ['the directory that is written into', async ({ shared, victim }) => swap(shared, victim)]
]

describe.runIf(process.platform === 'linux').for(SWAPS)('%s is swapped for a symlink', ([what, swap]) => {
  it('while a file is written', async ({ places }) => {
    const before = await stateOf(places.victim)
    const unixfs = new UnixFS({ type: 'file', mode: 0o777 })

    async function * content (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('new ')
      await swap(places)
      yield Buffer.from('bytes')
    }

    const written = writeWhole(join(places.shared, 'out'), content(), progress, { unixfs, mtime })

    if (what.startsWith('the temporary')) {
      await expect(written).rejects.toMatchObject({ name: 'TreeEntryError', path: join(places.shared, 'out') })
    } else {
      await written
      await expect(readFile(join(`${places.shared}.moved`, 'out'), 'utf8')).resolves.toBe('new bytes')
    }

    expect(await stateOf(places.victim)).toEqual(before)
  })

  it('while a tree is written', async ({ places }) => {
    const before = await stateOf(places.victim)
    const target = join(places.shared, 'out')
    const written = write(places.shared, async () => swap(places))

    if (what.startsWith('the temporary')) {
      await expect(written).rejects.toMatchObject({ name: 'TreeEntryError', path: target })
    } else {
      await expect(written).resolves.toEqual({ files: 2, directories: 2, symlinks: 1, size: 2 })
      expect((await readdir(join(`${places.shared}.moved`, 'out'), { recursive: true })).toSorted())
        .toEqual(['below', 'below/id', 'id', 'link'])
    }

    expect(await stateOf(places.victim)).toEqual(before)
  })
})

it.runIf(process.platform === 'linux')('a failure deletes nothing but what it wrote', async ({ places }) => {
  const { shared, victim } = places

  async function * content (): AsyncGenerator<Uint8Array> {
    yield Buffer.from('new')
    const temporary = await temporaryIn(shared)
    await rename(temporary, join(shared, 'moved'))
    await rename(victim, temporary)
    throw new Error('stopped')
  }

  await expect(writeWhole(join(shared, 'out'), content(), progress)).rejects.toThrow('stopped')
  await expect(readFile(join(await temporaryIn(shared), 'id'), 'utf8')).resolves.toBe('private')

  await rename(await temporaryIn(shared), victim)
  await rm(join(shared, 'moved'))
  await expect(write(shared, async () => {
    const temporary = await temporaryIn(shared)
    await rename(temporary, join(shared, 'moved'))
    await rename(victim, temporary)
    throw new Error('stopped')
  })).rejects.toThrow('stopped')
  await expect(readFile(join(await temporaryIn(shared), 'id'), 'utf8')).resolves.toBe('private')
})

it('a file that others may read when it is complete is not read by them before', async ({ places }) => {
  let unfinished = 0

  async function * content (): AsyncGenerator<Uint8Array> {
    yield Buffer.from('secret')
    unfinished = (await stat(await temporaryIn(places.shared))).mode & 0o077
  }

  const unixfs = new UnixFS({ type: 'file', mode: 0o600 })
  await writeWhole(join(places.shared, 'out'), content(), progress, { unixfs })

  expect(unfinished).toBe(0)
  expect((await stat(join(places.shared, 'out'))).mode & 0o777).toBe(0o600)
})

it('a sweep does not follow symlinks in what it deletes', async ({ places }) => {
  const { shared, victim } = places
  const before = await stateOf(victim)
  const dead = join(shared, `.x.ipfsz-${'0'.repeat(16)}-1-1-${'0'.repeat(36)}.tmp`)
  await mkdir(join(dead, 'sub'), { recursive: true })
  await symlink(victim, join(dead, 'sub/link'))
  await symlink(victim, join(dead, 'link'))

  await sweepTemporaries(shared, Date.now() + 2 * 24 * 60 * 60 * 1000)

  expect(await readdir(shared)).toEqual([])
  expect(await stateOf(victim)).toEqual(before)
})

describe.runIf(process.platform === 'linux')('a tree that is added', () => {
  const FIRST = 'tree/a'
  const LAST = 'tree/z/id'

  it.for<[what: string, before: string, result: RegExp, swap: Swap]>([
    ['a directory for a symlink', FIRST, /z: is no longer a directory/, async ({ shared, victim }) =>
      swap(join(shared, 'in/z'), victim)],
    ['a directory that is being read for a symlink', LAST, /own/, async ({ shared, victim }) =>
      swap(join(shared, 'in/z'), victim)],
    ['the tree for a symlink', FIRST, /own/, async ({ shared, victim }) => {
      await mkdir(join(shared, 'other'))
      await symlink(victim, join(shared, 'other/z'))
      await swap(join(shared, 'in'), join(shared, 'other'))
    }],
    ['a file for a symlink', LAST, /id: is no longer a file/, async ({ shared, victim }) =>
      swap(join(shared, 'in/z/id'), join(victim, 'id'))],
    ['a file for a pipe', LAST, /id: is no longer a file/, async ({ shared }) => {
      await rm(join(shared, 'in/z/id'))
      await promisify(execFile)('mkfifo', [join(shared, 'in/z/id')])
    }],
    ['a file for a directory', LAST, /id: is no longer a file/, async ({ shared }) => {
      await rm(join(shared, 'in/z/id'))
      await mkdir(join(shared, 'in/z/id'))
    }]
  ])('never publishes what is elsewhere, and ends: %s', async ([, before, result, swap], { places }) => {
    const { shared } = places
    await mkdir(join(shared, 'in/z'), { recursive: true })
    await writeFile(join(shared, 'in/a'), 'first')
    await writeFile(join(shared, 'in/z/id'), 'own')

    const read = await contents(join(shared, 'in'), async path => path === before ? swap(places) : undefined)
      .catch((err: Error) => `${err.name} ${err.message}`)

    expect(String(read)).toMatch(result)
  })
})

/** What files of a tree hold, read after `before`. */
async function contents (directory: string, before: (path: string) => Promise<void>): Promise<string[]> {
  const found: string[] = []
  const candidates = treeSource(directory, 'tree', {
    hidden: false,
    ignore: () => false,
    gitignore: false,
    preserve: { mode: false, mtime: false },
    signal,
    onRead () {},
    onHidden () {},
    onExecutable () {},
    onChanged () {}
  })

  for await (const candidate of candidates) {
    if ('content' in candidate) {
      await before(candidate.path ?? '')
      found.push(String(Buffer.concat(await Array.fromAsync(candidate.content as AsyncIterable<Uint8Array>))))
    }
  }

  return found
}

/**
 * Write a tree of a file `id` and a symlink `link`, and in `below` of a file `id`, to `out` in a directory.
 *
 * @param swap - called while the first file is read
 */
async function write (directory: string, swap: () => Promise<void>): Promise<TreeCounts> {
  const target = join(directory, 'out')
  const trees = new Trees()
  const id = await trees.file('x')
  const below = await trees.directory({ id: await trees.file('y') }, { mode: 0o777, mtime })
  const cid = await trees.directory({ id, below, link: await trees.symlink('id', { mtime }) }, { mode: 0o777, mtime })
  const files: Pick<Ipfsz, 'blocks' | 'cat' | 'stat'> = {
    blocks: (...args) => trees.files.blocks(...args),
    stat: async () => { throw new Error('not called') },
    async * cat (file) {
      await (file.equals(id) ? swap() : undefined)
      yield Buffer.from('x')
    }
  }

  return writeTree(target, { cid, unixfs: new UnixFS({ type: 'directory', mode: 0o777 }), mtime }, {
    files,
    small: leavesAll,
    limits: new WriteLimits(target),
    progress,
    signal,
    beforeMore: async () => {},
    allowSymlinks: true,
    concurrency: 1,
    waiting: new SpillStack(join(directory, 'directories')),
    whileRemoving: async remove => remove()
  })
}
