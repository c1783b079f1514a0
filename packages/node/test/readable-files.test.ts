/** @module-tag long */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ipfsz, readableWith } from '@ipfsz/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { initRepo } from '../src/init/index.ts'
import { openRepoToRead } from '../src/repo/repo.ts'
import { addPaths, makeTree } from './add-trees.ts'
import type { AddedPaths } from './add-trees.ts'
import type { AddSourcesOptions } from '../src/add/index.ts'

let directory: string
let tree: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ipfsz-readable-'))
  tree = join(directory, 'tree')
  await makeTree(tree, { files: 140 })
})

afterAll(async () => {
  await rm(directory, { recursive: true })
})

const OPTIONS: Record<string, AddSourcesOptions> = {
  'worker threads': { threads: 2 },
  'no threads': { threads: 0 },
  'no filters': { compression: { filters: false } },
  'no compression': { compression: { codec: 'none' } },
  'codec auto': { compression: { codec: 'auto' } },
  'Brotli in one frame and in several': { compression: { codec: 'brotli', level: 4, frameSize: 65_536 } },
  'dictionaries': { compression: { dictionaries: 'auto' } },
  'links': { link: true }
}

/** What stat says of each file of an added tree, counted. */
async function countFiles (repo: string, { roots: [root], entries }: AddedPaths): Promise<void> {
  const { blockstore, close } = await openRepoToRead(repo)
  const fs = ipfsz({ blockstore })
  const content = { files: 0, compressed: 0, readableWith: {} as Record<string, number>, onlyIpfsz: 0 }

  for (const { cid, type, readableWith: told } of entries.filter(({ type }) => type === 'file')) {
    const stats = await fs.stat(cid)
    const tool = readableWith(stats)
    expect([type, told]).toEqual(['file', tool])
    content.files++
    content.compressed += stats.codec === 'none' ? 0 : 1
    content.onlyIpfsz += stats.codec !== 'none' && tool == null ? 1 : 0

    if (tool != null) {
      content.readableWith[tool] = (content.readableWith[tool] ?? 0) + 1
    }
  }

  await close()
  expect(root.content).toEqual(content)
}

async function makeRepo (): Promise<string> {
  const repo = await mkdtemp(join(directory, 'repo-'))
  await initRepo({ repo, bootstrap: [], signal: new AbortController().signal }, { layout: 'packs' })

  return repo
}

describe('the files that others can read, of an added tree, are those that stat says', () => {
  it.each(Object.entries(OPTIONS))('with %s', async (_, options) => {
    const repo = await makeRepo()
    const added = await addPaths(repo, [tree], { ...options, sync: false })

    await countFiles(repo, added)
  })

  it('with an earlier version, of which most files did not change', async () => {
    const repo = await makeRepo()
    const { roots: [{ cid }] } = await addPaths(repo, [tree])
    const large = join(tree, 'many.large')
    const content = await readFile(large)
    await writeFile(large, Buffer.concat([Buffer.from('changed'), content]))
    const added = await addPaths(repo, [tree], { base: { cid, path: '' } })
    await writeFile(large, content)

    await countFiles(repo, added)
    expect(added.roots[0].content?.onlyIpfsz).toBeGreaterThan(0)
    expect(added.roots[0].content?.readableWith).not.toEqual({})
  })
})
