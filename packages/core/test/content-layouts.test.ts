import fc from 'fast-check'
import { importFile } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { balanced } from 'ipfs-unixfs-importer/layout'
import { describe, expect, it } from 'vitest'
import { ContentCid } from '../src/content-cid/content-cid.ts'
import { LAYOUTS } from '../src/content-cid/content-layouts.ts'
import { chunked, CountingBlockstore, noise } from './fixtures.ts'
import type { Layout } from '../src/content-cid/content-layouts.ts'

/** The CID that ipfs-unixfs-importer gives the bytes. */
async function imported (bytes: Uint8Array, { cidVersion, rawLeaves, leafSize, maxLinks }: Layout): Promise<string> {
  const { cid } = await importFile({ content: bytes }, new CountingBlockstore(), {
    cidVersion,
    rawLeaves,
    chunker: fixedSize({ chunkSize: leafSize }),
    layout: balanced({ maxChildrenPerNode: maxLinks })
  })

  return cid.toString()
}

async function found (bytes: Uint8Array, chunk: number, layouts: readonly Layout[]): Promise<string[]> {
  const content = new ContentCid({}, layouts)

  for await (const piece of chunked(bytes, chunk)) {
    await content.update(piece)
  }

  return (await content.digests()).map(String)
}

describe('ContentCid with several layouts', () => {
  const sizes = [0, 1, 256 * 1024, 256 * 1024 + 1, 1024 * 1024, 1024 * 1024 + 1, 3_000_000]

  it.each(sizes)('gives %d bytes the same CIDs as ipfs-unixfs-importer', async (size) => {
    const bytes = noise(size)

    expect(await found(bytes, 100_000, LAYOUTS)).toEqual(
      await Promise.all(LAYOUTS.map(async layout => imported(bytes, layout)))
    )
  })

  it('matches ipfs-unixfs-importer for DAGs of any depth, however the bytes are chunked', {
    tags: 'slow'
  }, async () => {
    const layout = fc.record({
      name: fc.constant(''),
      cidVersion: fc.constantFrom(0 as const, 1 as const),
      rawLeaves: fc.boolean(),
      leafSize: fc.integer({ min: 1, max: 9 }),
      maxLinks: fc.integer({ min: 2, max: 5 })
    })

    await fc.assert(fc.asyncProperty(fc.nat(120), fc.array(
      layout,
      { minLength: 1, maxLength: 4 }
    ), fc.integer({ min: 1, max: 60 }), async (size, layouts, chunk) => {
      const bytes = noise(size, 3)

      expect(await found(bytes, chunk, layouts)).toEqual(
        await Promise.all(layouts.map(async layout => imported(bytes, layout)))
      )
    }), { numRuns: 100 })
  })
})
