import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it, vi } from 'vitest'
import { ipfsz, NotFoundError, unmark } from '../src/index.ts'
import { collect, CountingBlockstore, getBlock, leavesOf, noise, stored, text } from './fixtures.ts'
import type { BlockSource, SourceBlock, SourceOptions } from '../src/index.ts'

const MIB = 1024 * 1024
const OTHERS = new Uint8Array([4, 5, 6])

/** A source with the blocks of a store. */
function sourceWith (store: CountingBlockstore, block: Partial<SourceBlock> = {}): BlockSource & { asked: string[] } {
  const asked: string[] = []

  return {
    asked,
    fetch: async cid => {
      asked.push(cid.toString())
      return { bytes: await getBlock(cid, store), ...block }
    }
  }
}

/** A source that never answers. It notes why it was asked no longer. */
function silent (): BlockSource & { reasons: unknown[] } {
  const reasons: unknown[] = []

  return {
    reasons,
    fetch: async (_, { signal }) => new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        reasons.push(signal.reason)
        reject(signal.reason)
      }, { once: true })
    })
  }
}

const lacking: BlockSource = { fetch: async cid => { throw new NotFoundError(cid) } }

async function blockOf (bytes: Uint8Array): Promise<CID> {
  return CID.createV1(raw.code, await sha256.digest(bytes))
}

describe('the sources of a blockstore', () => {
  it('are asked once for each block that it lacks, with its root, size and place in the file', async () => {
    const { blockstore: others, cid, bytes } = await stored(3_000_000)
    const leaves = await leavesOf(cid, others)
    const blockstore = new CountingBlockstore()
    blockstore.put(unmark(cid), await getBlock(unmark(cid), others))
    const asked: Array<{ cid: CID, options: SourceOptions }> = []
    const source: BlockSource = {
      fetch: async (cid, options) => {
        asked.push({ cid, options })
        return { bytes: await getBlock(cid, others) }
      }
    }
    const files = ipfsz({ blockstore, sources: [source] })

    for (let i = 0; i < 2; i++) {
      expect(Buffer.compare(await collect(files.cat(cid)), bytes)).toBe(0)
    }

    expect(asked.map(({ cid }) => cid.toString())).toEqual(leaves.map(String))
    expect(asked[0].options).toMatchObject({
      root: unmark(cid),
      size: (await getBlock(leaves[0], others)).byteLength,
      part: { file: unmark(cid), start: 0 },
      damaged: false
    })
  })

  it('are told which blocks of a file are here, before they are asked for those behind them', async () => {
    const { blockstore: others, cid, bytes } = await stored(3_000_000)
    const root = unmark(cid)
    const leaves = await leavesOf(cid, others)
    const blockstore = new CountingBlockstore()
    const steps: string[] = []

    for (const here of [root, ...leaves.slice(0, 1)]) {
      blockstore.put(here, await getBlock(here, others))
    }

    const source: BlockSource = {
      async fetch (cid) {
        steps.push(`fetch ${cid}`)
        return { bytes: await getBlock(cid, others) }
      },
      found (cid, { part }) {
        steps.push(`found ${cid} at ${part?.start}`)
      }
    }

    expect(Buffer.compare(await collect(ipfsz({ blockstore, sources: [source] }).cat(cid)), bytes)).toBe(0)
    expect(steps).toEqual([
      `found ${root} at undefined`,
      `found ${leaves[0]} at 0`,
      ...leaves.slice(1).map(leaf => `fetch ${leaf}`)
    ])
  })

  it('learn where the next block of a file is that is here, also if that is found only then', async () => {
    const [others, blockstore] = [new CountingBlockstore(), new CountingBlockstore()]
    const bytes = noise(5 * MIB)
    const cid = await ipfsz({ blockstore: others }).addBytes(bytes, { compression: { codec: 'none' } })
    const leaves = await leavesOf(cid, others)
    const parts: Array<SourceOptions['part']> = []
    const missing = [0, 2]

    for (const here of [cid, ...leaves.filter((_, i) => !missing.includes(i))]) {
      blockstore.put(here, await getBlock(here, others))
    }

    const source: BlockSource = {
      fetch: async (cid, { part }) => {
        parts.push(part)
        return { bytes: await getBlock(cid, others) }
      }
    }
    const files = ipfsz({ blockstore, sources: [source] })

    expect(Buffer.compare(await collect(files.cat(cid)), bytes)).toBe(0)
    expect(parts).toMatchObject(missing.map(i => ({ start: i * MIB, here: (i + 1) * MIB })))

    // what was fetched does not count: no response brings it again
    blockstore.delete(leaves[1])
    expect(Buffer.compare(await collect(files.cat(cid)), bytes)).toBe(0)
    expect(parts[2]).toMatchObject({ start: MIB, here: 3 * MIB })
  })

  it('are asked for a base that a new file is to link to', async () => {
    const { blockstore: others, cid, bytes } = await stored(3_000_000)
    const blockstore = new CountingBlockstore()
    const files = ipfsz({ blockstore, sources: [sourceWith(others)] })
    const next = Buffer.concat([bytes, text(100)])
    const added = await files.addBytes(next, { compression: { codec: 'zstd', base: cid } })

    // without the sources: all of the base is here
    expect(Buffer.compare(await collect(ipfsz({ blockstore }).cat(added)), next)).toBe(0)
    expect((await files.stat(added)).base?.toString()).toBe(unmark(cid).toString())
  })

  it('are asked in order: the next one, if one does not have a block', async () => {
    const { blockstore: others, cid, bytes } = await stored(100_000)
    const source = sourceWith(others)
    const never = vi.fn<BlockSource['fetch']>()
    const files = ipfsz({ blockstore: new CountingBlockstore(), sources: [lacking, source, { fetch: never }] })

    expect(Buffer.compare(await collect(files.cat(cid)), bytes)).toBe(0)
    expect(source.asked.length).toBeGreaterThan(0)
    expect(never).not.toHaveBeenCalled()
  })

  it('are all asked at once, if one does not answer', async () => {
    const { blockstore: others, cid, bytes } = await stored(1000)
    const first = silent()
    const files = ipfsz(
      { blockstore: new CountingBlockstore(), sources: [first, sourceWith(others)] },
      { fetch: { stallTimeout: 20 } }
    )

    expect(Buffer.compare(await collect(files.cat(cid)), bytes)).toBe(0)
    expect(first.reasons).toMatchObject([{ name: 'TimeoutError' }, { name: 'AbortError' }])
  })

  it('are asked for the first block besides one that keeps silent for a second, which then is asked last', async () => {
    const { blockstore: others, cid, bytes } = await stored(3_000_000)
    const first = silent()
    const ask = vi.spyOn(first, 'fetch')
    const files = ipfsz({ blockstore: new CountingBlockstore(), sources: [first, sourceWith(others)] })

    expect(Buffer.compare(await collect(files.cat(cid)), bytes)).toBe(0)
    expect(first.reasons).toMatchObject([{ name: 'AbortError' }])
    expect(ask).toHaveBeenCalledTimes(1)
  })

  it('are asked after the one that sent a block, if they kept silent', async () => {
    const { blockstore: others, cid, bytes } = await stored(3_000_000)
    const blockstore = new CountingBlockstore()
    const first = vi.fn(silent().fetch)
    const files = ipfsz(
      { blockstore, sources: [{ fetch: first }, sourceWith(others)] },
      { fetch: { stallTimeout: 20 } }
    )

    for (let i = 0; i < 2; i++) {
      expect(Buffer.compare(await collect(files.cat(cid)), bytes)).toBe(0)

      for (const { cid } of await Array.fromAsync(blockstore.getAll())) {
        blockstore.delete(cid)
      }
    }

    // the root alone, and once: by itself, and when all are asked
    const asked = first.mock.calls.map(([asked]) => asked.toString())
    expect(asked).toEqual([unmark(cid).toString(), unmark(cid).toString()])
  })

  it('are all asked within the timeout, even if a request may stall for longer', async () => {
    const { blockstore: others, cid, bytes } = await stored(1000)
    const files = ipfsz(
      { blockstore: new CountingBlockstore(), sources: [silent(), sourceWith(others)] },
      { fetch: { stallTimeout: 60_000, timeout: 2000 } }
    )

    expect(Buffer.compare(await collect(files.cat(cid)), bytes)).toBe(0)
  })

  it('end the read with the error of the last one, if one stalls and then none has the block', async () => {
    const { cid } = await stored(1000)
    const fetch = vi.fn(silent().fetch)
      .mockImplementationOnce(silent().fetch)
      .mockImplementation(async cid => { throw new NotFoundError(cid) })
    const failure = Object.assign(new Error('nobody'), { name: 'GatewaysFailedError' })
    const files = ipfsz(
      { blockstore: new CountingBlockstore(), sources: [{ fetch }, { fetch: async () => { throw failure } }] },
      { fetch: { stallTimeout: 20 } }
    )

    await expect(collect(files.cat(cid))).rejects.toBe(failure)
  })

  it('end the read with the error of the last one, if none has the block', async () => {
    const { cid } = await stored(1000)
    const failure = Object.assign(new Error('nobody'), { name: 'GatewaysFailedError' })
    const sources = [lacking, { fetch: async () => { throw failure } }]

    await expect(collect(ipfsz({ blockstore: new CountingBlockstore(), sources }).cat(cid))).rejects.toBe(failure)
  })

  it('end the read with any other error at once', async () => {
    const { cid } = await stored(1000)
    const failure = new Error('no disk')
    const never = vi.fn<BlockSource['fetch']>()
    const sources = [{ fetch: async () => { throw failure } }, { fetch: never }]

    await expect(collect(ipfsz({ blockstore: new CountingBlockstore(), sources }).cat(cid))).rejects.toBe(failure)
    expect(never).not.toHaveBeenCalled()
  })

  it('learn that a block was given up, which is after the timeout, and say how many peers there were', async () => {
    const { cid } = await stored(1000)
    const gaveUp = vi.fn(async () => 2)
    const files = ipfsz(
      { blockstore: new CountingBlockstore(), sources: [silent(), { ...silent(), gaveUp }] },
      { fetch: { stallTimeout: 10_000, timeout: 50 } }
    )

    await expect(collect(files.cat(cid)))
      .rejects.toMatchObject({ name: 'FetchStalledError', time: 50, providers: 2, cause: { name: 'TimeoutError' } })
    expect(gaveUp.mock.calls).toEqual([[unmark(cid), 50]])
  })

  it('tell what gateways said before the block was given up', async () => {
    const { cid } = await stored(1000)
    const failure = new Error('the gateway cut its response')
    const files = ipfsz(
      { blockstore: new CountingBlockstore(), sources: [{ ...silent(), failures: () => [failure] }, silent()] },
      { fetch: { stallTimeout: 10_000, timeout: 50 } }
    )

    await expect(collect(files.cat(cid))).rejects.toMatchObject({
      name: 'FetchStalledError', failures: [failure], message: expect.stringContaining(failure.message) as string
    })
  })

  it('are not asked by a call that is offline', async () => {
    const { blockstore: others, cid } = await stored(1000)
    const source = sourceWith(others)
    const files = ipfsz({ blockstore: new CountingBlockstore(), sources: [source] })

    await expect(collect(files.cat(cid, { offline: true })))
      .rejects.toMatchObject({ name: 'BlockNotFoundWhileOfflineError', cause: { name: 'NotFoundError' } })
    expect(source.asked).toEqual([])
  })

  it('are not asked for the empty block, which is stored', async () => {
    const empty = await blockOf(new Uint8Array(0))
    const blockstore = new CountingBlockstore()
    const fetch = vi.fn<BlockSource['fetch']>()

    expect(await collect(ipfsz({ blockstore, sources: [{ fetch }] }).cat(empty))).toHaveLength(0)
    expect(fetch).not.toHaveBeenCalled()
    expect(blockstore.puts).toEqual([empty.toString()])
  })
})

describe('a block of a source', () => {
  it('is stored, unless the source stored it', async () => {
    const { blockstore: others, cid } = await stored(1000)

    for (const isStored of [false, true]) {
      const blockstore = new CountingBlockstore()
      await collect(ipfsz({ blockstore, sources: [sourceWith(others, { stored: isStored })] }).cat(cid))

      expect(blockstore.puts).toEqual(isStored ? [] : [unmark(cid).toString()])
    }
  })

  it('is stored once for those who want it at the same time', async () => {
    const { blockstore: others, cid } = await stored(1000)
    const blockstore = new CountingBlockstore()
    const blocks = ipfsz({ blockstore, sources: [sourceWith(others)] }).blocks(cid)

    await Promise.all([1, 2, 3].map(async () => collect(blocks.get(unmark(cid)))))

    expect(blockstore.puts).toEqual([unmark(cid).toString()])
  })

  it('is compared with its CID, and not stored if it is wrong', async () => {
    const cid = await blockOf(new Uint8Array([1, 2, 3]))
    const blockstore = new CountingBlockstore()
    const sources = [{ fetch: async () => ({ bytes: OTHERS }) }]

    await expect(collect(ipfsz({ blockstore, sources }).cat(cid))).rejects.toMatchObject({ name: 'CorruptBlockError' })
    expect(blockstore.puts).toEqual([])
  })

  it('is believed if the source has compared it', async () => {
    const cid = await blockOf(new Uint8Array([1, 2, 3]))
    const sources = [{ fetch: async () => ({ bytes: OTHERS, verified: true }) }]

    const files = ipfsz({ blockstore: new CountingBlockstore(), sources })

    expect(await collect(files.cat(cid))).toEqual(Buffer.from(OTHERS))
  })

  it('replaces a damaged one', async () => {
    const { blockstore: others, cid, bytes } = await stored(1000)
    const blockstore = new CountingBlockstore()
    blockstore.put(unmark(cid), OTHERS)
    const damaged: unknown[] = []
    const source: BlockSource = {
      fetch: async (cid, options) => {
        damaged.push(options.damaged)
        return { bytes: await getBlock(cid, others) }
      }
    }

    expect(Buffer.compare(await collect(ipfsz({ blockstore, sources: [source] }).cat(cid)), bytes)).toBe(0)
    expect(damaged).toEqual([true])
    expect(Buffer.compare(await collect(ipfsz({ blockstore }).cat(cid)), bytes)).toBe(0)
  })

  it('is reported as damaged, with the reason, if no source has a good one', async () => {
    const { cid } = await stored(1000)
    const blockstore = new CountingBlockstore()
    blockstore.put(unmark(cid), OTHERS)

    await expect(collect(ipfsz({ blockstore, sources: [lacking] }).cat(cid)))
      .rejects.toMatchObject({ name: 'CorruptBlockError', cid: unmark(cid), cause: { name: 'NotFoundError' } })
  })
})

describe('the blocks below a root', () => {
  it('are read as the verbs read them', async () => {
    const { blockstore: others, cid } = await stored(1000)
    const roots: CID[] = []
    const source: BlockSource = {
      fetch: async (cid, { root }) => {
        roots.push(root)
        return { bytes: await getBlock(cid, others) }
      }
    }
    const blocks = ipfsz({ blockstore: new CountingBlockstore(), sources: [source] }).blocks(cid)

    expect(await blocks.has(unmark(cid))).toBe(false)
    await expect(collect(blocks.get(unmark(cid), { offline: true })))
      .rejects.toMatchObject({ name: 'BlockNotFoundWhileOfflineError' })
    expect(await collect(blocks.get(unmark(cid)))).toEqual(await getBlock(unmark(cid), others))
    expect(await blocks.has(unmark(cid))).toBe(true)
    expect(roots).toEqual([unmark(cid)])
  })

  it('are refused if they are missing or damaged, and there are no sources', async () => {
    const { cid } = await stored(1000)
    const blockstore = new CountingBlockstore()
    const blocks = ipfsz({ blockstore }).blocks(cid)

    await expect(collect(blocks.get(unmark(cid)))).rejects.toMatchObject({ name: 'NotFoundError' })
    blockstore.put(unmark(cid), OTHERS)
    await expect(collect(blocks.get(unmark(cid)))).rejects.toMatchObject({ name: 'CorruptBlockError' })
  })
})
