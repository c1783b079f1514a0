import { MemoryBlockstore } from 'blockstore-core'
import { exporter } from 'ipfs-unixfs-exporter'
import { importer } from 'ipfs-unixfs-importer'
import { describe, expect, it } from 'vitest'
import { mended } from './installed.ts'
import type { ImportCandidate, ImporterOptions, ImportResult } from 'ipfs-unixfs-importer'
import type { CID } from 'multiformats/cid'

const OURS = 'packages/core/src/directory/tree-builder.ts'

interface Imported {
  blockstore: MemoryBlockstore
  results: ImportResult[]
}

async function importAll (files: readonly ImportCandidate[], options: ImporterOptions): Promise<Imported> {
  const blockstore = new MemoryBlockstore()
  const results: ImportResult[] = []

  for await (const result of importer(files, blockstore, { wrapWithDirectory: true, ...options })) {
    results.push(result)
  }

  return { blockstore, results }
}

/** The paths of all files below a root. */
async function paths (blockstore: MemoryBlockstore, root: CID, prefix = ''): Promise<string[]> {
  const found: string[] = []
  const directory = await exporter(root, blockstore)

  if (directory.type !== 'directory') {
    return [prefix]
  }

  for await (const { name, cid } of directory.entries()) {
    found.push(...await paths(blockstore, cid, `${prefix}/${name}`))
  }

  return found
}

describe('ipfs-unixfs-importer', () => {
  it('loses entries when a directory becomes sharded and a subdirectory of it grows later', async () => {
    const names = ['sub/first', ...Array.from({ length: 20 }, (_, i) => `file-${i}`), 'sub/second', 'last']
    const files = names.map(path => ({ path, content: new Uint8Array([1]) }))
    const { blockstore, results } = await importAll(files, { shardSplitThresholdBytes: 400 })
    const found = await paths(blockstore, results[results.length - 1].cid)

    expect(found.length, mended('ipfs-unixfs-importer', OURS)).toBeLessThan(names.length)
  })

  it('overflows the stack with directories nested 5,000 levels deep', { tags: 'slow' }, async () => {
    const path = `${'d/'.repeat(5000)}file`

    await expect(importAll([{ path, content: new Uint8Array([1]) }], {}), mended('ipfs-unixfs-importer', OURS))
      .rejects.toThrow(RangeError)
  })

  it('writes a directory of directories as one block of any length', async () => {
    const names = Array.from({ length: 300 }, (_, i) => String(i).padStart(200, '0'))
    const files = names.map(name => ({ path: `${name}/file`, content: new Uint8Array([1]) }))
    const { blockstore, results } = await importAll(files, { shardSplitThresholdBytes: 1000 })
    const { cid } = results[results.length - 1]
    let length = 0

    for await (const bytes of blockstore.get(cid)) {
      length += bytes.byteLength
    }

    // 300 entries of more than 200 bytes each, though it should be sharded from 1,000 bytes on
    expect(length, mended('ipfs-unixfs-importer', OURS)).toBeGreaterThan(60_000)
  })
})
