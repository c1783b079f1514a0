import { CODES } from '@ipfsz/codecs'
import { codecs } from '@ipfsz/codecs/all'
import { MemoryBlockstore } from 'blockstore-core'
import { describe, expect, it } from 'vitest'
import { noise, text } from '../../../test/support/data.ts'
import { encodeEnvelope } from '../src/value/envelope.ts'
import { CompressedBlockstore, convert, stats } from '../src/index.ts'
import { cidOf, failure, readBlock } from './fixtures.ts'
import type { ConvertOptions, ConvertProgress } from '../src/index.ts'
import type { CodecName } from '@ipfsz/codecs'
import type { CID } from 'multiformats/cid'

const NAMES = Object.keys(codecs) as CodecName[]
const BLOCKS = [text(5000), text(100_000, 2), noise(5000), noise(20), new Uint8Array(0)]

interface Filled {
  inner: MemoryBlockstore
  cids: CID[]
}

async function fill (codec: CodecName | 'none', blocks = BLOCKS): Promise<Filled> {
  const inner = new MemoryBlockstore()
  const store = new CompressedBlockstore(inner, { codec })
  const cids = await Promise.all(blocks.map(cidOf))
  await Promise.all(cids.map(async (cid, i) => store.put(cid, blocks[i])))

  return { inner, cids }
}

async function expectBlocks ({ inner, cids }: Filled, blocks = BLOCKS): Promise<void> {
  for (const [i, cid] of cids.entries()) {
    expect(await readBlock(new CompressedBlockstore(inner), cid)).toEqual(blocks[i])
  }
}

async function convertAndWatch (inner: MemoryBlockstore, options: ConvertOptions): Promise<{
  report: Awaited<ReturnType<typeof convert>>
  events: ConvertProgress[]
}> {
  const events: ConvertProgress[] = []
  const report = await convert(inner, { ...options, onProgress: ({ detail }) => events.push(detail) })

  return { report, events }
}

describe('convert', () => {
  it.each(
    ['none', ...NAMES].flatMap(
      from => ['none', ...NAMES].filter(to => to !== from).map(to => ({ from, to }))
    ) as Array<{ from: CodecName, to: CodecName }>
  )('converts a store from $from to $to without changing any block', { tags: 'slow' }, async ({ from, to }) => {
    const filled = await fill(from)

    const report = await convert(filled.inner, { codec: to })

    expect(report).toMatchObject({ blocks: 5, converted: 2, unchanged: 3, unreadable: 0 })
    expect((await stats(filled.inner)).codecs)
      .toMatchObject(to === 'none' as string ? { none: { blocks: 5 } } : { [to]: { blocks: 2 }, none: { blocks: 3 } })
    await expectBlocks(filled)
  })

  it('removes all envelopes with codec none', async () => {
    const { inner, cids } = await fill('zstd')

    await convert(inner, { codec: 'none' })

    for (const [i, cid] of cids.entries()) {
      expect(await readBlock(inner, cid)).toEqual(BLOCKS[i])
    }
  })

  it('reports each block, and the stored bytes before and after', async () => {
    const { inner, cids } = await fill('none')
    const { report, events } = await convertAndWatch(inner, { codec: 'zstd' })
    const { storedSize } = await stats(inner)

    expect(report)
      .toEqual({ blocks: 5, converted: 2, unchanged: 3, unreadable: 0, storedSizeBefore: 110_020, storedSize })
    expect(events.map(({ outcome, storedAs }) => `${outcome} ${storedAs}`))
      .toEqual(['converted zstd', 'converted zstd', 'unchanged none', 'unchanged none', 'unchanged none'])
    expect(events[0].cid.multihash.bytes).toEqual(cids[0].multihash.bytes)
    expect(events.reduce((total, { storedSize }) => total + storedSize, 0)).toBe(storedSize)
  })

  it('continues after an abort without rewriting finished blocks', async () => {
    const filled = await fill('none', Array.from({ length: 20 }, (_, i) => text(5000, i + 1)))
    const controller = new AbortController()
    const reason = new DOMException('enough', 'AbortError')
    let done = 0
    let written = 0

    expect(await failure(async () => convert(filled.inner, {
      concurrency: 1,
      signal: controller.signal,
      onProgress: () => {
        if (++done === 7) {
          controller.abort(reason)
        }
      }
    }))).toBe(reason)

    const before = (await stats(filled.inner)).codecs.zstd?.blocks ?? 0
    const put = filled.inner.put.bind(filled.inner)
    filled.inner.put = (...args) => {
      written++

      return put(...args)
    }
    const report = await convert(filled.inner)

    expect(before).toBeGreaterThanOrEqual(7)
    expect(report).toMatchObject({ blocks: 20, converted: 20 - before, unchanged: before })
    expect(written).toBe(20 - before)
    await expectBlocks(filled, Array.from({ length: 20 }, (_, i) => text(5000, i + 1)))
  })

  it('recompresses at another level with `again`', async () => {
    const blocks = [text(300_000)]
    const filled = await fill('zstd', blocks)

    expect(await convert(filled.inner, { level: 19 })).toMatchObject({ converted: 0, unchanged: 1 })
    const report = await convert(filled.inner, { level: 19, again: true })

    expect(report).toMatchObject({ converted: 1 })
    expect(report.storedSize).toBeLessThan(report.storedSizeBefore)
    await expectBlocks(filled, blocks)
  })

  it('leaves damaged blocks and unknown codecs unchanged, reports them and continues', async () => {
    const filled = await fill('zstd')
    const [cid] = filled.cids
    const damaged = (await readBlock(filled.inner, cid)).slice()
    damaged[100] ^= 1
    const wrong = await cidOf(Uint8Array.of(1))
    const future = await cidOf(Uint8Array.of(2))
    const value = encodeEnvelope({ code: 0x3f5a08, size: 1, payload: Uint8Array.of(2) })
    await filled.inner.put(cid, damaged)
    await filled.inner.put(wrong, text(1000))
    await filled.inner.put(future, value)

    const { report, events } = await convertAndWatch(filled.inner, { codec: 'gzip' })

    expect(report).toMatchObject({ blocks: 7, converted: 1, unchanged: 3, unreadable: 3 })
    expect(
      events.filter(({ outcome }) => outcome === 'unreadable').map(({ error }) => (error as Error).name).toSorted()
    ).toEqual(['CorruptBlockError', 'CorruptBlockError', 'UnsupportedCodecError'])
    expect(await readBlock(filled.inner, cid)).toEqual(damaged)
    expect(await readBlock(filled.inner, wrong)).toEqual(text(1000))
    expect(await readBlock(filled.inner, future)).toEqual(value)
  })

  it('refuses to write a value that does not decode to the block', async () => {
    const filled = await fill('none')
    // a faulty codec: it makes a valid frame of other bytes
    const lossy = {
      ...codecs.zstd(),
      compress: async (bytes: Uint8Array) => codecs.zstd().compress(bytes.slice().fill(7, 10, 20))
    }

    await expect(convert(filled.inner, { codecs: [lossy] })).rejects.toMatchObject({ name: 'CorruptBlockError' })
    await expectBlocks(filled)
  })

  it('wraps a plain block that begins like an envelope', async () => {
    const bytes = encodeEnvelope({ code: CODES.zstd, size: 10, payload: noise(100) })
    const cid = await cidOf(bytes)
    const inner = new MemoryBlockstore()
    await inner.put(cid, bytes)

    expect(await convert(inner)).toMatchObject({ converted: 1 })
    expect(Buffer.from(await readBlock(inner, cid)).toString('hex').slice(0, 8)).toBe('8fb4fd01')
    expect(await convert(inner)).toMatchObject({ converted: 0, unchanged: 1 })
    await expectBlocks({ inner, cids: [cid] }, [bytes])
  })

  it('unwraps a block that begins like an envelope with codec none, and leaves a plain one unchanged', async () => {
    const bytes = encodeEnvelope({ code: CODES.zstd, size: 10, payload: noise(100) })
    const cid = await cidOf(bytes)
    const inner = new MemoryBlockstore()
    await inner.put(cid, bytes)

    expect(await convert(inner, { codec: 'none' })).toMatchObject({ converted: 0, unchanged: 1 })
    await new CompressedBlockstore(inner, { codec: 'none' }).put(cid, bytes)
    expect(await readBlock(inner, cid)).not.toEqual(bytes)
    expect(await convert(inner, { codec: 'none' })).toMatchObject({ converted: 1, unchanged: 0 })
    expect(await readBlock(inner, cid)).toEqual(bytes)
    await expectBlocks({ inner, cids: [cid] }, [bytes])
  })

  it('skips blocks that are deleted during the conversion', async () => {
    const filled = await fill('none')
    const getAll = filled.inner.getAll.bind(filled.inner)
    filled.inner.getAll = async function * () {
      for await (const { cid } of getAll()) {
        await filled.inner.delete(cid)
        yield { cid, bytes: filled.inner.get(cid) }
      }
    } as typeof getAll

    expect(await convert(filled.inner)).toMatchObject({ blocks: 0 })
  })

  it.each(['put', 'getAll'] as const)('passes on the error of %s, and keeps finished blocks', async method => {
    const filled = await fill('none', Array.from({ length: 10 }, (_, i) => text(5000, i + 1)))
    const err = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    const { inner } = filled
    const put = inner.put.bind(inner)
    const getAll = inner.getAll.bind(inner)
    let count = 0

    if (method === 'put') {
      inner.put = (...args) => {
        if (++count > 4) {
          throw err
        }

        return put(...args)
      }
    } else {
      inner.getAll = async function * () {
        for await (const pair of getAll()) {
          if (++count > 4) {
            throw err
          }

          yield pair
        }
      } as typeof getAll
    }

    expect(await failure(async () => convert(inner))).toBe(err)
    await expectBlocks(filled, Array.from({ length: 10 }, (_, i) => text(5000, i + 1)))
    inner.getAll = getAll
    expect((await stats(filled.inner)).codecs.zstd?.blocks).toBe(4)
  })

  it.each(['an error', 'an abort'])('writes nothing more once it has rejected because of %s', async how => {
    const filled = await fill('none', Array.from({ length: 20 }, (_, i) => text(5000, i + 1)))
    const put = filled.inner.put.bind(filled.inner)
    const controller = new AbortController()
    const others = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    let count = 0
    let running = 0
    filled.inner.put = async (...args) => {
      running++

      try {
        if (++count === 1) {
          await others.promise
          controller.abort(how === 'an abort' ? new DOMException('enough', 'AbortError') : undefined)
          throw new Error('full')
        }

        others.resolve()
        await new Promise(resolve => { setImmediate(resolve) })

        return await put(...args)
      } finally {
        running--
      }
    }

    await failure(async () => convert(filled.inner, how === 'an abort' ? { signal: controller.signal } : {}))
    const [left, writes] = [running, count]
    setImmediate(ended.resolve)
    await ended.promise

    expect({ left, running, writes }).toEqual({ left: 0, running: 0, writes: count })
    await expectBlocks(filled, Array.from({ length: 20 }, (_, i) => text(5000, i + 1)))
  })

  it('refuses a CompressedBlockstore, and a concurrency of 0', async () => {
    const { inner } = await fill('none')

    await expect(convert(new CompressedBlockstore(inner))).rejects.toMatchObject({ name: 'InvalidParametersError' })
    await expect(convert(inner, { concurrency: 0 })).rejects.toMatchObject({ name: 'InvalidParametersError' })
    await expect(stats(new CompressedBlockstore(inner))).rejects.toMatchObject({ name: 'InvalidParametersError' })
  })
})

describe('stats', () => {
  it('counts blocks and bytes by codec', async () => {
    const { inner } = await fill('zstd')
    const brotli = await cidOf(text(9000, 9))
    await new CompressedBlockstore(inner, { codec: 'brotli' }).put(brotli, text(9000, 9))
    const storedSize = async (cid: CID): Promise<number> => (await readBlock(inner, cid)).byteLength
    const sizes = await Promise.all(BLOCKS.slice(0, 2).map(async bytes => storedSize(await cidOf(bytes))))

    const counted = await stats(inner)

    expect(counted).toEqual({
      blocks: 6,
      size: 119_020,
      storedSize: sizes[0] + sizes[1] + await storedSize(brotli) + 5020,
      ratio: counted.storedSize / 119_020,
      unreadable: 0,
      codecs: {
        zstd: { blocks: 2, size: 105_000, storedSize: sizes[0] + sizes[1] },
        brotli: { blocks: 1, size: 9000, storedSize: await storedSize(brotli) },
        none: { blocks: 3, size: 5020, storedSize: 5020 }
      }
    })
  })

  it('reports a ratio of 1 for an empty store', async () => {
    expect(await stats(new MemoryBlockstore()))
      .toEqual({ blocks: 0, size: 0, storedSize: 0, ratio: 1, codecs: {}, unreadable: 0 })
  })

  it('reports progress, and counts unreadable envelopes', async () => {
    const { inner } = await fill('zstd')
    await inner.put(
      await cidOf(Uint8Array.of(2)),
      encodeEnvelope({ code: 0x3f5a08, size: 1, payload: Uint8Array.of(2) })
    )
    const seen: number[] = []

    const { blocks, unreadable } = await stats(inner, { onProgress: ({ detail }) => seen.push(detail.blocks) })

    expect({ blocks, unreadable }).toEqual({ blocks: 5, unreadable: 1 })
    expect(seen).toEqual([1, 2, 3, 4, 5])
  })
})
