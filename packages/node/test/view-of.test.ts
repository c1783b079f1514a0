import { MemoryBlockstore } from 'blockstore-core'
import { describe, expect, it } from 'vitest'
import { viewOf } from '../src/dag/view-of.ts'
import { makeBlock } from './nodes.ts'

describe('a view of a blockstore', () => {
  it('differs only in its own parts', async () => {
    const blockstore = Object.assign(new MemoryBlockstore(), {
      checksBlocks: true,
      freshBlocks: true,
      releasesBlocks: true
    })
    const { cid, bytes } = await makeBlock(1)
    const view = viewOf(blockstore, { has: () => false })

    await view.put(cid, bytes)
    expect(await Array.fromAsync(view.get(cid))).toEqual([bytes])
    expect([view.checksBlocks, view.freshBlocks, view.releasesBlocks]).toEqual([true, true, true])
    expect(await view.has(cid)).toBe(false)
    expect(await viewOf(blockstore, {}).has(cid)).toBe(true)
  })
})
