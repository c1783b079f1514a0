import { MemoryBlockstore } from 'blockstore-core'
import { describe, expect, it } from 'vitest'
import { noise, text } from '../../../test/support/data.ts'
import { CompressedBlockstore } from '../src/index.ts'
import { cidOf, only, readBlock } from './fixtures.ts'
import type { CounterGroup, Metrics } from '@libp2p/interface'

type Counts = Record<string, Record<string, number>>

/** Metrics that record all increments. */
function makeMetrics (): { metrics: Pick<Metrics, 'registerCounterGroup'>, counts: Counts, labels: Set<unknown> } {
  const counts: Counts = {}
  const labels = new Set<unknown>()

  const registerCounterGroup = (name: string, options: { label?: string } = {}): CounterGroup => {
    const group: Record<string, number> = counts[name] = {}
    labels.add(options.label)

    return {
      increment (values) {
        for (const [key, value] of Object.entries(values)) {
          group[key] = (group[key] ?? 0) + (value === true ? 1 : value ?? 0)
        }
      },
      reset () {}
    }
  }

  return { metrics: { registerCounterGroup } as Pick<Metrics, 'registerCounterGroup'>, counts, labels }
}

describe('the metrics of a CompressedBlockstore', () => {
  it('count blocks and bytes by codec, for puts and for gets', async () => {
    const { metrics, counts, labels } = makeMetrics()
    const inner = new MemoryBlockstore()
    const store = new CompressedBlockstore(inner, { metrics })
    const small = await cidOf(noise(100))
    const large = await cidOf(text(10_000))
    await store.put(small, noise(100))
    await Array.fromAsync(store.putMany([{ cid: large, bytes: text(10_000) }, { cid: small, bytes: noise(100) }]))
    await readBlock(store, large)
    await Array.fromAsync(store.getMany([large, small]), async ({ bytes }) => only(bytes))
    await store.getStored(large)
    const stored = (await readBlock(inner, large)).byteLength

    expect(labels).toEqual(new Set(['codec']))
    expect(counts).toEqual({
      ipfsz_blockstore_put_blocks_total: { none: 2, zstd: 1 },
      ipfsz_blockstore_put_bytes_total: { none: 200, zstd: 10_000 },
      ipfsz_blockstore_put_stored_bytes_total: { none: 200, zstd: stored },
      ipfsz_blockstore_get_blocks_total: { none: 1, zstd: 3 },
      ipfsz_blockstore_get_bytes_total: { none: 100, zstd: 30_000 },
      ipfsz_blockstore_get_stored_bytes_total: { none: 100, zstd: 3 * stored }
    })
  })

  it('do not count failed puts and gets', async () => {
    const { metrics, counts } = makeMetrics()
    const store = new CompressedBlockstore(
      Object.assign(new MemoryBlockstore(), { put: async () => { throw new Error('full') } }),
      { metrics }
    )

    await store.put(await cidOf(text(1000)), text(1000)).catch(() => {})
    await readBlock(store, await cidOf(text(1000))).catch(() => {})

    expect(Object.values(counts)).toEqual([{}, {}, {}, {}, {}, {}])
  })
})
