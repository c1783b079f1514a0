import { describe, expect, it } from 'vitest'
import { UsageMeter } from '../src/dag/usage.ts'
import { Trees } from './trees.ts'

const { signal } = new AbortController()

describe('UsageMeter', () => {
  it('counts the blocks of a tree with 2^60 paths once', async () => {
    const trees = new Trees()
    const root = await trees.doubled('12345', 60)
    const meter = new UsageMeter({ blockstore: trees.blockstore, files: trees.files, signal })

    // the leaf has as many bytes as the link to it states
    await expect(meter.add(root)).resolves.toMatchObject({ blocks: 61, size: 10 })
    await expect(meter.add(root)).resolves.toEqual({ blocks: 0, size: 0, storedSize: 0, unknownSizes: 0 })
  })

  it('measures directories that are 10,000 levels deep', { tags: 'slow' }, async () => {
    const trees = new Trees()
    let root = await trees.directory({})

    for (let level = 1; level < 10_000; level++) {
      root = await trees.directory({ a: root })
    }

    const meter = new UsageMeter({ blockstore: trees.blockstore, files: trees.files, signal })

    await expect(meter.add(root)).resolves.toMatchObject({ blocks: 10_000, size: 0 })
  })

  it('refuses a tree with a missing directory', async () => {
    const trees = new Trees()
    const lost = await trees.directory({})
    const root = await trees.directory({ lost })
    await trees.blockstore.delete(lost)
    const meter = new UsageMeter({ blockstore: trees.blockstore, files: trees.files, signal })

    await expect(meter.add(root)).rejects.toMatchObject({ name: 'DamagedDagError' })
  })

  it('measures a raw block, and lists no entries of it', async () => {
    const trees = new Trees()
    const file = await trees.file('12345')
    const meter = new UsageMeter({ blockstore: trees.blockstore, files: trees.files, signal })

    await expect(meter.list(file)).resolves.toBeUndefined()
    await expect(meter.add(file)).resolves.toEqual({ blocks: 1, size: 5, storedSize: 5, unknownSizes: 0 })
  })
})
