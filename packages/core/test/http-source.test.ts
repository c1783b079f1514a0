/** @module-tag long */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ipfsz, unmark } from '../src/index.ts'
import { CAR_HEADER, encodeCar, encodeSection, startGateway } from './fake-gateway.ts'
import { collect, CountingBlockstore, getBlock, leavesOf, noise, stored } from './fixtures.ts'
import { block, expectSame, plainFile, readerOf } from './gateway-readers.ts'
import { putDirectory } from './trees.ts'
import type { Asked, CarSection, FakeGateway } from './fake-gateway.ts'
import type { File } from './gateway-readers.ts'
import type { FilePart, GatewaysFailedError, HttpSourceInit } from '../src/fetch/http/index.ts'
import type { CatOptions } from '../src/index.ts'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const MIB = 1024 * 1024

const IDENTITY: CarSection = {
  cid: CID.createV1(raw.code, identity.digest(new Uint8Array(MIB))),
  bytes: new Uint8Array(MIB)
}

/** A directory of two plain files with two leaves each, and all blocks in the order of the DAG, depth first. */
async function plainTree (): Promise<{ directory: CID, blocks: CID[], blockstore: CountingBlockstore }> {
  const blockstore = new CountingBlockstore()
  const fs = ipfsz({ blockstore })
  const files = await Promise.all([1, 2].map(async seed =>
    unmark(await fs.addBytes(noise(2 * MIB, seed), { compression: { codec: 'none' } }))
  ))
  const directory = await putDirectory(files.map((cid, i) => [`${i}`, cid]), blockstore)
  const below = await Promise.all(files.map(async cid => [cid, ...await leavesOf(cid, blockstore)]))

  return { directory, blocks: [directory, ...below.flat()], blockstore }
}

/** Send a CAR without end, as fast as it is read. `onFull` is called when it is not read for a second. */
async function writeBlocks (
  response: ServerResponse,
  first: CarSection | undefined,
  next: (index: number) => Uint8Array,
  onFull = (): void => {}
): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/vnd.ipld.car' })
  response.write(first == null ? CAR_HEADER : encodeCar([first]))

  const closed = once(response, 'close')

  for (let i = 0; !response.destroyed; i++) {
    if (!response.write(encodeSection(await block(next(i))))) {
      const timer = setTimeout(onFull, 1000)
      await Promise.race([once(response, 'drain'), closed])
      clearTimeout(timer)
    }
  }
}

/** Answer each request for a CAR with endless blocks of something else, and others honestly. */
async function sendOthers ({ response, isCar, answer }: Asked): Promise<void> {
  await (isCar ? writeBlocks(response, undefined, i => new Uint8Array(MIB).fill(i)) : answer())
}

/** Read a file from one gateway that misbehaves as told, and fall back to an honest one. */
async function readBeside (answer: (asked: Asked) => Promise<void>, init?: Partial<HttpSourceInit>): Promise<{
  file: File
  bad: FakeGateway
  honest: FakeGateway
  failure: unknown
}> {
  const file = await plainFile()
  const bad = await startGateway(file.blockstore, answer)
  const honest = await startGateway(file.blockstore)
  const plan = { path: '', scope: 'entity' } as const

  expectSame(await readerOf(file.cid, [bad, honest], { plan, ...init }).read(), file.bytes)

  // the bad one alone
  const failure = await readerOf(file.cid, [bad], { plan, ...init }).read().catch((err: unknown) => err)

  return { file, bad, honest, failure }
}

describe('HttpSource', () => {
  it('reads a planned file with one request', async () => {
    const { cid, bytes, blockstore } = await stored(3_000_000)
    const gateway = await startGateway(blockstore)
    const { read } = readerOf(cid, [gateway], { plan: { path: '', scope: 'entity' } })

    expectSame(await read(), bytes)
    expect(gateway.requests).toEqual([`/ipfs/${unmark(cid)}?format=car&dag-scope=entity`])
  })

  it('reads a planned path with one request', async () => {
    const file = await stored(3_000_000)
    const fs = ipfsz(file)
    const directory = await fs.cp(file.cid, await fs.addDirectory(), 'a ?.txt')
    const gateway = await startGateway(file.blockstore)
    const { read } = readerOf(directory, [gateway], { plan: { path: 'a ?.txt', scope: 'entity' } })

    expectSame(await read({ path: 'a ?.txt' }), file.bytes)
    expect(gateway.requests).toEqual([`/ipfs/${unmark(directory)}/a%20%3F.txt?format=car&dag-scope=entity`])
  })

  it('brings everything below a directory with one request', async () => {
    const { directory, blocks, blockstore } = await plainTree()
    const gateway = await startGateway(blockstore)
    const { source } = readerOf(directory, [gateway], { plan: { path: '', scope: 'all' } })

    for (const cid of blocks) {
      expectSame((await source.fetch(cid)).bytes, await getBlock(cid, blockstore))
    }

    expect(gateway.requests).toEqual([`/ipfs/${directory}?format=car&dag-scope=all`])
  })

  it('ends that response when it is told to drop the plan, and fetches what is waited for alone', async () => {
    const { directory, blocks, blockstore } = await plainTree()
    const [, , leaf] = blocks
    const gateway = await startGateway(blockstore, async ({ isCar, blocks, response, answer }) => {
      if (isCar) {
        response.writeHead(200, { 'content-type': 'application/vnd.ipld.car' })
        // the directory, and nothing else for as long as it is read
        response.write(encodeCar((await blocks()).slice(0, 1)))
      } else {
        await answer()
      }
    })
    const { source } = readerOf(directory, [gateway], { plan: { path: '', scope: 'all' } })
    await source.fetch(directory)
    const waiting = source.fetch(leaf)
    source.dropPlan()

    expectSame((await waiting).bytes, await getBlock(leaf, blockstore))
    await source.fetch(blocks[1])
    await expect.poll(() => gateway.aborted).toBe(1)
    expect(gateway.requests).toEqual([
      `/ipfs/${directory}?format=car&dag-scope=all`,
      `/ipfs/${leaf}?format=raw`,
      `/ipfs/${blocks[1]}?format=raw`
    ])
  })

  it('hands out what a plan brought before it was dropped', async () => {
    const { directory, blocks, blockstore } = await plainTree()
    const gateway = await startGateway(blockstore)
    const { source } = readerOf(directory, [gateway], { plan: { path: '', scope: 'all' } })
    await source.fetch(directory)
    // those before it have arrived too
    await source.fetch(blocks[blocks.length - 1])
    source.dropPlan()

    expectSame((await source.fetch(blocks[1])).bytes, await getBlock(blocks[1], blockstore))
    expect(gateway.requests).toEqual([`/ipfs/${directory}?format=car&dag-scope=all`])
  })

  it('reads without a plan: the root alone, then a CAR of the rest', async () => {
    const { cid, bytes, blockstore } = await plainFile()
    const gateway = await startGateway(blockstore)

    expectSame(await readerOf(cid, [gateway]).read(), bytes)
    expect(gateway.requests).toEqual([
      `/ipfs/${cid}?format=raw`,
      `/ipfs/${cid}?format=car&dag-scope=entity&entity-bytes=0:${bytes.byteLength - 1}`
    ])
  })

  it('asks for the stored bytes that hold a range of a compressed file', async () => {
    const { cid, bytes, blockstore } = await stored(12_000_000)
    const gateway = await startGateway(blockstore)
    const { read } = readerOf(cid, [gateway], { plan: { path: '', scope: 'block' } })

    expectSame(await read({ offset: 4_000_000, length: 6_000_000 }), bytes.subarray(4_000_000, 10_000_000))
    expect(gateway.requests).toHaveLength(2)
    expect(gateway.requests[1]).toMatch(/&entity-bytes=[1-9]\d*:\d+$/)
  })

  it('asks for a single block alone', async () => {
    const { cid, bytes, blockstore, leaves } = await plainFile()
    const gateway = await startGateway(blockstore)
    const { read } = readerOf(cid, [gateway])

    expectSame(await read({ offset: MIB, length: MIB }), bytes.subarray(MIB, 2 * MIB))
    expect(gateway.requests).toEqual([`/ipfs/${cid}?format=raw`, `/ipfs/${leaves[1]}?format=raw`])
  })

  it('does not ask for what is stored', async () => {
    const file = await plainFile()
    const gateway = await startGateway(file.blockstore)
    const { read, blockstore } = readerOf(file.cid, [gateway])

    for (const cid of [file.cid, ...file.leaves.slice(0, 2)]) {
      await blockstore.put(cid, await collect(file.blockstore.get(cid) as AsyncIterable<Uint8Array>))
    }

    expectSame(await read(), file.bytes)
    expect(gateway.requests).toEqual([expect.stringContaining(`&entity-bytes=${2 * MIB}:${5 * MIB - 1}`)])
  })

  it('reads a file in which the same block occurs many times', async () => {
    const blockstore = new CountingBlockstore()
    const bytes = new Uint8Array(40 * MIB)
    const cid = await ipfsz({ blockstore }).addBytes(bytes, { compression: { codec: 'none' } })
    const gateway = await startGateway(blockstore)
    const { read } = readerOf(cid, [gateway], { plan: { path: '', scope: 'entity' } })

    expectSame(await read(), bytes)
    expect(gateway.requests).toHaveLength(1)
  })

  it('fetches a block once for all who ask for it', async () => {
    const { cid, blockstore } = await plainFile()
    const gateway = await startGateway(blockstore)
    const { source } = readerOf(cid, [gateway])
    const [first, second] = await Promise.all([source.fetch(cid), source.fetch(cid)])

    expect(first).toEqual({ bytes: expect.anything(), verified: true, sender: gateway.url })
    expect(second.bytes).toBe(first.bytes)
    expect(gateway.requests).toHaveLength(1)
  })

  it('stops reading while nobody asks for what comes', async () => {
    const { cid, blockstore } = await plainFile()
    const idle = Promise.withResolvers<void>()
    const gateway = await startGateway(blockstore, async ({ blocks, response }) => {
      const [root] = await blocks()
      await writeBlocks(response, root, i => new Uint8Array(MIB).fill(i), idle.resolve)
    })
    const { source } = readerOf(cid, [gateway], { plan: { path: '', scope: 'entity' } })

    await source.fetch(cid)
    await idle.promise
    source.close()

    await expect.poll(() => gateway.aborted).toBe(1)
    // 16 MiB, and what the two ends of the connection buffer
    expect(gateway.sent).toBeLessThan(40 * MIB)
  })

  it('ends its requests when the signal aborts', async () => {
    const { cid, blockstore } = await plainFile()
    const asked = Promise.withResolvers<void>()
    const gateway = await startGateway(blockstore, async () => { asked.resolve() })
    const { source } = readerOf(cid, [gateway])
    const abort = new AbortController()
    const fetched = source.fetch(cid, { signal: abort.signal })

    await asked.promise
    abort.abort()

    await expect(fetched).rejects.toMatchObject({ name: 'AbortError' })
    await expect.poll(() => gateway.aborted).toBe(1)
  })
})

/** A blockstore that takes its time, as a disk does, and has checked its blocks: hashes on threads take any time. */
class DiskLikeBlockstore extends CountingBlockstore {
  readonly checksBlocks = true

  override async * get (...args: Parameters<CountingBlockstore['get']>): AsyncGenerator<Uint8Array> {
    await setImmediate()
    yield * super.get(...args)
  }
}

/** Read a file from a gateway, with these leaves at hand, and the root if `hasRoot` is set. */
async function readMissing (
  hasRoot: boolean,
  isHere: (leaf: number) => boolean,
  answer: (asked: Asked) => Promise<void>,
  options?: CatOptions
): Promise<{ requests: string[], leaves: string[] }> {
  const { cid, bytes, blockstore: all, leaves } = await plainFile()
  const blockstore = new DiskLikeBlockstore()

  for (const here of [...hasRoot ? [cid] : [], ...leaves.filter((_, i) => isHere(i))]) {
    await blockstore.put(here, await getBlock(here, all))
  }

  const gateway = await startGateway(all, answer)
  const { source } = readerOf(cid, [gateway], { plan: { path: '', scope: 'entity' } })

  expectSame(await collect(ipfsz({ blockstore, sources: [source] }).cat(cid, options)), bytes)

  return { requests: gateway.requests, leaves: leaves.map(leaf => `/ipfs/${leaf}?format=raw`) }
}

/** Sends no more than the root of a CAR for the plan, and nothing of one for a range. */
async function holdBack ({ url, isCar, blocks, response, answer }: Asked): Promise<void> {
  if (!isCar) {
    await answer()
  } else if (!url.includes('entity-bytes')) {
    response.writeHead(200, { 'content-type': 'application/vnd.ipld.car' })
    response.write(encodeCar((await blocks()).slice(0, 1)))
  }
}

/** The place of a leaf in the file of `plainFile`. */
function partOf (file: CID, leaf: number): FilePart {
  return { file, start: leaf * MIB, end: 5 * MIB }
}

async function answerRanges (asked: Asked): Promise<void> {
  return asked.url.includes('entity-bytes') ? asked.answer() : holdBack(asked)
}

describe('a file of which a part is here', () => {
  it('is fetched without what is here, although its root brought a response for all of it', async () => {
    const { requests, leaves } = await readMissing(false, i => i !== 1 && i !== 3, holdBack)

    expect(requests.toSorted()).toEqual([expect.stringContaining('dag-scope=entity'), leaves[1], leaves[3]].toSorted())
  })

  it('is asked for up to the next block that is here, and a block between such ones alone', async () => {
    const { cid, blockstore, leaves } = await plainFile()
    const gateway = await startGateway(blockstore)
    const { source } = readerOf(cid, [gateway])
    const ask = async (leaf: number, here?: number): Promise<unknown> => source.fetch(leaves[leaf], {
      part: { ...partOf(cid, leaf), here: here == null ? undefined : here * MIB },
      size: MIB
    })

    await Promise.all([ask(0, 1), ask(2, 4), ask(3, 4)])

    expect(gateway.requests.toSorted()).toEqual([
      `/ipfs/${leaves[0]}?format=raw`,
      expect.stringContaining(`&entity-bytes=${2 * MIB}:${4 * MIB - 1}`)
    ])
  })

  it('comes with a response that ends where a block turns out to be here, and one for what is behind', async () => {
    const { cid, blockstore, leaves } = await plainFile()
    const found = Promise.withResolvers<void>()
    const gateway = await startGateway(blockstore, async ({ number, blocks, response, answer }) => {
      if (number > 1) {
        return answer()
      }

      const sections = await blocks()
      response.writeHead(200, { 'content-type': 'application/vnd.ipld.car' })
      response.write(encodeCar(sections.slice(0, 2)))
      await found.promise
      response.write(encodeSection(sections[2]))
    })
    const { source } = readerOf(cid, [gateway])
    const [first, ...others] = [0, 1, 3, 4].map(async leaf => source.fetch(leaves[leaf], { part: partOf(cid, leaf) }))

    await first
    source.found(leaves[2], { part: partOf(cid, 2) })
    await others[1]
    found.resolve()
    await Promise.all(others)

    expect(gateway.requests.map(url => url.slice(url.indexOf('entity-bytes'))))
      .toEqual([0, 3].map(leaf => `entity-bytes=${leaf * MIB}:${5 * MIB - 1}`))
    await expect.poll(() => gateway.aborted).toBe(1)
  })

  it('still comes with a response although no gateway sends what is behind', async () => {
    const { cid, blockstore, leaves } = await plainFile()
    const failed = Promise.withResolvers<void>()
    const gateway = await startGateway(blockstore, async ({ url, isCar, response, answer }) => {
      if (url.includes(`entity-bytes=${3 * MIB}`)) {
        response.writeHead(404).end()
        return
      }

      await (isCar ? failed.promise : undefined)
      await answer()
    })
    const { source } = readerOf(cid, [gateway])
    const ask = async (leaf: number, here?: number): Promise<unknown> =>
      source.fetch(leaves[leaf], { part: { ...partOf(cid, leaf), here } })
    const first = [ask(0, 2 * MIB), ask(1, 2 * MIB)]

    await Promise.all([ask(3), ask(4)])
    failed.resolve()
    await Promise.all(first)

    expect(gateway.requests.filter(url => url.includes('raw')).toSorted())
      .toEqual([leaves[3], leaves[4]].map(leaf => `/ipfs/${leaf}?format=raw`).toSorted())
  })

  it('is asked for again if a block turns out to be here before anything has come', async () => {
    const { cid, blockstore, leaves } = await plainFile()
    const gateway = await startGateway(blockstore, holdBack)
    const { source } = readerOf(cid, [gateway])
    const fetched = source.fetch(leaves[0], { part: partOf(cid, 0) })

    await expect.poll(() => gateway.requests.length).toBe(1)
    source.found(leaves[1], { part: partOf(cid, 1) })

    expectSame((await fetched).bytes, await getBlock(leaves[0], blockstore))
    expect(gateway.requests).toEqual([expect.stringContaining('entity-bytes=0:'), `/ipfs/${leaves[0]}?format=raw`])
  })

  it('is fetched with one response from where nothing is here any more', async () => {
    const { requests } = await readMissing(false, i => i < 2, answerRanges, { blockReadConcurrency: 1 })

    expect(requests).toEqual([
      expect.stringContaining('dag-scope=entity'),
      expect.stringContaining(`&entity-bytes=${2 * MIB}:${5 * MIB - 1}`)
    ])
  })
})

describe('a file that nobody reads any longer', () => {
  it('gives way to another one, and its response ends although it only begins then', async () => {
    const { cid, blockstore, leaves } = await plainFile()
    const late = Promise.withResolvers<void>()
    const gateway = await startGateway(blockstore, async ({ number, blocks, response }) => {
      if (number === 1) {
        await late.promise
        response.writeHead(200, { 'content-type': 'application/vnd.ipld.car' })
        response.write(encodeCar(await blocks()))
      }
    })
    const { source } = readerOf(cid, [gateway], { stallTimeout: 600_000 })
    const { signal } = new AbortController()
    const reader = new AbortController()
    const first = source.fetch(leaves[0], { part: { file: cid, start: 0, end: MIB }, signal: reader.signal })
    first.catch(() => {})
    await expect.poll(() => gateway.requests.length).toBe(1)
    reader.abort()
    await expect(first).rejects.toMatchObject({ name: 'AbortError' })

    // one more than are streamed at a time
    const files = await Promise.all(Array.from({ length: 8 }, async (_, i) => block(Uint8Array.of(i))))
    const others = files.map(async ({ cid }) => source.fetch(cid, { part: { file: cid, start: 0, end: MIB }, signal })
      .catch((err: unknown) => err))
    await expect.poll(() => gateway.requests.length).toBe(9)
    late.resolve()
    await expect.poll(() => gateway.aborted).toBe(1)

    source.close()

    for (const err of await Promise.all(others)) {
      expect(err).toMatchObject({ name: 'AbortError' })
    }
  })
})

describe('several gateways', () => {
  it('asks the next one if the first cannot be reached', async () => {
    const { cid, bytes, blockstore } = await plainFile()
    const gateway = await startGateway(blockstore)

    expectSame(await readerOf(cid, ['http://127.0.0.1:1', gateway]).read(), bytes)
  })

  it('asks the next one too if the first does not answer, and stops the loser', async () => {
    const { cid, bytes, blockstore } = await plainFile()
    const silent = await startGateway(blockstore, async () => {})
    const gateway = await startGateway(blockstore)
    const { read } = readerOf(cid, [silent, gateway], { hedgeTime: 10, plan: { path: '', scope: 'entity' } })

    expectSame(await read(), bytes)
    await expect.poll(() => silent.aborted).toBe(silent.requests.length)
  })

  it('asks another one than the one that sends the plan for blocks that are far ahead', async () => {
    const { cid, blockstore, leaves } = await plainFile()
    const [first, ...others] = await Promise.all([0, 1, 2].map(async () => startGateway(blockstore)))
    const { source } = readerOf(cid, [first, ...others], { plan: { path: '', scope: 'all' }, hedgeTime: 60_000 })
    await source.fetch(cid)
    await Promise.all(leaves.slice(2).map(async leaf => {
      const { sender } = await source.fetch(leaf, { isFarAhead: true })
      expect(sender).not.toBe(first.url)
    }))

    expect(first.requests).toHaveLength(1)
    expect(others.flatMap(({ requests }) => requests).toSorted())
      .toEqual(leaves.slice(2).map(leaf => `/ipfs/${leaf}?format=raw`).toSorted())
    // each has one at least
    expect(others.map(({ requests }) => requests.length).toSorted()).toEqual([1, 2])
  })

  it('asks the one that sends the plan, too, if the others lack what is far ahead', async () => {
    const { cid, blockstore, leaves } = await plainFile()
    const first = await startGateway(blockstore)
    const second = await startGateway(new CountingBlockstore())
    const { source } = readerOf(cid, [first, second], { plan: { path: '', scope: 'all' }, hedgeTime: 60_000 })
    await source.fetch(cid)
    const { sender } = await source.fetch(leaves[4], { isFarAhead: true })

    expect(sender).toBe(first.url)
    expect(second.requests).toHaveLength(1)
  })

  it('goes on with another one where a CAR was cut', async () => {
    const { cid, bytes, blockstore, leaves } = await plainFile()
    const arrived = Promise.withResolvers<void>()
    const first = await startGateway(blockstore, async ({ blocks, response }) => {
      const car = encodeCar(await blocks())
      response.writeHead(200, { 'content-type': 'application/vnd.ipld.car', 'content-length': car.byteLength })
      response.write(car.subarray(0, car.byteLength / 2))
      // what the reader has not taken yet would be lost with the connection
      await arrived.promise
      response.socket?.destroy()
    })
    const second = await startGateway(blockstore)
    const { read, blockstore: store } = readerOf(cid, [first, second], {
      plan: { path: '', scope: 'entity' },
      hedgeTime: 60_000
    })
    vi.spyOn(store, 'put').mockImplementation(function (this: CountingBlockstore, ...args) {
      if (args[0].equals(leaves[1])) {
        arrived.resolve()
      }

      return CountingBlockstore.prototype.put.apply(this, args)
    })

    expectSame(await read(), bytes)
    expect(leaves).toHaveLength(5)
    // in one request, or in more if the first gateway seemed slow: what that one sent is not asked for again
    const starts = second.requests.flatMap(url => /&entity-bytes=(\d+):/.exec(url)?.slice(1).map(Number) ?? [])
    expect(second.requests).not.toHaveLength(0)
    expect(starts.filter(start => start < 2 * MIB)).toEqual([])
  })
})

/** A file, and a gateway that sends so much of each response, and then cuts it. */
async function cutting (share: (length: number) => number): Promise<File & { gateway: FakeGateway }> {
  const file = await plainFile()
  const gateway = await startGateway(file.blockstore, async ({ isCar, blocks, response }) => {
    const sections = await blocks()
    const bytes = isCar ? encodeCar(sections) : Buffer.from(sections[0].bytes)
    const type = isCar ? 'application/vnd.ipld.car' : 'application/vnd.ipld.raw'
    response.writeHead(200, { 'content-type': type, 'content-length': bytes.byteLength })
    response.write(bytes.subarray(0, share(bytes.byteLength)), () => { response.destroy() })
  })

  return { ...file, gateway }
}

describe('a gateway that cuts its responses', () => {
  it('is named with what it sent, and is soon asked no more, if it brings no block', { tags: 'slow' }, async () => {
    const { cid, gateway } = await cutting(length => length >> 1)
    const { read } = readerOf(cid, [gateway], { plan: { path: '', scope: 'entity' } })
    const err = await read().catch((err: unknown) => err) as GatewaysFailedError

    expect(err).toMatchObject({ name: 'GatewaysFailedError', failures: [{ name: 'GatewayConnectionError' }] })
    expect(err.message).toMatch(/127\.0\.0\.1:\d+\/ cut its response short after \d+ bytes, \d+ times in a row: /)
    expect(gateway.requests.length).toBeLessThan(20)
  })

  it('is asked until all is here, if each response brings a block', { tags: 'slow' }, async () => {
    // a leaf has 1 MiB
    const { cid, bytes, gateway } = await cutting(length => Math.min(length, 1.5 * MIB))
    const { read } = readerOf(cid, [gateway], { plan: { path: '', scope: 'entity' } })

    expectSame(await read(), bytes)
    expect(gateway.requests.length).toBeGreaterThan(4)
  })
})

describe('gateways beside another source', () => {
  it('fails at once if a gateway cannot be reached, and does not wait for it', async () => {
    const { cid } = await plainFile()
    let requests = 0
    const { source } = readerOf(cid, ['http://127.0.0.1:1'], {
      isOnlySource: false,
      async fetch () {
        requests++
        throw new TypeError('fetch failed')
      }
    })

    await expect(source.fetch(cid)).rejects.toMatchObject({ failures: [{ name: 'GatewayConnectionError' }] })
    await expect(source.fetch(cid)).rejects.toMatchObject({ failures: [{ name: 'GatewayConnectionError' }] })
    expect(requests).toBeLessThan(3)
    expect(source.failures()).toMatchObject([{ name: 'GatewayConnectionError' }])
  })

  it('asks a gateway once that never answers', async () => {
    const { cid, blockstore } = await plainFile()
    const gateway = await startGateway(blockstore, async () => {})
    // counted here: on a busy machine the time is over before the gateway sees a request
    const ask = vi.fn(fetch)
    const { source } = readerOf(cid, [gateway], { isOnlySource: false, stallTimeout: 50, fetch: ask })

    await expect(source.fetch(cid)).rejects.toMatchObject({ failures: [{ name: 'GatewayStalledError' }] })
    await expect(source.fetch(cid)).rejects.toMatchObject({ failures: [{ name: 'GatewayStalledError' }] })
    expect(ask).toHaveBeenCalledTimes(1)
  })
})

describe('a gateway that fails', () => {
  it('refuses blocks that do not match their CIDs, and does not ask that gateway again', async () => {
    const { bad, failure } = await readBeside(async ({ blocks, send }) => {
      const sections = await blocks()
      sections[0] = { ...sections[0], bytes: sections[0].bytes.toReversed() }
      await send(encodeCar(sections))
    })

    expect(failure).toMatchObject({ name: 'GatewaysFailedError', failures: [{ name: 'GatewayContentError' }] })
    expect(bad.requests).toHaveLength(2)
  })

  it('refuses a single block that does not match its CID', async () => {
    const { cid, blockstore } = await plainFile()
    const gateway = await startGateway(blockstore, async ({ send }) => send(new Uint8Array(100)))
    const { source } = readerOf(cid, [gateway])

    await expect(source.fetch(cid))
      .rejects.toMatchObject({ name: 'GatewaysFailedError', cid, failures: [{ name: 'GatewayContentError' }] })
    expect(gateway.requests).toHaveLength(1)
  })

  it('asks for the rest where a CAR ends early, although it ends cleanly', async () => {
    const { cid, bytes, blockstore } = await plainFile()
    const gateway = await startGateway(blockstore, async ({ number, blocks, send, answer }) => {
      await (number < 3 ? send(encodeCar((await blocks()).slice(0, 3))) : answer())
    })
    const { read } = readerOf(cid, [gateway], { plan: { path: '', scope: 'entity' } })

    expectSame(await read(), bytes)
    expect(gateway.requests.slice(1)).toEqual([
      expect.stringContaining(`entity-bytes=${2 * MIB}:`),
      // the last block
      expect.stringContaining('format=raw')
    ])
  })

  it('fetches a block alone that a CAR leaves out, and reports one that the gateway lacks', async () => {
    const file = await plainFile()
    const lacking = new CountingBlockstore()

    for (const cid of [file.cid, ...file.leaves.filter((_, i) => i !== 2)]) {
      await lacking.put(cid, await collect(file.blockstore.get(cid) as AsyncIterable<Uint8Array>))
    }

    const gateway = await startGateway(lacking)
    const { read, source } = readerOf(file.cid, [gateway], { plan: { path: '', scope: 'entity' } })

    await expect(read()).rejects.toMatchObject({ name: 'GatewaysFailedError', cid: file.leaves[2] })
    // the others are there
    expectSame((await source.fetch(file.leaves[4])).bytes, file.bytes.subarray(4 * MIB))

    const leavingOut = await startGateway(file.blockstore, async ({ blocks, isCar, send, answer }) => isCar
      ? send(encodeCar((await blocks()).filter(({ cid }) => !cid.equals(file.leaves[2]))))
      : answer())

    expectSame(await readerOf(file.cid, [leavingOut], { plan: { path: '', scope: 'entity' } }).read(), file.bytes)
    expect(leavingOut.requests).toContain(`/ipfs/${file.leaves[2]}?format=raw`)
  })

  it.each([
    ['different', true],
    ['the same', false]
  ])('bounds what it reads of endless blocks that nobody asked for: %s ones', async (_, different) => {
    const { failure, bad } = await readBeside(async ({ response, isCar }) => {
      if (isCar) {
        await writeBlocks(response, undefined, i => new Uint8Array(MIB).fill(different ? i : 1))
      } else {
        response.writeHead(404).end()
      }
    })

    expect(failure).toMatchObject({ name: 'GatewaysFailedError' })
    await expect.poll(() => bad.aborted).toBeGreaterThan(1)
    // 4 MiB of each response, and what the two ends of the connection buffer
    expect(bad.sent).toBeLessThan(bad.requests.length * 24 * MIB)
  })

  it('asks for single blocks once CARs have brought nothing that was asked for', async () => {
    const { cid, bytes, blockstore } = await plainFile()
    const gateway = await startGateway(blockstore, sendOthers)

    expectSame(await readerOf(cid, [gateway], { plan: { path: '', scope: 'entity' } }).read(), bytes)
    // one for the plan, and two for the file
    expect(gateway.requests.filter(url => url.includes('format=car')).length).toBeLessThanOrEqual(3)
  })

  it('asks another gateway for a CAR once one has brought nothing that was asked for', async () => {
    const { cid, bytes, blockstore } = await plainFile()
    const gateways = [await startGateway(blockstore, sendOthers), await startGateway(blockstore)]

    expectSame(await readerOf(cid, gateways, { hedgeTime: 60_000 }).read(), bytes)
    const [first, second] = gateways.map(({ requests }) => requests.filter(url => url.includes('format=car')))
    expect(first).toHaveLength(1)
    expect(second).not.toHaveLength(0)
  })

  it.each([
    ['header', Buffer.from('ffffffffffffffffff01', 'hex')],
    ['section', Buffer.concat([CAR_HEADER, Buffer.from('ffffffffffffffffff01', 'hex')])],
    ['section of 2 MiB and more', Buffer.concat([CAR_HEADER, Buffer.from('81868001', 'hex'), Buffer.alloc(3 * MIB)])],
    ['section without bytes', Buffer.concat([CAR_HEADER, Buffer.alloc(1000)])],
    ['CID that contains its block', Buffer.concat([CAR_HEADER, encodeSection(IDENTITY)])],
    ['section without a CID', Buffer.concat([CAR_HEADER, Buffer.from([100]), Buffer.alloc(100, 255)])]
  ])('refuses a CAR with an impossible %s', async (_, bytes) => {
    const { failure } = await readBeside(async ({ send }) => send(bytes))

    expect(failure).toMatchObject({ failures: [{ name: 'GatewayContentError' }] })
  })

  it.each([
    ['is empty', Buffer.alloc(0)],
    ['has no blocks', CAR_HEADER],
    ['ends in its header', CAR_HEADER.subarray(0, 7)],
    ['ends in a length', Buffer.concat([CAR_HEADER, Buffer.from([200])])]
  ])('refuses a CAR that %s', async (_, bytes) => {
    const { failure } = await readBeside(async ({ send }) => send(bytes))

    expect(failure).toMatchObject({ failures: [{ name: 'GatewayConnectionError' }] })
  })

  it('refuses a page', async () => {
    const { failure } = await readBeside(async ({ send }) =>
      send(Buffer.from('<!doctype html>'), { 'content-type': 'text/html' }))

    expect(failure).toMatchObject({ failures: [{ name: 'GatewayRefusedError', status: 200 }] })
  })

  it('refuses a redirect to another host, and does not follow it', async () => {
    let followed = 0
    const elsewhere = createServer((_, response) => {
      followed++
      response.end()
    }).listen(0, '127.0.0.1')
    await once(elsewhere, 'listening')
    onTestFinished(() => { elsewhere.close() })
    const { port } = elsewhere.address() as AddressInfo
    const { failure } = await readBeside(async ({ response }) => {
      response.writeHead(302, { location: `http://127.0.0.1:${port}/` }).end()
    })

    expect(failure).toMatchObject({ failures: [{ name: 'GatewayRefusedError', status: 302 }] })
    expect(followed).toBe(0)
  })

  it('says where a redirect leads that differs in the protocol alone', async () => {
    const { failure } = await readBeside(async ({ response }) => {
      response.writeHead(302, { location: `ftp://${response.req.headers.host}/` }).end()
    })

    expect(failure).toMatchObject({ failures: [{ message: expect.stringContaining('redirects to ftp://127.0.0.1:') }] })
  })

  it.each([
    ['do not reveal where to', {}],
    ['names an empty place', { location: '' }],
    ['names no URL', { location: 'http://[' }]
  ])('refuses a redirect that %s, and asks no more', async (_, headers) => {
    const { failure, bad } = await readBeside(async ({ response }) => { response.writeHead(302, headers).end() })

    expect(failure).toMatchObject({ failures: [{ name: 'GatewayRefusedError', status: 302 }] })
    // for a CAR by each of both readings, and for a block by the second one
    expect(bad.requests).toHaveLength(3)
  })

  it('follows a redirect on the same host, a bounded number of times', async () => {
    const { cid, bytes, blockstore } = await plainFile()
    const once = await startGateway(blockstore, async ({ url, response, answer }) => url.endsWith('&again')
      ? answer()
      : void response.writeHead(301, { location: `${url}&again` }).end())
    const always = await startGateway(blockstore, async ({ url, response }) => {
      response.writeHead(301, { location: url }).end()
    })

    expectSame(await readerOf(cid, [once]).read(), bytes)
    await expect(readerOf(cid, [always]).read()).rejects.toMatchObject({ failures: [{ name: 'GatewayRefusedError' }] })
    expect(always.requests).toHaveLength(4)
  })

  it.each([500, 502, 503, 504, 429])('asks again after the status %i', async status => {
    const { cid, bytes, blockstore } = await plainFile()
    const gateway = await startGateway(blockstore, async ({ number, response, answer }) => number === 1
      ? void response.writeHead(status, { 'retry-after': '0' }).end()
      : answer())

    expectSame(await readerOf(cid, [gateway]).read(), bytes)
  })

  it('leaves a gateway alone for as long as it asks', async () => {
    const { failure, bad } = await readBeside(async ({ response }) => {
      response.writeHead(429, { 'retry-after': '3600' }).end()
    })

    expect(failure).toMatchObject({ failures: [{ name: 'GatewayBusyError', status: 429, retryAfter: 3_600_000 }] })
    // one for each of both readings
    expect(bad.requests).toHaveLength(2)
  })

  it.each([
    ['before it answers', 0],
    ['in its header', 10],
    ['in a block', 1_500_000]
  ])('asks again if it stalls %s', { tags: 'slow' }, async (_, length) => {
    const { cid, bytes, blockstore } = await plainFile()
    const gateway = await startGateway(blockstore, async ({ number, blocks, response, answer }) => {
      if (number > 1) {
        await answer()
      } else if (length > 0) {
        response.writeHead(200, { 'content-type': 'application/vnd.ipld.car' })
        response.write(encodeCar(await blocks()).subarray(0, length))
      }
    })
    const { read } = readerOf(cid, [gateway], { plan: { path: '', scope: 'entity' }, stallTimeout: 2000 })

    expectSame(await read(), bytes)
    await expect.poll(() => gateway.aborted).toBeGreaterThan(0)
  })

  it('goes on when a link comes back', { tags: 'slow' }, async () => {
    const { cid, bytes, blockstore } = await plainFile()
    const gateway = await startGateway(blockstore, async ({ number, blocks, response, answer }) => {
      if (number === 1) {
        response.writeHead(200, { 'content-type': 'application/vnd.ipld.car' })
        response.write(encodeCar(await blocks()).subarray(0, 2_500_000), () => { response.destroy() })
      } else if (number < 7) {
        response.destroy()
      } else {
        await answer()
      }
    })
    const { read } = readerOf(cid, [gateway], { plan: { path: '', scope: 'entity' } })

    expectSame(await read(), bytes)
  })

  it.each([
    ['more', 100],
    ['less', -100]
  ])('refuses a block of which the Content-Length says %s', async (_, difference) => {
    const { cid, blockstore } = await plainFile()
    const gateway = await startGateway(blockstore, async ({ blocks, response, send }) => {
      const [{ bytes }] = await blocks()
      response.strictContentLength = false
      await send(bytes, { 'content-length': `${bytes.byteLength + difference}` })
      response.socket?.end()
    })
    const { source } = readerOf(cid, [gateway])

    await expect(source.fetch(cid)).rejects.toMatchObject({ name: 'GatewaysFailedError' })
  })

  it.each([
    ['more', 100],
    ['less', -100]
  ])('asks for the rest of a CAR of which the Content-Length says %s', async (_, difference) => {
    const { cid, bytes, blockstore } = await plainFile()
    const gateway = await startGateway(blockstore, async ({ number, blocks, response, send, answer }) => {
      if (number > 1) {
        return answer()
      }

      const car = encodeCar(await blocks())
      response.strictContentLength = false
      await send(car, { 'content-length': `${car.byteLength + difference}` })
      response.socket?.end()
    })
    const { read } = readerOf(cid, [gateway], { plan: { path: '', scope: 'entity' } })

    expectSame(await read(), bytes)
  })

  it('refuses a block of more than 2 MiB', async () => {
    const large = await block(new Uint8Array(2 * MIB + 1))
    const blockstore = new CountingBlockstore()
    await blockstore.put(large.cid, large.bytes)
    const { source } = readerOf(large.cid, [await startGateway(blockstore)])

    await expect(source.fetch(large.cid)).rejects.toMatchObject({ failures: [{ name: 'GatewayRefusedError' }] })
  })

  it.each(['car', 'raw'] as const)('bounds what it reads of a compressed %s that inflates without end', async kind => {
    const { cid, blockstore } = await plainFile()
    const bomb = gzipSync(new Uint8Array(64 * MIB))
    const gateway = await startGateway(blockstore, async ({ send, isCar }) =>
      send(isCar ? Buffer.concat([gzipSync(CAR_HEADER), bomb]) : bomb, { 'content-encoding': 'gzip' }))
    const { source } = readerOf(cid, [gateway], kind === 'car' ? { plan: { path: 'a', scope: 'entity' } } : {})

    await expect(source.fetch(cid)).rejects.toMatchObject({ name: 'GatewaysFailedError' })
    expect(gateway.requests).toHaveLength(1)
  })

  it('never returns wrong bytes, whichever byte of a CAR is wrong', async () => {
    const { cid, bytes, blockstore } = await stored(200_000)
    let position = 0
    const gateway = await startGateway(blockstore, async ({ blocks, isCar, send, answer }) => {
      if (!isCar) {
        return answer()
      }

      const car = encodeCar(await blocks())
      car[Math.floor(position * car.byteLength)] ^= 1 << Math.floor(position * 997) % 8

      return send(car)
    })

    for (position = 0; position < 0.999; position += 0.01) {
      const { read } = readerOf(cid, [gateway], { plan: { path: '', scope: 'entity' } })
      const result = await read().catch((err: unknown) => err)

      if (result instanceof Uint8Array) {
        expectSame(result, bytes)
      } else {
        expect(result).toMatchObject({ name: 'GatewaysFailedError' })
      }
    }
  })

  it.each([
    ['CAR', 'reset'],
    ['CAR', 'ended'],
    ['block', 'reset'],
    ['block', 'ended']
  ])('never returns wrong bytes, wherever a %s is %s', { tags: 'slow' }, async (kind, end) => {
    const section = await block(noise(1000))
    const blockstore = new CountingBlockstore()
    await blockstore.put(section.cid, section.bytes)
    const body = kind === 'CAR' ? encodeCar([section]) : section.bytes
    const plan = kind === 'CAR' ? { path: '', scope: 'entity' } as const : undefined
    let length = 0
    const gateway = await startGateway(blockstore, async ({ response, isCar }) => {
      response.writeHead(200, { 'content-type': `application/vnd.ipld.${isCar ? 'car' : 'raw'}` })
      response.write(body.subarray(0, length), () => {
        if (end === 'reset') {
          response.socket?.resetAndDestroy()
        } else {
          response.end()
        }
      })
    })

    for (length = 0; length < body.byteLength; length += 23) {
      const { source } = readerOf(section.cid, [gateway], { plan, isOnlySource: false })

      await expect(source.fetch(section.cid)).rejects.toMatchObject({ name: 'GatewaysFailedError' })
    }

    length = body.byteLength
    const { source } = readerOf(section.cid, [gateway], { plan })
    const result = await source.fetch(section.cid).catch((err: unknown) => err)

    // a reset may overtake the last bytes
    expect(result).toMatchObject(end === 'reset' && result instanceof Error ? { name: 'GatewaysFailedError' } : {
      bytes: section.bytes
    })
  })
})
