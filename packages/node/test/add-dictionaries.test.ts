import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ipfsz } from '@ipfsz/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { initRepo } from '../src/init/index.ts'
import { openRepoToRead } from '../src/repo/repo.ts'
import { addPaths } from './add-trees.ts'
import type { AddedEntry, AddedRoot, AddSourcesOptions } from '../src/add/index.ts'

const DICTIONARIES: AddSourcesOptions = { compression: { dictionaries: 'auto' } }

let directory: string
let tree: string
let repos = 0
const contents = new Map<string, Buffer>()

async function makeRepo (): Promise<string> {
  const repo = join(directory, `repo-${repos++}`)
  await initRepo({ repo, bootstrap: [], signal: new AbortController().signal }, { layout: 'packs' })

  return repo
}

/** Words that all files of a kind begin with, and some of their own. */
function page (kind: string, i: number): Buffer {
  const shared = Array.from({ length: 60 }, (_, at) => `${kind} ${Math.imul(at + 1, 0x9e3779b1) >>> 7}`).join(' ')
  const own = Array.from({ length: 20 + i }, (_, at) => Math.imul(i * 1000 + at + 1, 0x85ebca6b) >>> 3).join(' ')

  return Buffer.from(`${shared} ${own}`)
}

function shown ({ cid, plainCid, ...entry }: AddedEntry | AddedRoot): unknown {
  return { ...entry, known: undefined, cid: String(cid), plainCid: String(plainCid) }
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ipfsz-dictionaries-'))
  tree = join(directory, 'tree')

  for (const [sub, kind] of [['', 'html'], ['a', 'json'], ['a/b', 'html'], ['c', 'html'], ['c', 'json']]) {
    for (let i = 0; i < 12; i++) {
      contents.set(join(sub, `${kind}-${i}.${kind}`), page(kind, i))
    }
  }

  contents.set('a/b/large.html', Buffer.alloc(1_200_000, page('html', 50)))
  contents.set('a/b/middle.html', Buffer.alloc(700_000, page('html', 51)))
  contents.set('a/b/picture.html', Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), page('html', 52)]))
  contents.set('a/empty.html', Buffer.alloc(0))
  contents.set('c/tiny.html', Buffer.from('tiny'))

  for (const [path, content] of contents) {
    await mkdir(join(tree, path, '..'), { recursive: true })
    await writeFile(join(tree, path), content)
  }

  await symlink('html-0.html', join(tree, 'c/link'))
})

afterAll(async () => {
  await rm(directory, { recursive: true })
})

describe('adding a tree with dictionaries in worker threads', () => {
  it('gives what adding it without threads gives, where dictionaries save something', async () => {
    const [repo, twin] = [await makeRepo(), await makeRepo()]
    const added = await addPaths(repo, [tree], { ...DICTIONARIES, threads: 2 })
    const slow = await addPaths(twin, [tree], { ...DICTIONARIES, threads: 0 })
    const without = await addPaths(await makeRepo(), [tree], { threads: 2 })

    expect(added.roots.map(shown)).toEqual(slow.roots.map(shown))
    expect(added.entries.map(shown)).toEqual(slow.entries.map(shown))
    expect(added.roots[0].storedSize).toBeLessThan(without.roots[0].storedSize)
  })

  for (const [name, compression] of Object.entries({
    'small frames': { frameSize: 65_536 },
    'a level': { level: 3 },
    'no detection': { detect: false }
  })) {
    it(`gives the same with ${name}`, async () => {
      const options: AddSourcesOptions = { compression: { dictionaries: 'auto', codec: 'zstd', ...compression } }
      const added = await addPaths(await makeRepo(), [tree], { ...options, threads: 2 })
      const slow = await addPaths(await makeRepo(), [tree], { ...options, threads: 0 })

      expect(added.entries.map(shown)).toEqual(slow.entries.map(shown))
      expect(added.roots.map(shown)).toEqual(slow.roots.map(shown))
    })
  }

  for (const threads of [0, 2]) {
    it(`loses no file, with ${threads} threads`, async () => {
      const repo = await makeRepo()
      const { roots: [{ cid }] } = await addPaths(repo, [tree], { ...DICTIONARIES, threads })
      const opened = await openRepoToRead(repo)
      const files = ipfsz(opened)

      for (const [path, content] of contents) {
        expect(Buffer.concat(await Array.fromAsync(files.cat(cid, { path }))).equals(content), path).toBe(true)
      }

      expect((await files.stat(cid, { path: 'c/html-1.html' })).base).toBeDefined()
      await opened.close()
    })
  }
})
