import { randomBytes } from 'node:crypto'
import {
  chmod, lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, utimes, writeFile
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openRepo } from '../src/handle/open-repo.ts'
import type { OpenRepo } from '../src/index.ts'
import type { CID } from 'multiformats/cid'

/** So many that batches of them are given to threads. */
const COUNT = 300

let directory: string
let source: string

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
async function makeSource (): Promise<string> {
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

  return root
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ipfsz-threads-'))
  source = await makeSource()
})

afterAll(async () => {
  await chmod(join(source, 'd2'), 0o700)
  await rm(directory, { recursive: true })
})

async function repoOf (layout: 'files' | 'packs'): Promise<OpenRepo> {
  const path = await mkdtemp(join(directory, 'repo-'))
  const repo = await openRepo(path, { layout })
  onTestFinished(async () => { await repo.close() })

  return repo
}

async function add (repo: OpenRepo): Promise<CID> {
  return (await repo.addDirectory(source, { preserve: { mode: true, mtime: true } })).cid
}

async function get (repo: OpenRepo, cid: CID): Promise<unknown> {
  const out = join(await mkdtemp(join(directory, 'out-')), 'tree')
  await repo.get(cid, out)
  const found = await contents(out)
  await chmod(join(out, 'd2'), 0o700)

  return found
}

describe.for(['files', 'packs'] as const)('a tree in threads, blocks in %s', layout => {
  it('is written as it was added', async () => {
    const repo = await repoOf(layout)

    expect(await get(repo, await add(repo))).toEqual(await contents(source))
  })
})
