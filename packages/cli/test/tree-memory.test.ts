/** @module-tag slow */
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/** Of 12,000 entries as `ls` gives them, 2 KiB each here, far more than one heap of this size holds. */
const COUNT = 12_000
const HEAP_MB = 16

/** Writes and measures a directory of so many entries, in a heap that has no room for them. */
const PROGRAM = `
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { workerData } from 'node:worker_threads'
const { src, target, what, count } = workerData
const load = name => import(pathToFileURL(createRequire(src).resolve(name)).href)
const { measureTree } = await import(src + 'disk/measure-tree.ts')
const { writeTree } = await import(src + 'disk/write-tree.ts')
const { SpillStack } = await import(src + 'disk/spill-stack.ts')
const { WriteLimits } = await import(src + 'disk/write-limits.ts')
const { CID } = await load('multiformats/cid')
const { UnixFS } = await load('ipfs-unixfs')
const { create } = await load('multiformats/hashes/digest')
const cidOf = i => {
  const bytes = new Uint8Array(32)
  new DataView(bytes.buffer).setUint32(0, i)
  return CID.createV1(0x70, create(0x12, bytes))
}
const root = cidOf(0)
const files = {
  async * ls (cid) {
    for (let i = 1; cid.equals(root) && i <= count; i++) {
      const cid = cidOf(i)
      const unixfs = new UnixFS({
        type: what,
        ...what === 'symlink' ? { data: new TextEncoder().encode('to/' + i) } : {}
      })
      yield {
        name: 'entry ' + i,
        cid,
        plainCid: cid,
        type: what === 'symlink' ? 'file' : 'directory',
        size: 0n,
        unixfs,
        rest: Array.from({ length: 256 }, (_, j) => i + j + 0.5)
      }
    }
  }
}
const limits = new WriteLimits(target)
const progress = { update () {}, end () {} }
const { signal } = new AbortController()
const stack = name => new SpillStack(target + name)
const stacks = { directories: stack('.d'), symlinks: stack('.s') }
await measureTree(target, root, { files, limits, directories: stack('.m'), progress, signal })
await writeTree(target, { cid: root }, { files, limits, progress, signal, allowSymlinks: false, waiting: stacks })
`

describe('a directory of very many', () => {
  let directory: string

  beforeEach(async () => { directory = await mkdtemp(join(tmpdir(), 'ipfsz-many-')) })
  afterEach(async () => rm(directory, { recursive: true }))

  it('symlinks is written in a heap that has no room for their entries', async () => {
    const what = 'symlink'
    const target = join(directory, 'out')
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(PROGRAM)}`), {
      eval: false,
      workerData: { src: new URL('../src/', import.meta.url).href, target, what, count: COUNT },
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB }
    })

    expect(await once(worker, 'exit')).toEqual([0])
    expect((await readdir(target)).length).toBe(COUNT)
  })
})
