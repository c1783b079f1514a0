import { randomBytes } from 'node:crypto'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { sleep } from '../src/clock.ts'
import { PackStorage } from '../src/packs/pack-storage.ts'
import { StoreSession } from '../src/sessions/store-session.ts'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { MemoryObjects } from '../../../test/support/memory-objects.ts'

interface Block {
  cid: CID
  bytes: Uint8Array
}

const PACK = 100_000
/** Milliseconds that it takes to make a block, and to send a pack. */
const MAKING = 30
const SENDING = 200

async function noise (count: number): Promise<Block[]> {
  return Promise.all(Array.from({ length: count }, async () => {
    const bytes = new Uint8Array(randomBytes(PACK / 10))

    return { cid: CID.createV1(raw.code, await sha256.digest(bytes)), bytes }
  }))
}

/** Nodes that add blocks, each after a while. @returns the bytes of all packs, and when each has ended */
async function addAll (
  nodes: ReadonlyArray<{ blocks: readonly Block[], after?: number, dies?: boolean }>
): Promise<{ bytes: number, ends: number[], lists: number }> {
  const clock = new ManualClock()
  let lists = 0
  const objects = new MemoryObjects({
    before: async ({ kind, key }) => {
      lists += kind === 'list' && key === 'packs/' ? 1 : 0
      await (kind === 'put' && key.startsWith('packs/') ? sleep(clock, SENDING) : undefined)
    }
  })
  const ends: number[] = []

  const add = async ({ blocks, after = 0, dies }: typeof nodes[number]): Promise<void> => {
    await sleep(clock, after)
    const storage = new PackStorage({ objects, clock, packSize: PACK, compress: bytes => bytes })
    const session = await StoreSession.open(objects, { leaseTimeout: 60_000, command: 'add', clock })
    const packs = storage.forSession(session)

    for (const { cid, bytes } of blocks) {
      await sleep(clock, MAKING)
      await packs.put(cid, bytes)
    }

    if (dies !== true) {
      await storage.sync()
      await session.end()
    }

    ends.push(clock.now())
  }

  const all = Promise.all(nodes.map(add))
  await Promise.race([all, (async () => {
    for (let i = 0; i < 1000 && ends.length < nodes.length; i++) {
      await clock.pass(100)
    }
  })()])
  await all

  return {
    bytes: Array.from(objects.objects).filter(([key]) => key.startsWith('packs/'))
      .reduce((sum, [, { bytes }]) => sum + bytes.byteLength, 0),
    ends,
    lists
  }
}

describe('nodes that add at the same time', () => {
  it.each([
    ['many packs', 105, 0],
    ['many packs, one a moment later', 105, 100],
    ['less than a pack', 5, 0]
  ])('store the same once: %s', async (_, count, after) => {
    const blocks = await noise(count)
    const one = await addAll([{ blocks }])
    const three = await addAll([{ blocks }, { blocks, after }, { blocks, after: 2 * after }])

    expect(three.bytes).toBeLessThan(1.05 * one.bytes)
    // some wait
    expect(Math.max(...three.ends)).toBeLessThan(one.ends[0] + 2 * after + 2500)
  })

  it('store something else each, one of them two seconds later', async () => {
    const [blocks, others] = [await noise(105), await noise(105)]
    const one = await addAll([{ blocks }])
    const two = await addAll([{ blocks }, { blocks: others }])

    expect(two.bytes).toBeGreaterThan(1.95 * one.bytes)
    expect(Math.max(...two.ends)).toBeLessThan(one.ends[0] + SENDING + 2100)
  })

  it('store the rest themselves if the other one dies', async () => {
    const blocks = await noise(105)
    const one = await addAll([{ blocks }])
    // whichever has the smaller ID
    const two = await addAll([{ blocks: blocks.slice(0, 55), dies: true }, { blocks }])

    expect(two.bytes).toBeGreaterThanOrEqual(one.bytes)
    expect(Math.max(...two.ends)).toBeLessThan(one.ends[0] + 11_500)
  })
})
