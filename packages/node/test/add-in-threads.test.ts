/** @module-tag long */
import { mkdir, mkdtemp, open, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { unmark } from '@ipfsz/core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { readSmallFiles } from '../src/add/read-small-files.ts'
import { walkDag } from '../src/dag/dag-walk.ts'
import { identityOf } from '../src/disk/file-identity.ts'
import { initRepo } from '../src/init/index.ts'
import { openRepoToRead } from '../src/repo/repo.ts'
import { addPaths, makeTree } from './add-trees.ts'
import type { AddedEntry, AddedRoot, AddSourcesOptions } from '../src/add/index.ts'

const NEVER = new AbortController().signal

let directory: string
let repos = 0

async function makeRepo (layout: 'files' | 'packs'): Promise<string> {
  const repo = join(directory, `repo-${repos++}`)
  await initRepo({ repo, bootstrap: [], signal: new AbortController().signal }, { layout })

  return repo
}

function shown ({ cid, plainCid, ...entry }: AddedEntry | AddedRoot): unknown {
  return { ...entry, known: undefined, cid: String(cid), plainCid: String(plainCid) }
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ipfsz-threads-'))
  await makeTree(join(directory, 'tree'))
  await makeTree(join(directory, 'small/tree'), { large: false })
})

afterAll(async () => {
  await rm(directory, { recursive: true })
})

/** How files are encoded, which differs for large ones. */
const ENCODINGS: Record<string, AddSourcesOptions> = {
  'no options': {},
  'no compression': { compression: { codec: 'none' } },
  'a level': { compression: { codec: 'zstd', level: 9 } },
  'small frames': { compression: { frameSize: 65_536 } },
  'small leaves': { compression: { frameSize: 65_536, leafSize: 4096 } },
  'ranges': { compression: { optimize: 'ranges' } },
  'no filters': { compression: { filters: false } },
  'no detection': { compression: { detect: false } },
  'codec auto': { compression: { codec: 'auto' } },
  'another codec': { compression: { codec: 'gzip' } },
  'cutting by content': { compression: { cut: 'content' } },
  'dictionaries': { compression: { dictionaries: 'auto' } },
  'links': { link: true },
  'the builds of browsers': { deterministic: true },
  'modes and mtimes': { preserve: { mode: true, mtime: true } },
  'only CIDs': { onlyHash: true }
}

/** Which files are added, and what becomes of the root. */
const CHOICES: Record<string, AddSourcesOptions> = {
  'hidden files': { hidden: true },
  'patterns to ignore': { ignore: ['many'] },
  'a wrapper': { wrap: true },
  'no pins': { pin: false },
  'no sync': { sync: false }
}

describe.for([
  ['tree', ENCODINGS],
  ['small/tree', CHOICES]
] as const)('adding the directory %s in worker threads', ([tree, sets]) => {
  it.for(Object.entries(sets))('gives what adding without them gives, with %s', async ([, options]) => {
    const [repo, twin] = [await makeRepo('packs'), await makeRepo('files')]
    const paths = [join(directory, tree)]
    const added = await addPaths(repo, paths, { ...options, threads: 2 })
    const slow = await addPaths(twin, paths, { ...options, threads: 0, sync: false })

    expect(added.roots.map(shown)).to.deep.equal(slow.roots.map(shown))
    expect(added.entries.map(shown)).to.deep.equal(slow.entries.map(shown))
  })
})

describe('worker threads of an add', () => {
  it('store all blocks, in packs and in files', async () => {
    for (const layout of ['packs', 'files'] as const) {
      const repo = await makeRepo(layout)
      const { roots: [{ cid }] } = await addPaths(repo, [join(directory, 'tree')], { threads: 2 })
      const opened = await openRepoToRead(repo)

      for await (const block of walkDag(unmark(cid), opened.blockstore, { signal: NEVER, leaves: 'read' })) {
        expect(block.bytes).not.toBe(undefined)
      }

      await opened.close()
    }
  })

  it('read what is in a file, not what a symlink in its place leads to', async () => {
    const fd = await open(join(directory, 'tree/file 0'))
    const { dev: _, ...stats } = await fd.stat({ bigint: true })
    await fd.close()
    const read = (name: string): ReturnType<typeof readSmallFiles> => readSmallFiles({
      directories: [directory],
      names: [name],
      places: Uint32Array.of(0),
      identities: BigInt64Array.from(identityOf({ ...stats, size: 6n }))
    }, size => Buffer.alloc(size))
    await writeFile(join(directory, 'secret'), 'secret')
    await symlink('secret', join(directory, 'link'))
    await mkdir(join(directory, 'directory'))

    expect(read('secret')).toMatchObject([{ bytes: Buffer.from('secret'), isSame: false }])
    expect(read('link')).toEqual([undefined])
    expect(read('directory')).toEqual([undefined])
    expect(read('missing')).toEqual([undefined])
    expect(read('../../../../../proc/self/status')).toEqual([undefined])
    await writeFile(join(directory, 'secret'), 'it has grown')
    expect(read('secret')).toEqual([undefined])
  })

  it('fail the add if one dies, and the repo can be used', async () => {
    const repo = await makeRepo('packs')
    const broken = vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker) {
      void this.terminate()
    })

    await expect(addPaths(repo, [join(directory, 'small/tree')], { threads: 2 })).rejects.toMatchObject({
      name: 'ThreadFailedError'
    })
    broken.mockRestore()
    expect((await addPaths(repo, [join(directory, 'small/tree')], { threads: 2 })).roots).toHaveLength(1)
  })

  it('end at once when the add is aborted', async () => {
    const repo = await makeRepo('packs')
    const abort = new AbortController()
    // it would wait for an answer that never comes
    const silent = vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(() => {
      abort.abort(new Error('enough'))
    })

    const adding = addPaths(repo, [join(directory, 'small/tree')], { threads: 2 }, abort.signal)
    await expect(adding).rejects.toThrow('enough')
    silent.mockRestore()
  })
})
