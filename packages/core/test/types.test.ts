import { unixfs } from '@helia/unixfs'
import { MemoryBlockstore } from 'blockstore-core'
import { createHeliaLight } from 'helia'
import { describe, expect, it } from 'vitest'
import { ipfsz } from '../src/index.ts'
import { collect, noise } from './fixtures.ts'
import type {
  AddEvents,
  ExtendedFileStats,
  ExtendedDirectoryStats,
  ExtendedRawStats,
  GetEvents,
  UnixFS
} from '@helia/unixfs'

// most of this test is that the file compiles: npm run check

describe('the interface of ipfsz', () => {
  it('has every verb of @helia/unixfs', () => {
    const fs: UnixFS = ipfsz(createHeliaLight())
    const verbs = Object.getOwnPropertyNames(Object.getPrototypeOf(unixfs({ blockstore: new MemoryBlockstore() })))

    for (const verb of verbs) {
      expect(verb in fs, verb).toBe(true)
    }

    expect(verbs.length).toBeGreaterThan(12)
  })

  it('accepts handlers that are typed only for the events of @helia/unixfs', async () => {
    const fs = ipfsz({ blockstore: new MemoryBlockstore() })
    const added: string[] = []
    const read: string[] = []
    const onAdd = (event: AddEvents): void => { added.push(event.type) }
    const onRead = (event: GetEvents): void => { read.push(event.type) }
    const cid = await fs.addBytes(noise(100), { onProgress: onAdd })
    const dir = await fs.cp(cid, await fs.addDirectory({}, { onProgress: onAdd }), 'a')

    await Array.fromAsync(fs.addAll([{ path: 'a', content: noise(100) }], { onProgress: onAdd }))
    await collect(fs.cat(cid, { onProgress: onRead }))
    await Array.fromAsync(fs.ls(dir, { onProgress: onRead }))
    await fs.stat(cid, { onProgress: onRead })
    expect(added).toContain('unixfs:importer:progress:file:layout')
    expect(read).toContain('unixfs:exporter:progress:raw')
    expect(read).toContain('unixfs:exporter:walk:directory')
  })

  it('returns extended statistics with extended: true', async () => {
    const fs = ipfsz({ blockstore: new MemoryBlockstore() })
    const stats: ExtendedFileStats | ExtendedDirectoryStats | ExtendedRawStats = await fs.stat(
      await fs.addBytes(noise(100)),
      { extended: true }
    )
    const { blocks } = stats

    expect(blocks).toBe(1n)
  })
})
