import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { mark, MARKERS, unmark } from '@ipfsz/core'
import { zstd } from '@ipfsz/codecs/zstd'
import { unixfs } from '@helia/unixfs'
import { decode } from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { createCompressor } from '../src/index.ts'
import { addCompressed, bytesOf, get, KIB, noise, same, serve, text } from './fixtures.ts'
import type { CompressorInit } from '../src/index.ts'
import type { Served } from './fixtures.ts'

/** Enough for any test on any machine. */
const PLENTY = { cpuShare: 1000, concurrency: 100 }

function serveCompressing (init: CompressorInit = PLENTY): Served {
  return serve({ compressor: createCompressor(init) })
}

async function putBlock ({ blockstore }: Served, block: Uint8Array): Promise<CID> {
  const cid = CID.createV1(0x55, await sha256.digest(block))
  await blockstore.put(cid, block)

  return cid
}

describe('a block that is stored uncompressed', () => {
  it('goes out compressed, once compressed for all who ask', async () => {
    const served = serveCompressing()
    const block = text(100_000)
    const cid = await putBlock(served, block)
    const gets = countGets(served)

    for (let i = 0; i < 3; i++) {
      const response = await served.gateway(get(`${cid}?format=raw`, { 'accept-encoding': 'gzip, zstd' }))
      const body = await bytesOf(response)

      expect(response.status).toBe(200)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-encoding': 'zstd',
        'content-length': String(body.byteLength),
        etag: `W/"${cid}.raw.fast-zstd"`,
        vary: 'Accept-Encoding'
      })
      expect(same(zstdDecompressSync(body), block)).toBe(true)
    }

    expect(gets()).toBe(1)
  })

  it('is described by HEAD as it is, because ranges are of that', async () => {
    const served = serveCompressing()

    for (const block of [text(100_000), noise(100_000), text(10)]) {
      const cid = await putBlock(served, block)
      const ask = async (coding: string, method: string): Promise<Response> =>
        served.gateway(get(`${cid}?format=raw`, { 'accept-encoding': coding }, method))
      const [head, whole] = await Promise.all([ask('gzip', 'HEAD'), ask('identity', 'GET')])

      expect([...head.headers]).toEqual([...whole.headers])
      expect(head.body).toBeNull()
      expect(head.headers.get('vary')).toBe('Accept-Encoding')
    }
  })

  it('goes out as it is if it does not shrink, the client takes nothing else, or a range is asked for', async () => {
    const served = serveCompressing()
    const [good, bad] = [text(100_000), noise(100_000)]
    const [goodCid, badCid] = [await putBlock(served, good), await putBlock(served, bad)]

    for (const [cid, block, headers] of [
      [badCid, bad, { 'accept-encoding': 'zstd' }],
      [goodCid, good, {}],
      [goodCid, good, { 'accept-encoding': 'deflate' }],
      [goodCid, good, { 'accept-encoding': 'zstd', range: 'bytes=0-' }]
    ] as const) {
      const response = await served.gateway(get(`${cid}?format=raw`, { ...headers }))

      expect(response.headers.get('content-encoding')).toBeNull()
      expect(response.headers.get('etag')).toBe(`"${cid}.raw"`)
      expect(response.headers.get('vary')).toBe('Accept-Encoding')
      expect(same(await bytesOf(response), block)).toBe(true)
    }
  })

  it('goes out as it is, at once, if no processor time is left', async () => {
    const served = serveCompressing({ cpuShare: 0 })
    const block = text(100_000)
    const cid = await putBlock(served, block)
    const response = await served.gateway(get(`${cid}?format=raw`, { 'accept-encoding': 'zstd' }))

    expect(response.headers.get('content-encoding')).toBeNull()
    expect(same(await bytesOf(response), block)).toBe(true)
  })

  it('is not sent again to who has it, as it is or compressed, wherever a path names it', async () => {
    const served = serveCompressing()
    const fs = unixfs(served)
    const block = text(100_000)
    const file = await fs.addBytes(block)
    const root = await fs.cp(file, await fs.addDirectory(), 'a.txt')
    const ask = async (path: string, etag: string, encodings = 'zstd'): Promise<[number, string | null]> => {
      const { status, headers } = await served.gateway(get(`${path}?format=raw`, {
        'accept-encoding': encodings, 'if-none-match': etag
      }))

      return [status, headers.get('etag')]
    }

    for (const path of [`${file}`, `${root}/a.txt`]) {
      expect(await ask(path, `W/"${file}.raw.fast-zstd"`)).toEqual([304, `W/"${file}.raw.fast-zstd"`])
      expect(await ask(path, `"${file}.raw"`)).toEqual([304, `"${file}.raw"`])
      expect(await ask(path, `"${file}.raw.fast-zstd"`, 'gzip')).toEqual([200, `W/"${file}.raw.fast-gzip"`])
      expect(await ask(path, '*')).toEqual([304, `W/"${file}.raw.fast-zstd"`])
    }
  })

  it('is compared with its CID first', async () => {
    const served = serveCompressing()
    const cid = CID.createV1(0x55, await sha256.digest(text(10_000)))
    await served.blockstore.put(cid, text(10_001))

    expect((await served.gateway(get(`${cid}?format=raw`, { 'accept-encoding': 'zstd' }))).status).toBe(500)
  })

  it('is not served from memory once it was deleted', async () => {
    const served = serveCompressing()
    const cid = await putBlock(served, text(100_000))
    const ask = async (): Promise<number> =>
      (await served.gateway(get(`${cid}?format=raw`, { 'accept-encoding': 'zstd' }))).status

    expect(await ask()).toBe(200)
    await served.blockstore.delete(cid)
    expect(await ask()).toBe(404)
  })
})

describe('a compressed file that the client cannot take as it is stored', () => {
  const GZIP = { 'accept-encoding': 'gzip' }
  const FILES = { ...PLENTY, files: true }

  it('goes out with gzip, if that is wanted', async () => {
    const bytes = text(1_500_000)

    for (const files of [false, true]) {
      const { gateway, fs } = serveCompressing({ ...PLENTY, files })
      const cid = await addCompressed(fs, bytes, 'zstd', 64 * KIB)
      const response = await gateway(get(`${cid}?filename=a.txt`, GZIP))
      const body = await bytesOf(response)
      const header = (name: string): string | null => response.headers.get(name)

      expect([response.status, header('content-encoding'), header('content-length'), header('etag')]).toEqual(
        files ? [200, 'gzip', null, `W/"${cid}.fast-gzip"`] : [200, null, '1500000', `"${cid}"`]
      )
      expect(header('vary')).toContain('Accept-Encoding')
      expect(same(files ? gunzipSync(body) : body, bytes)).toBe(true)
    }
  })

  it('goes out as it is stored to who takes that, and decompressed by range', async () => {
    const { gateway, fs } = serveCompressing(FILES)
    const bytes = text(300_000)
    const cid = await addCompressed(fs, bytes, 'zstd', 64 * KIB)
    const stored = await gateway(get(`${cid}`, { 'accept-encoding': 'gzip, zstd' }))
    const part = await gateway(get(`${cid}`, { ...GZIP, range: 'bytes=5-9', 'if-range': `"${cid}"` }))
    const whole = await gateway(get(`${cid}`, { ...GZIP, range: 'bytes=5-9', 'if-range': `W/"${cid}.fast-gzip"` }))

    expect(stored.headers.get('etag')).toBe(`"${cid}.zstd"`)
    expect([part.status, part.headers.get('content-encoding')]).toEqual([206, null])
    expect(same(await bytesOf(part), bytes.subarray(5, 10))).toBe(true)
    expect([whole.status, whole.headers.get('content-encoding')]).toEqual([200, 'gzip'])
    await Promise.all([stored, whole].map(async ({ body }) => body?.cancel()))
  })

  it('is described by HEAD decompressed, and is not sent again to who has it', async () => {
    const { gateway, fs } = serveCompressing(FILES)
    const tree = await fs.addFile({ path: 'a/b.txt', content: text(300_000) }, { compression: { codec: 'zstd' } })
    const { markedCid } = await fs.stat(tree, { path: 'a/b.txt' })
    const ask = async (headers: Record<string, string>, method?: string): Promise<Response> =>
      gateway(get(`${tree}/a/b.txt`, headers, method))
    const [head, whole] = await Promise.all([ask(GZIP, 'HEAD'), ask({})])
    const held = await ask({ ...GZIP, 'if-none-match': `W/"${markedCid}.fast-gzip"` })

    expect([...head.headers]).toEqual([...whole.headers])
    await whole.body?.cancel()
    expect([held.status, held.headers.get('etag')]).toEqual([304, `W/"${markedCid}.fast-gzip"`])
    expect((await ask({ 'if-none-match': `W/"${markedCid}.fast-gzip"` })).status).toBe(200)
  })

  it('goes out decompressed if no processor time is left, or it is small', async () => {
    for (const [init, size] of [[{ files: true, cpuShare: 0 }, 300_000], [FILES, 1023]] as const) {
      const { gateway, fs } = serveCompressing(init)
      const cid = await addCompressed(fs, text(size), 'zstd')
      const response = await gateway(get(`${cid}`, GZIP))

      expect(response.headers.get('content-encoding')).toBeNull()
      expect(same(await bytesOf(response), text(size))).toBe(true)
    }
  })

  it('breaks off if it is damaged, and has a status if that is seen before the first byte', async () => {
    const { gateway, fs, blockstore } = serveCompressing(FILES)
    const bytes = noise(3_000_000)
    const cid = await addCompressed(fs, bytes, 'zstd', 1024 * KIB)
    const { Links: leaves } = decode(Buffer.concat(await Array.fromAsync(blockstore.get(unmark(cid)))))
    const ask = async (): Promise<Response> => gateway(get(`${cid}?filename=a.bin`, GZIP))
    expect(leaves.length).toBeGreaterThan(2)

    await blockstore.delete(leaves[leaves.length - 1].Hash)
    const broken = await ask()
    expect([broken.status, broken.headers.get('content-encoding')]).toEqual([200, 'gzip'])
    await expect(bytesOf(broken)).rejects.toMatchObject({ name: 'NotFoundError' })

    await blockstore.delete(leaves[0].Hash)
    expect((await ask()).status).toBe(404)
  })

  it('of a size that is not known decompresses to no more than is allowed', async () => {
    const { gateway, blockstore } = serve({
      limits: { decompressedBytes: 100_000 }, compressor: createCompressor(FILES)
    })
    const add = async (size: number): Promise<CID> => {
      const plain = await unixfs({ blockstore }).addBytes(await zstd().compress(text(size)), { rawLeaves: false })

      return mark(plain, MARKERS.zstd)
    }
    const allowed = await gateway(get(`${await add(100_000)}`, GZIP))

    expect(allowed.headers.get('content-encoding')).toBe('gzip')
    expect(same(gunzipSync(await bytesOf(allowed)), text(100_000))).toBe(true)
    expect((await gateway(get(`${await add(100_001)}`, GZIP))).status).toBe(406)
  })
})

/** Count how often blocks are read. */
function countGets ({ blockstore }: Served): () => number {
  const read = blockstore.get.bind(blockstore)
  let gets = 0

  blockstore.get = (...args) => {
    gets++

    return read(...args)
  }

  return () => gets
}
