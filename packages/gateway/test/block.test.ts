import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { codecs } from '@ipfsz/codecs/all'
import { ipfsz, mark, MARKERS } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { CID } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import { sha256, sha512 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { createGateway } from '../src/index.ts'
import { bytesOf, get, noise, same, text } from './fixtures.ts'
import type { Gateway, GatewayBlocks, StoredBlock } from '../src/index.ts'
import type { CodecName } from '@ipfsz/codecs'

const RAW = { accept: 'application/vnd.ipld.raw' }

function serveBlocks (blocks: MemoryBlockstore & Partial<GatewayBlocks> = new MemoryBlockstore()): Gateway {
  return createGateway({ fs: ipfsz({ blockstore: blocks }), blocks })
}

async function cidOf (block: Uint8Array, code = 0x55): Promise<CID> {
  return CID.createV1(code, await sha256.digest(block))
}

/** A store that holds one block, compressed. */
async function compressedStore (codec: CodecName | 'none', block: Uint8Array): Promise<{
  blocks: MemoryBlockstore & GatewayBlocks
  gets: () => number
}> {
  const payload = codec === 'none' ? block : await codecs[codec]().compress(block)
  let gets = 0
  const blocks = Object.assign(new MemoryBlockstore(), {
    getStored: async (): Promise<StoredBlock> => ({ codec, size: block.byteLength, payload })
  })
  const get = blocks.get.bind(blocks)
  blocks.put(await cidOf(block), block)
  blocks.get = (...args) => {
    gets++
    return get(...args)
  }

  return { blocks, gets: () => gets }
}

describe('a block', () => {
  it('is served with the headers of the trustless gateway', async () => {
    const blocks = new MemoryBlockstore()
    const block = text(1000)
    const cid = await cidOf(block)
    await blocks.put(cid, block)
    const gateway = serveBlocks(blocks)

    for (const request of [get(`${cid}?format=raw`), get(`${cid}`, RAW)]) {
      const response = await gateway(request)

      expect(response.status).toBe(200)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'application/vnd.ipld.raw',
        'content-length': '1000',
        'content-disposition': `attachment; filename="${cid}.bin"`,
        'x-content-type-options': 'nosniff',
        'cache-control': 'public, max-age=29030400, immutable',
        etag: `"${cid}.raw"`,
        'x-ipfs-path': `/ipfs/${cid}`,
        'x-ipfs-roots': `${cid}`
      })
      expect(same(await bytesOf(response), block)).toBe(true)
    }

    for (const [query, expected] of [
      ['', '?format=raw'], ['?a&b=%20c+d&=&\u00e9', '?a&b=%20c+d&=&%C3%A9&format=raw'], ['?format=&a', '?format=raw&a'],
      ['?%66ormat=&format=&a', '?format=raw&a']
    ]) {
      const { headers } = await gateway(get(`${cid}${query}`, RAW))
      expect(headers.get('content-location')).toBe(`/ipfs/${cid}${expected}`)
    }
  })

  it('is that of the plain CID, whatever it holds', async () => {
    const blocks = new MemoryBlockstore()
    const block = noise(100)
    const cid = await cidOf(block, 0x70)
    await blocks.put(cid, block)
    const response = await serveBlocks(blocks)(get(`${mark(cid, MARKERS.zstd)}?format=raw`))

    expect(response.status).toBe(200)
    expect(response.headers.get('etag')).toBe(`"${cid}.raw"`)
    expect(same(await bytesOf(response), block)).toBe(true)
  })

  it('of an identity CID is in the CID, as in the probe of Kubo', async () => {
    const gateway = serveBlocks()

    for (const method of ['GET', 'HEAD']) {
      const response = await gateway(get('bafkqaaa?format=raw', {}, method))

      expect(response.status).toBe(200)
      expect(response.headers.get('content-length')).toBe('0')
      expect(await response.text()).toBe('')
    }
  })

  it('answers HEAD, ranges and If-None-Match', async () => {
    const blocks = new MemoryBlockstore()
    const block = text(1000)
    const cid = await cidOf(block)
    await blocks.put(cid, block)
    const gateway = serveBlocks(blocks)
    const head = await gateway(get(`${cid}?format=raw`, {}, 'HEAD'))
    const part = await gateway(get(`${cid}?format=raw`, { range: 'bytes=6-16' }))

    expect([head.status, head.headers.get('content-length'), head.body]).toEqual([200, '1000', null])
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 6-16/1000'])
    expect(same(await bytesOf(part), block.subarray(6, 17))).toBe(true)
    const behind = await gateway(get(`${cid}?format=raw`, { range: 'bytes=1000-' }))
    expect([behind.status, behind.headers.get('content-range')]).toEqual([416, 'bytes */1000'])
    const resumed = async (ifRange: string): Promise<[number, string | null]> => {
      const { status, headers } = await gateway(get(`${cid}?format=raw`, { range: 'bytes=6-', 'if-range': ifRange }))

      return [status, headers.get('etag')]
    }
    expect(await resumed(`"${cid}.raw"`)).toEqual([206, `"${cid}.raw"`])
    expect(await resumed(`"${cid}"`)).toEqual([200, `"${cid}.raw"`])
    expect((await gateway(get(`${cid}?format=raw`, { 'if-none-match': `"${cid}.raw"` }))).status).toBe(304)
    expect((await gateway(get(`${cid}?format=raw`, { 'if-none-match': '*' }))).status).toBe(304)
    expect((await gateway(get(`${cid}?format=raw`, { 'if-none-match': `"${cid}"` }))).status).toBe(200)
    // it comes before the range
    expect((await gateway(get(`${cid}?format=raw`, { range: 'bytes=1000-', 'if-none-match': '*' }))).status).toBe(304)
  })

  it.each<[CodecName, string, (bytes: Uint8Array) => Uint8Array]>([
    ['zstd', 'zstd', zstdDecompressSync], ['gzip', 'gzip', gunzipSync], ['brotli', 'br', brotliDecompressSync]
  ])('stored with %s goes out as it is stored, to clients that take it', async (codec, coding, decode) => {
    const block = text(100_000)
    const cid = await cidOf(block)
    const { blocks, gets } = await compressedStore(codec, block)
    const gateway = serveBlocks(blocks)
    const ask = async (headers: Record<string, string>, method = 'GET'): Promise<Response> =>
      gateway(get(`${cid}?format=raw`, headers, method))
    const stored = await ask({ 'accept-encoding': 'gzip, br, zstd' })
    const body = await bytesOf(stored)

    expect(stored.headers.get('content-encoding')).toBe(coding)
    expect(stored.headers.get('content-length')).toBe(String(body.byteLength))
    expect(stored.headers.get('vary')).toBe('Accept-Encoding')
    expect(stored.headers.get('etag')).toBe(`"${cid}.raw.${coding}"`)
    expect(same(decode(body), block)).toBe(true)

    // ranges are of the block. Without a coding, Kubo asks whether it is there
    for (const head of [await ask({ 'accept-encoding': coding }, 'HEAD'), await ask({}, 'HEAD')]) {
      expect(head.headers.get('content-encoding')).toBeNull()
      expect(head.headers.get('content-length')).toBe(String(block.byteLength))
      expect(head.headers.get('etag')).toBe(`"${cid}.raw"`)
    }

    expect((await ask({ 'accept-encoding': coding, 'if-none-match': `"${cid}.raw.${coding}"` })).status).toBe(304)
    expect(gets()).toBe(0)

    for (const [encodings, range] of [['', ''], ['deflate', ''], [coding, 'bytes=0-']]) {
      const plain = await ask({ 'accept-encoding': encodings, range })

      expect(plain.headers.get('content-encoding')).toBeNull()
      expect(plain.headers.get('vary')).toBe('Accept-Encoding')
      expect(plain.headers.get('etag')).toBe(`"${cid}.raw"`)
      expect(same(await bytesOf(plain), block)).toBe(true)
    }
  })

  it('has short headers: Kubo takes 2 KiB, of which proxies need some', async () => {
    const block = text(100_000)
    const { blocks } = await compressedStore('gzip', block)
    const cid = CID.createV1(0x55, await sha512.digest(block))
    const { headers } = await serveBlocks(blocks)(get(`${cid}?format=raw`, { 'accept-encoding': 'gzip' }))
    // as HTTP/2 counts them (RFC 9113, section 6.5.2)
    const sizes = [...headers].map(([name, value]) => name.length + value.length + 32)

    expect(headers.get('content-encoding')).toBe('gzip')
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(1650)
  })

  it('stored plain, or with a codec that HTTP does not know, goes out plain', async () => {
    for (const codec of ['none', 'lz4'] as const) {
      const block = text(100_000)
      const { blocks } = await compressedStore(codec, block)
      const response = await serveBlocks(blocks)(get(`${await cidOf(block)}?format=raw`, { 'accept-encoding': 'zstd' }))

      expect(response.headers.get('content-encoding')).toBeNull()
      expect(same(await bytesOf(response), block)).toBe(true)
    }
  })

  it.each<[string, number, (blocks: MemoryBlockstore) => Promise<CID> | CID]>([
    ['that is not stored', 404, async () => cidOf(text(10))],
    ['that does not match its CID', 500, async blocks => blocks.put(await cidOf(text(10)), text(11))],
    ['of more than 2 MiB', 422, async blocks => {
      const block = new Uint8Array(2 * 1024 * 1024 + 1)

      return blocks.put(await cidOf(block), block)
    }],
    ['whose hash is not known', 400, () => CID.createV1(0x55, createDigest(0x1234, text(32)))],
    ['whose digest is short', 400, () => CID.createV1(0x55, createDigest(sha256.code, text(4)))]
  ])('%s is refused with %d', async (_, status, put) => {
    const blocks = new MemoryBlockstore()
    const cid = await put(blocks)
    const response = await serveBlocks(blocks)(get(`${cid}?format=raw`))

    expect(response.status).toBe(status)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  })
})
