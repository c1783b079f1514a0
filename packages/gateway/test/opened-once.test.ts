import { unixfs } from '@helia/unixfs'
import { mark, MARKERS, unmark } from '@ipfsz/core'
import { zstd } from '@ipfsz/codecs/zstd'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it, vi } from 'vitest'
import { createGateway } from '../src/index.ts'
import { addCompressed, bytesOf, drain, get, KIB, noise, openingWith, same, serve, text } from './fixtures.ts'
import type { Served } from './fixtures.ts'

const BYTES = text(600 * KIB)

type Add = (served: Served) => Promise<CID>

/** Kinds of files, by their roots. */
const KINDS: Array<[string, Add]> = [
  ['compressed', async ({ fs }) => addCompressed(fs, BYTES, 'zstd', 64 * KIB)],
  ['of a codec that browsers do not know', async ({ fs }) => addCompressed(fs, BYTES, 'lz4', 64 * KIB)],
  ['with a base', async ({ fs }) => {
    const base = await addCompressed(fs, BYTES.map((byte, i) => i % 50_000 === 0 ? byte ^ 1 : byte), 'zstd')

    return fs.addBytes(BYTES, { compression: { codec: 'zstd', detect: false, base, frameSize: 64 * KIB } })
  }],
  ['plain', async ({ blockstore }) => unixfs({ blockstore }).addBytes(BYTES, { chunker: fixedSize })],
  ['one raw block', async ({ blockstore }) =>
    blockstore.put(CID.createV1(raw.code, await sha256.digest(BYTES)), BYTES)]
]

async function * fixedSize (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const bytes of source) {
    for (let i = 0; i < bytes.byteLength; i += 64 * KIB) {
      yield bytes.subarray(i, i + 64 * KIB)
    }
  }
}

/** Counts the blocks that are read, by CID. */
function counting ({ blockstore }: Served): Map<string, number> {
  const counts = new Map<string, number>()
  const getBlock = blockstore.get.bind(blockstore)

  vi.spyOn(blockstore, 'get').mockImplementation((cid, options) => {
    counts.set(cid.toString(), (counts.get(cid.toString()) ?? 0) + 1)

    return getBlock(cid, options)
  })

  return counts
}

const RANGES: Array<[string, Record<string, string>]> = [
  ['a small range', { range: 'bytes=200000-200099' }],
  ['a large range', { range: 'bytes=100000-400000' }],
  ['all of it', {}],
  ['what its client decompresses', { 'accept-encoding': 'zstd' }]
]

describe.each(KINDS)('of a file that is %s', (_, add) => {
  it.each(RANGES)('a request for %s reads the root once', async (_, headers) => {
    const served = serve({}, { fresh: 'call' })
    const root = await add(served)

    const counts = counting(served)

    // without a name, the first bytes tell the type
    for (const path of [`${root}`, `${root}?filename=a.txt`]) {
      counts.clear()
      const response = await served.gateway(get(path, headers))
      const body = await bytesOf(response)
      const [, start = 0, end = BYTES.byteLength - 1] = /(\d+)-(\d+)/.exec(headers.range ?? '')?.map(Number) ?? []

      expect(response.status).toBe(headers.range == null ? 200 : 206)
      expect(counts.get(unmark(root).toString())).toBe(1)

      if (response.headers.get('content-encoding') == null) {
        expect(same(body, BYTES.subarray(start, end + 1))).toBe(true)
      }
    }
  })

  it('a request for a range by its path reads each directory once, and the root once', async () => {
    const served = serve({}, { fresh: 'request' })
    const { fs } = served
    const file = await add(served)
    const inner = await fs.cp(file, await fs.addDirectory(), 'file')
    const tree = await fs.cp(inner, await fs.addDirectory(), 'inner')
    const counts = counting(served)
    const response = await served.gateway(get(`${tree}/inner/file`, { range: 'bytes=200000-200099' }))

    expect(same(await bytesOf(response), BYTES.subarray(200_000, 200_100))).toBe(true)
    expect([tree, inner, file].map(cid => counts.get(unmark(cid).toString()))).toEqual([1, 1, 1])
  })

  it.each(['tar', 'raw'])('a request for it as %s reads the root once', async format => {
    const served = serve({}, { fresh: 'call' })
    const root = await add(served)
    const counts = counting(served)
    await drain(await served.gateway(get(`${root}?format=${format}`)))

    expect(counts.get(unmark(root).toString())).toBe(1)
  })
})

it('the index of a directory is read once, and the directory too', async () => {
  const served = serve({}, { fresh: 'request' })
  const file = await addCompressed(served.fs, BYTES, 'zstd', 64 * KIB)
  const tree = await served.fs.cp(file, await served.fs.addDirectory(), 'index.html')
  const counts = counting(served)
  const response = await served.gateway(get(`${tree}/`))

  expect(same(await bytesOf(response), BYTES)).toBe(true)
  expect([tree, file].map(cid => counts.get(unmark(cid).toString()))).toEqual([1, 1])
})

it('a file as JSON is read twice, with its root once', async () => {
  const served = serve({}, { fresh: 'call' })
  const json = Buffer.from(JSON.stringify(Array.from({ length: 20_000 }, (_, i) => ({ i, text: 'the same words' }))))
  const root = await addCompressed(served.fs, json, 'zstd', 64 * KIB)
  const counts = counting(served)
  const response = await served.gateway(get(`${root}?format=json`))

  expect(same(await bytesOf(response), json)).toBe(true)
  expect(counts.get(unmark(root).toString())).toBe(1)
})

it('a stream of another tool is opened once', async () => {
  const served = serve({}, { fresh: 'call' })
  const stream = await zstd().compress(BYTES)
  const plain = await unixfs({ blockstore: served.blockstore }).addBytes(stream, { rawLeaves: false })
  const counts = counting(served)
  const response = await served.gateway(get(`${mark(plain, MARKERS.zstd)}`))

  expect(same(await bytesOf(response), BYTES)).toBe(true)
  expect(counts.get(plain.toString())).toBe(1)
})

it('a response that waits for memory keeps no file open', async () => {
  const { fs, blockstore } = serve()
  const bytes = noise(1000 * KIB)
  const cid = await blockstore.put(CID.createV1(raw.code, await sha256.digest(bytes)), bytes)
  let [opened, closed] = [0, 0]
  const files = openingWith(fs, undefined, file => {
    opened++

    return { close: () => { closed++; file.close() } }
  })
  const gateway = createGateway({ fs: files, blocks: blockstore }, { limits: { heldBytes: 1200 * KIB } })
  const ask = async (): Promise<Response> => gateway(get(`${cid}?filename=a.txt`))
  // it takes the memory, and is not read
  const first = await ask()
  const others = Array.from({ length: 7 }, ask)
  await vi.waitFor(() => { expect(opened).toBeGreaterThanOrEqual(8) })
  // what follows opening takes no time
  await new Promise(resolve => { setTimeout(resolve) })
  expect(opened - closed).toBeLessThan(3)

  for (const answer of [first, ...await Promise.all(others)]) {
    expect(same(await bytesOf(answer), bytes)).toBe(true)
  }
})
