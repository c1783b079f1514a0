/** @module-tag long */
import { randomBytes } from 'node:crypto'
import {
  chmod, lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, utimes, writeFile
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unmark } from '@ipfsz/core'
import { base32upper } from 'multiformats/bases/base32'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openRepo } from '../src/handle/open-repo.ts'
import { Thread } from '../src/threads/thread-pool.ts'
import type { OpenRepo } from '../src/index.ts'
import type { VerifyReport } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** So many that batches of them are given to threads. */
const COUNT = 300

let directory: string
let source: { root: string, file: { path: string } }

/** Everything in a directory that `get` restores. */
async function contents (root: string): Promise<unknown> {
  const names = (await readdir(root, { recursive: true })).toSorted()

  return Promise.all(names.map(async name => {
    const path = join(root, name)
    const stats = await lstat(path)

    return {
      name,
      mode: stats.mode,
      mtime: Math.floor(stats.mtimeMs / 1000),
      content: stats.isFile() ? await readFile(path, 'latin1') : stats.isSymbolicLink() ? await readlink(path) : null
    }
  }))
}

/** A directory with files of every kind. */
async function makeSource (): Promise<typeof source> {
  const root = join(directory, 'source')

  for (let i = 0; i < COUNT; i++) {
    const parent = join(root, `d${i % 7}`, `e${i % 3}`)
    const text = `line ${i} of some text\n`.repeat(i)
    const bytes = [text, randomBytes(i), '', `${i}`, Buffer.alloc(i * 1000)][i % 5]
    await mkdir(parent, { recursive: true })
    await writeFile(join(parent, `${i}`.padEnd(i % 200, 'n')), bytes)
  }

  await writeFile(join(root, 'large'), randomBytes(3_000_000))
  await writeFile(join(root, 'd1', 'text'), 'a large text\n'.repeat(200_000))
  // it is filtered
  const numbers = Float64Array.from({ length: 20_000 }, (_, i) => i / 3)
  await writeFile(join(root, 'd1', 'numbers'), Buffer.from(numbers.buffer))
  await mkdir(join(root, 'empty'))
  await symlink('large', join(root, 'link'))
  await symlink('../../large', join(root, 'd1', 'e1', 'link'))
  await chmod(join(root, 'd1', 'text'), 0o755)
  await chmod(join(root, 'd2'), 0o500)
  await utimes(join(root, 'd2', 'e2'), 1000, 1000)

  for (const name of (await readdir(join(root, 'd3'), { recursive: true, withFileTypes: true }))) {
    await utimes(join(name.parentPath, name.name), 12345, name.isFile() ? 54321 : 99)
  }

  return { root, file: { path: `d5/e1/${'40'.padEnd(40, 'n')}` } }
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ipfsz-threads-'))
  source = await makeSource()
})

afterAll(async () => {
  await chmod(join(source.root, 'd2'), 0o700)
  await rm(directory, { recursive: true })
})

async function repoOf (layout: 'files' | 'packs'): Promise<OpenRepo> {
  const path = await mkdtemp(join(directory, 'repo-'))
  const repo = await openRepo(path, { layout })
  onTestFinished(async () => { await repo.close() })

  return repo
}

async function add (repo: OpenRepo): Promise<CID> {
  return (await repo.addDirectory(source.root, { preserve: { mode: true, mtime: true } })).cid
}

async function get (repo: OpenRepo, cid: CID): Promise<unknown> {
  const out = join(await mkdtemp(join(directory, 'out-')), 'tree')
  await repo.get(cid, out)
  const found = await contents(out)
  await chmod(join(out, 'd2'), 0o700)

  return found
}

/** The blocks of a repo, read without threads. */
async function verifyAlone (repo: OpenRepo, cid: CID): Promise<VerifyReport> {
  return repo.files.verify(cid)
}

/** The file of a block in a repo whose blocks are files. */
async function fileOf (repo: OpenRepo, { multihash }: CID): Promise<string> {
  const name = `${base32upper.encode(multihash.bytes)}.data`

  return join(repo.path, 'blocks', name.slice(-7, -5), name)
}

async function entryOf (repo: OpenRepo, cid: CID, path: string): Promise<CID> {
  return (await repo.files.stat(cid, { path })).plainCid
}

describe.for(['files', 'packs'] as const)('a tree in threads, blocks in %s', layout => {
  it('is written as it was added, and verified as without threads', async () => {
    const repo = await repoOf(layout)
    const cid = await add(repo)
    const calls = vi.spyOn(Thread.prototype, 'call')
    onTestFinished(() => { calls.mockRestore() })
    const report = await repo.verify(cid)

    expect(calls).toHaveBeenCalled()
    expect(await get(repo, cid)).toEqual(await contents(source.root))
    expect(report).toEqual(await verifyAlone(repo, cid))
    expect(report.files).toBe(COUNT + 5)
    expect(report.frames).toBeGreaterThan(COUNT / 5)
  })

  it('is written as it is stored, and verified, by its plain CID', async () => {
    const repo = await repoOf(layout)
    const cid = unmark(await add(repo))
    const { path } = source.file
    const stored = Buffer.concat(await Array.fromAsync(repo.files.cat(await entryOf(repo, cid, path))))
    const out = join(await mkdtemp(join(directory, 'out-')), 'tree')
    await repo.get(cid, out)
    await chmod(join(out, 'd2'), 0o700)

    expect(await repo.verify(cid)).toEqual(await verifyAlone(repo, cid))
    expect((await readFile(join(out, path))).equals(stored)).toBe(true)
  })

  it('leaves nothing when it is aborted while it is written', async () => {
    const repo = await repoOf(layout)
    const cid = await add(repo)
    const parent = await mkdtemp(join(directory, 'out-'))
    const abort = new AbortController()

    await expect(repo.get(cid, join(parent, 'tree'), {
      signal: abort.signal,
      onProgress ({ type, detail }) {
        if (type === 'ipfsz:step:progress' && detail.step.task === 'write' && detail.done > 0) {
          abort.abort(new Error('stopped'))
        }
      }
    })).rejects.toThrow('stopped')
    expect(await readdir(parent)).toEqual([])
  })
})

it('a damaged block is named by its path, and what is missing too', async () => {
  const repo = await repoOf('files')
  const cid = await add(repo)
  const damaged = await fileOf(repo, await entryOf(repo, cid, source.file.path))
  const bytes = await readFile(damaged)
  bytes[bytes.length - 1] ^= 1
  await writeFile(damaged, bytes)

  await expect(repo.verify(cid)).rejects.toMatchObject({
    name: 'VerifyFailedError', path: source.file.path, cause: { name: 'CorruptBlockError' }
  })
  await expect(get(repo, cid)).rejects.toMatchObject({ name: 'CorruptBlockError' })
  await rm(damaged)
  await expect(repo.verify(cid)).rejects.toMatchObject({
    name: 'VerifyFailedError', path: source.file.path, cause: { name: 'NotFoundError' }
  })

  const directoryFile = await fileOf(repo, await entryOf(repo, cid, 'd1'))
  await rm(directoryFile)
  await expect(repo.verify(cid)).rejects.toMatchObject({ name: 'VerifyFailedError', path: 'd1' })
})

it('a thread that dies ends the work with an error, and leaves nothing', async () => {
  const repo = await repoOf('files')
  const cid = await add(repo)
  const parent = await mkdtemp(join(directory, 'out-'))
  const { call } = Thread.prototype
  onTestFinished(() => { Thread.prototype.call = call })
  Thread.prototype.call = async function (this: Thread, request) {
    const answer = call.call(this, request)
    this.end().catch(() => {})

    return answer as never
  }

  await expect(repo.get(cid, join(parent, 'tree'))).rejects.toMatchObject({ name: 'ThreadFailedError' })
  await expect(repo.verify(cid)).rejects.toMatchObject({ name: 'ThreadFailedError' })
  expect(await readdir(parent)).toEqual([])
})
