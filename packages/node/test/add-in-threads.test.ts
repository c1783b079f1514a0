import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { initRepo } from '../src/init/index.ts'
import { addPaths, makeTree } from './add-trees.ts'
import type { AddedEntry, AddedRoot, AddSourcesOptions } from '../src/add/index.ts'

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
})

afterAll(async () => {
  await rm(directory, { recursive: true })
})

const OPTIONS: Record<string, AddSourcesOptions> = {
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
  'hidden files': { hidden: true },
  'patterns to ignore': { ignore: ['many'] },
  'a wrapper': { wrap: true },
  'only CIDs': { onlyHash: true },
  'no pins': { pin: false },
  'no sync': { sync: false }
}

describe('adding a tree in worker threads', () => {
  for (const [name, options] of Object.entries(OPTIONS)) {
    it(`gives what adding without them gives, with ${name}`, async () => {
      const [repo, twin] = [await makeRepo('packs'), await makeRepo('files')]
      const paths = [join(directory, 'tree')]
      const added = await addPaths(repo, paths, { ...options, threads: 2 })
      const slow = await addPaths(twin, paths, { ...options, threads: 0, sync: false })

      expect(added.roots.map(shown)).to.deep.equal(slow.roots.map(shown))
      expect(added.entries.map(shown)).to.deep.equal(slow.entries.map(shown))
    })
  }
})
