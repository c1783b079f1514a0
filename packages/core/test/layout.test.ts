import { describe, expect, it } from 'vitest'
import { ipfsz } from '../src/index.ts'
import { collect, CountingBlockstore, getBlock, leavesOf, noise, text } from './fixtures.ts'
import type { CompressionOptions } from '../src/index.ts'
import type { CID } from 'multiformats/cid'

const KIB = 1024
const MIB = 1024 * KIB

/** A file that begins as SQLite databases do. */
function database (length: number): Uint8Array {
  const bytes = text(length)
  bytes.set(new TextEncoder().encode('SQLite format 3\0'))
  bytes.fill(0, 16, 32)

  return bytes
}

async function add (
  bytes: Uint8Array,
  compression: CompressionOptions
): Promise<{ cid: CID, blockstore: CountingBlockstore, frameSize: number | undefined, leaves: number[] }> {
  const blockstore = new CountingBlockstore()
  const fs = ipfsz({ blockstore }, { deterministic: true })
  const cid = await fs.addBytes(bytes, { compression })
  const { frameSize } = await fs.stat(cid)
  const leaves = await Promise.all((await leavesOf(cid, blockstore))
    .map(async leaf => (await getBlock(leaf, blockstore)).byteLength))

  return { cid, blockstore, frameSize, leaves }
}

describe('a file that is optimized for ranges', () => {
  it.each(['zstd', 'lz4', 'auto'] as const)('has small frames in small blocks, with codec %s', async codec => {
    const bytes = text(2 * MIB + 1)
    const { cid, blockstore, frameSize, leaves } = await add(bytes, { codec, optimize: 'ranges' })

    expect(frameSize).toBe(64 * KIB)
    expect(leaves.length).toBeGreaterThan(10)
    expect(Math.max(...leaves)).toBeLessThanOrEqual(64 * KIB)
    expect(Buffer.compare(await collect(ipfsz({ blockstore }).cat(cid)), bytes)).toBe(0)
  })

  it('is read in part with its root and one small block', async () => {
    const bytes = text(2 * MIB)
    const { cid, blockstore } = await add(bytes, { optimize: 'ranges' })
    blockstore.gets.length = 0
    const part = await collect(ipfsz({ blockstore }).cat(cid, { offset: 1_900_000, length: 4096 }))

    expect(Buffer.compare(part, bytes.subarray(1_900_000, 1_904_096))).toBe(0)
    expect(blockstore.gets).toHaveLength(2)
  })

  it('has the frames and blocks that are asked for', async () => {
    const { frameSize, leaves } = await add(text(1.5 * MIB), {
      optimize: 'ranges',
      frameSize: 256 * KIB,
      leafSize: 1
    })

    expect(frameSize).toBe(256 * KIB)
    // the seek table has a leaf of its own too
    expect(leaves).toHaveLength(6 + 1)
  })

  it('is the same if it is one of several files, and comes in small chunks', async () => {
    const bytes = text(MIB + 5)
    const { cid } = await add(bytes, { optimize: 'ranges' })
    const fs = ipfsz({ blockstore: new CountingBlockstore() }, { deterministic: true })
    const content = Array.from({ length: Math.ceil(bytes.byteLength / 1000) }, (_, i) => (
      bytes.subarray(i * 1000, (i + 1) * 1000)
    ))
    const added = await Array.fromAsync(fs.addAll([{ path: 'a', content }, { path: 'b', content: bytes }], {
      compression: { optimize: 'ranges' }
    }))

    expect(added.map(({ cid }) => cid.toString())).toEqual([cid.toString(), cid.toString()])
  })

  it('is compressed if its first MiB shrinks, and stored plain if that does not', async () => {
    const mixed = text(2 * MIB)
    mixed.set(noise(64 * KIB))
    expect((await add(mixed, { optimize: 'ranges' })).frameSize).toBe(64 * KIB)

    const compressed = noise(2 * MIB)
    compressed.set(text(32 * KIB))
    const fs = ipfsz({ blockstore: new CountingBlockstore() })
    expect(await fs.stat(await fs.addBytes(compressed, { compression: { optimize: 'ranges' } })))
      .toMatchObject({ codec: 'none' })
  })
})

describe('a SQLite database', () => {
  it('is optimized for ranges by auto, and keeps its CID', { tags: 'slow' }, async () => {
    const bytes = database(1_500_000)
    const auto = await add(bytes, { codec: 'auto' })
    const asked = await add(bytes, { codec: 'auto', optimize: 'ranges' })

    expect(auto.cid.toString()).toBe(asked.cid.toString())
    expect(auto.cid.toString()).toBe('bagc3j7ibciqlakdvqg5opa2iq7apd4n4ohqilpj7ruaw36admpfh5kj5wq3rvmi')
  })

  it.each<[string, CompressionOptions]>([
    ['auto minimizes the stored bytes', { codec: 'auto', optimize: 'size' }],
    ['a codec is named', { codec: 'zstd' }]
  ])('has frames of 4 MiB if %s', { tags: 'slow' }, async (_, compression) => {
    expect((await add(database(30_000), compression)).frameSize).toBe(4 * MIB)
  })

  it('has the frames that are asked for', async () => {
    expect((await add(database(30_000), { codec: 'auto', frameSize: MIB })).frameSize).toBe(MIB)
  })

  it('is cut as Parquet is', async () => {
    const bytes = text(30_000)
    bytes.set(new TextEncoder().encode('PAR1'))
    expect((await add(bytes, { codec: 'auto' })).frameSize).toBe(64 * KIB)
  })

  it('is told by all of its first bytes', async () => {
    const bytes = database(30_000)
    bytes[15] = 1
    expect((await add(bytes, { codec: 'auto' })).frameSize).toBe(4 * MIB)
  })
})
