import { describe, expect, it } from 'vitest'
import { ipfsz, unmark } from '../src/index.ts'
import { collect, CountingBlockstore, text } from './fixtures.ts'

describe('blocks', () => {
  it('are read until the signal that they were asked for with aborts', async () => {
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    const cid = unmark(await fs.addBytes(text(1000)))
    const ended = new AbortController()
    const blocks = fs.blocks(cid, { signal: ended.signal })

    expect((await collect(blocks.get(cid))).byteLength).toBeGreaterThan(0)
    expect(await blocks.has(cid)).toBe(true)
    ended.abort()
    await expect(collect(blocks.get(cid))).rejects.toMatchObject({ name: 'AbortError' })
    await expect(blocks.has(cid)).rejects.toMatchObject({ name: 'AbortError' })
    // a call may have another one
    expect(await blocks.has(cid, { signal: new AbortController().signal })).toBe(true)
  })
})
