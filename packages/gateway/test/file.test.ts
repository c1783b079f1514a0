import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { unixfs } from '@helia/unixfs'
import { ipfsz, mark, MARKERS, UncheckedLinkError, unmark } from '@ipfsz/core'
import { zstd } from '@ipfsz/codecs/zstd'
import { MemoryBlockstore } from 'blockstore-core'
import { describe, expect, it } from 'vitest'
import { createGateway } from '../src/index.ts'
import { chooseRepresentation } from '../src/respond/stored-file.ts'
import { addCompressed, bytesOf, get, KIB, noise, openingWith, same, serve, text } from './fixtures.ts'
import type { CodecName } from '@ipfsz/codecs'
import type { Ipfsz, StoredFile } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

const EVERYTHING = { 'accept-encoding': 'gzip, deflate, br, zstd' }

/** Numbers, which the default policy filters. */
const NUMBERS = new Uint8Array(Uint32Array.from({ length: 75_000 }, (_, i) => i * 1000 + i % 7).buffer)
const DECODERS: Record<string, (bytes: Uint8Array) => Uint8Array> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
  identity: bytes => bytes
}

describe('a compressed file', () => {
  it.each<[CodecName, number, number, string]>([
    ['zstd', 300_000, 1024 * KIB, 'zstd'],
    ['zstd', 300_000, 64 * KIB, 'zstd'],
    ['zstd', 1, 64 * KIB, 'zstd'],
    ['zstd', 300_000, 100_000, 'identity'],
    ['gzip', 300_000, 1024 * KIB, 'gzip'],
    ['gzip', 300_000, 64 * KIB, 'gzip'],
    ['gzip', 300_000, 100_001, 'gzip'],
    ['brotli', 300_000, 1024 * KIB, 'br'],
    ['brotli', 300_000, 64 * KIB, 'identity'],
    ['lz4', 100_000, 64 * KIB, 'identity'],
    ['snappy', 100_000, 64 * KIB, 'identity'],
    ['lzo', 100_000, 1024 * KIB, 'identity']
  ])('of %s with %d bytes in frames of %d goes to a browser as %s', async (codec, size, frameSize, coding) => {
    const { gateway, fs, decompressed } = serve()
    const bytes = text(size)
    const cid = await addCompressed(fs, bytes, codec, frameSize)
    const response = await gateway(get(`${cid}?filename=a.txt`, EVERYTHING))
    const body = await bytesOf(response)

    expect(response.status).toBe(200)
    expect(response.headers.get('content-encoding') ?? 'identity').toBe(coding)
    expect(response.headers.get('content-length')).toBe(String(body.byteLength))
    expect(response.headers.get('vary')).toContain('Accept-Encoding')
    expect(response.headers.get('etag')).toBe(coding === 'identity' ? `"${cid}"` : `"${cid}.${coding}"`)
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(same(DECODERS[coding](body), bytes)).toBe(true)
    expect(decompressed() === 0).toBe(coding !== 'identity')
  })

  it.each<[string, (fs: Ipfsz) => Promise<CID>]>([
    ['filters', async fs => addCompressed(fs, NUMBERS, 'zstd', 64 * KIB)],
    ['a base', async fs => {
      const base = await fs.addBytes(noise(300_000), { compression: { codec: 'none' } })

      return fs.addBytes(Buffer.concat([noise(299_000), text(1000)]), { compression: { codec: 'zstd', base } })
    }]
  ])('with %s goes to everyone as its original bytes, whole and in ranges', async (_, add) => {
    const { gateway, fs } = serve()
    const cid = await add(fs)
    const bytes = Buffer.concat(await Array.fromAsync(fs.cat(cid)))
    const [stats, whole] = [await fs.stat(cid), await gateway(get(`${cid}`, EVERYTHING))]
    const part = await gateway(get(`${cid}`, { ...EVERYTHING, range: 'bytes=65530-200001' }))

    expect(stats.filters ?? stats.base).toBeDefined()
    expect(whole.headers.get('content-encoding')).toBeNull()
    expect(same(await bytesOf(whole), bytes)).toBe(true)
    expect(part.status).toBe(206)
    expect(same(await bytesOf(part), bytes.subarray(65_530, 200_002))).toBe(true)
  })

  it.each([['gzip', 'gzip'], ['zstd', 'identity']])(
    'of %s that is cut by content goes to a browser as %s, to others and in ranges as its original bytes',
    async (codec, coding) => {
      const { gateway, fs, decompressed } = serve()
      const bytes = text(600_000)
      const cid = await fs.addBytes(bytes, { compression: { codec: codec as CodecName, cut: 'content' } })
      const url = `${cid}?filename=a.txt`
      const etag = coding === 'identity' ? `"${cid}"` : `"${cid}.${coding}"`
      const whole = await gateway(get(url, EVERYTHING))
      const body = await bytesOf(whole)

      expect((await fs.open(cid)).stored?.frameSizes?.length).toBeGreaterThan(2)
      expect(whole.headers.get('content-encoding') ?? 'identity').toBe(coding)
      expect(whole.headers.get('content-length')).toBe(String(body.byteLength))
      expect(whole.headers.get('etag')).toBe(etag)
      expect(same(DECODERS[coding](body), bytes)).toBe(true)
      expect(decompressed() === 0).toBe(coding !== 'identity')
      expect((await gateway(get(url, { ...EVERYTHING, 'if-none-match': etag }))).status).toBe(304)

      const part = await gateway(get(url, { ...EVERYTHING, range: 'bytes=140000-400001', 'if-range': `"${cid}"` }))
      expect([part.status, part.headers.get('content-encoding')]).toEqual([206, null])
      expect(same(await bytesOf(part), bytes.subarray(140_000, 400_002))).toBe(true)
      expect(same(await bytesOf(await gateway(get(url))), bytes)).toBe(true)
    }
  )

  it('that is cut by content is read by several clients while memory is short', async () => {
    const { gateway, fs } = serve({ limits: { heldBytes: 500 * KIB } })
    const bytes = text(1_500_000)
    const cid = await fs.addBytes(bytes, { compression: { codec: 'zstd', cut: 'content' } })
    const answers = await Promise.all(Array.from({ length: 4 }, async () => gateway(get(`${cid}?filename=a.txt`))))

    for (const answer of answers) {
      expect(same(await bytesOf(answer), bytes)).toBe(true)
    }
  })

  it('is decompressed to find its type only once', async () => {
    const { gateway, fs, decompressed } = serve()
    const cid = await addCompressed(fs, text(300_000), 'zstd', 64 * KIB)

    for (let i = 0; i < 3; i++) {
      const response = await gateway(get(`${cid}`, EVERYTHING))
      expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
      await response.body?.cancel()
    }

    expect(decompressed()).toBe(1)
  })

  it.each<CodecName>(['zstd', 'gzip', 'brotli'])('of %s is decompressed for who does not take it', async codec => {
    const { gateway, fs } = serve()
    const bytes = text(300_000)
    const cid = await addCompressed(fs, bytes, codec, 64 * KIB)

    for (const encodings of ['', 'deflate', 'identity', '*']) {
      const response = await gateway(get(`${cid}`, { 'accept-encoding': encodings }))

      expect(response.headers.get('content-encoding')).toBeNull()
      expect(response.headers.get('content-length')).toBe('300000')
      expect(response.headers.get('etag')).toBe(`"${cid}"`)
      expect(response.headers.get('vary')).toContain('Accept-Encoding')
      expect(same(await bytesOf(response), bytes)).toBe(true)
    }
  })

  it('is decompressed if clients could not decode its frames, though its codec is accepted', async () => {
    const { gateway, fs } = serve()
    const bytes = text(100_000)
    // a single segment of 2^63 bytes
    const wide = Buffer.from('28b52ffde00000000000000080', 'hex')
    const cid = await addCompressed(fs, bytes, 'zstd')
    const { stored: file } = await fs.open(cid)

    if (file == null) {
      throw new Error('it is not compressed')
    }

    const strange = { ...file, frames: async function * () { yield wide } }
    const response = await gateway(get(`${cid}`, EVERYTHING))
    const guarded = await serveWith(fs, strange)(get(`${cid}`, EVERYTHING))

    expect(response.headers.get('content-encoding')).toBe('zstd')
    expect(guarded.headers.get('content-encoding')).toBeNull()
    expect(guarded.headers.get('etag')).toBe(`"${cid}"`)
    expect(same(await bytesOf(guarded), bytes)).toBe(true)
  })

  it.each<CodecName>(['zstd', 'gzip', 'brotli', 'lz4'])('of %s answers a range with original bytes', async codec => {
    const { gateway, fs, decompressed } = serve()
    const bytes = noise(300_000)
    const cid = await addCompressed(fs, bytes, codec, 64 * KIB)

    for (const [range, start, end] of [
      ['bytes=70000-70009', 70_000, 70_010],
      ['bytes=65535-65536', 65_535, 65_537],
      ['bytes=-5', 299_995, 300_000],
      ['bytes=299990-', 299_990, 300_000],
      ['bytes=100-199,500-600', 100, 200]
    ] as const) {
      const response = await gateway(get(`${cid}?filename=a.bin`, { ...EVERYTHING, range }))

      expect(response.status).toBe(206)
      expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/300000`)
      expect(response.headers.get('content-length')).toBe(String(end - start))
      expect(response.headers.get('content-encoding')).toBeNull()
      expect(response.headers.get('etag')).toBe(`"${cid}"`)
      expect(same(await bytesOf(response), bytes.subarray(start, end))).toBe(true)
    }

    // only the frames that hold the ranges
    expect(decompressed()).toBe(6)
  })

  it('refuses a range behind its end', async () => {
    const { gateway, fs } = serve()
    const cid = await addCompressed(fs, text(1000), 'zstd')
    const response = await gateway(get(`${cid}`, { range: 'bytes=1000-' }))

    expect(response.status).toBe(416)
    expect(response.headers.get('content-range')).toBe('bytes */1000')
  })

  it('answers a range only if If-Range names the ETag of the original bytes', async () => {
    const { gateway, fs } = serve()
    const cid = await addCompressed(fs, text(1000), 'zstd')
    const ask = async (ifRange: string): Promise<[number, string | null]> => {
      const response = await gateway(get(`${cid}`, { ...EVERYTHING, range: 'bytes=0-9', 'if-range': ifRange }))

      return [response.status, response.headers.get('content-encoding')]
    }

    expect(await ask(`"${cid}"`)).toEqual([206, null])
    expect(await ask(`"${cid}.zstd"`)).toEqual([200, 'zstd'])
    expect(await ask('"other"')).toEqual([200, 'zstd'])
  })

  it.each(['zstd', 'none'] as const)('stored with %s is resumed: a part has the ETag of the original', async codec => {
    const { gateway, fs } = serve()
    const bytes = text(100_000)
    const cid = await fs.addBytes(bytes, { compression: { codec } })
    const ask = async (range: string, ifRange?: string): Promise<Response> =>
      gateway(get(`${cid}?filename=a.txt`, { range, ...ifRange == null ? {} : { 'if-range': ifRange } }))
    const whole = await gateway(get(`${cid}?filename=a.txt`))
    const etag = whole.headers.get('etag') ?? ''
    const rest = await ask('bytes=60000-', etag)

    expect([rest.status, rest.headers.get('etag')]).toEqual([206, etag])
    await whole.body?.cancel()
    expect(same(await bytesOf(rest), bytes.subarray(60_000))).toBe(true)
    // more than there is from the end, and nothing from the end
    expect((await ask('bytes=-200000', etag)).headers.get('content-range')).toBe('bytes 0-99999/100000')
    const none = await ask('bytes=-0', etag)
    expect([none.status, none.headers.get('content-range')]).toEqual([416, 'bytes */100000'])
    // dates and weak ETags do not vouch for the bytes that the client has, so it gets all of them
    expect((await ask('bytes=60000-', 'Sun, 22 Nov 2026 12:00:00 GMT')).status).toBe(200)
    expect((await ask('bytes=60000-', `W/${etag}`)).status).toBe(200)
    expect((await ask('bytes=200000-', 'Sun, 22 Nov 2026 12:00:00 GMT')).status).toBe(200)
    // If-None-Match comes first
    expect((await gateway(get(`${cid}`, { range: 'bytes=200000-', 'if-none-match': etag }))).status).toBe(304)
  })

  it('is not sent again to a client that has the same representation', async () => {
    const { gateway, fs, blockstore } = serve()
    const tree = await fs.addFile({ path: 'a/b.txt', content: text(300_000) }, { compression: { codec: 'zstd' } })
    const { markedCid } = await fs.stat(tree, { path: 'a/b.txt' })
    const ask = async (etag: string, headers: Record<string, string> = EVERYTHING): Promise<Response> =>
      gateway(get(`${tree}/a/b.txt`, { ...headers, 'if-none-match': etag }))
    const unchanged = await ask(`"${markedCid}.zstd"`)

    expect(unchanged.status).toBe(304)
    expect(unchanged.body).toBeNull()
    expect(unchanged.headers.get('etag')).toBe(`"${markedCid}.zstd"`)
    expect(unchanged.headers.get('cache-control')).toBe('public, max-age=29030400, immutable')
    expect(unchanged.headers.get('vary')).toContain('Accept-Encoding')
    expect(unchanged.headers.get('content-type')).toBeNull()
    expect((await ask(`"${markedCid}"`, {})).status).toBe(304)
    expect((await ask('*')).status).toBe(304)
    // the original bytes are acceptable to everyone
    expect((await ask(`"${markedCid}"`)).status).toBe(304)
    expect((await ask(`"${markedCid}.zstd"`, {})).status).toBe(200)

    // of a CID alone, nothing is read
    const cid = await addCompressed(fs, text(1000), 'zstd')
    await blockstore.delete(unmark(cid))
    const alone = await gateway(get(`${cid}`, { ...EVERYTHING, 'if-none-match': `"${cid}.zstd"` }))

    expect(alone.status).toBe(304)
    expect((await gateway(get(`${cid}`, { 'if-none-match': '*' }))).status).toBe(404)
  })

  it('is refused if it decompresses to more than is allowed, unless a range is asked for', async () => {
    const { gateway, fs } = serve({ limits: { decompressedBytes: 100_000 } })
    const cid = await addCompressed(fs, text(100_001), 'zstd', 64 * KIB)
    const allowed = await addCompressed(fs, text(100_000), 'zstd', 64 * KIB)

    expect((await gateway(get(`${cid}`))).status).toBe(406)
    expect((await gateway(get(`${cid}`, EVERYTHING))).status).toBe(200)
    expect((await gateway(get(`${cid}`, { range: 'bytes=0-' }))).status).toBe(206)
    expect((await gateway(get(`${allowed}`))).status).toBe(200)
  })
})

describe('a file of zstd whose frames differ in size', () => {
  it.each([
    ['whole steps of 16 KiB', 80 * KIB, true],
    ['other sizes, with which Node stops after the first', 80 * KIB + 1, false]
  ])('is stored bytes for clients if its frames hold %s', (_, second, isSent) => {
    const frameSizes = [64 * KIB, second, 5]
    const file = { codec: 'zstd' as const, frameSize: 96 * KIB, frameSizes, frameLengths: [9, 9, 9], length: 27 }

    expect(chooseRepresentation(file, () => true) != null).toBe(isSent)
  })
})

/** A gateway whose file system opens this stored file for every CID. */
function serveWith (fs: ReturnType<typeof serve>['fs'], file: StoredFile): ReturnType<typeof serve>['gateway'] {
  return createGateway({ fs: openingWith(fs, undefined, () => ({ stored: file })), blocks: new MemoryBlockstore() })
}

describe('a plain file', () => {
  it('has no content encoding, and no Vary for it', async () => {
    const { gateway, fs, blockstore } = serve()
    const bytes = noise(3_000_000)
    const cid = await unixfs({ blockstore }).addBytes(bytes)
    const response = await gateway(get(`${cid}`, EVERYTHING))

    expect(response.headers.get('content-encoding')).toBeNull()
    expect(response.headers.get('vary')).toBe('Accept')
    expect(response.headers.get('accept-ranges')).toBe('bytes')
    expect(same(await bytesOf(response), bytes)).toBe(true)

    // the plain CID of a compressed file is the file as it is stored
    const compressed = await addCompressed(fs, text(300_000), 'gzip', 64 * KIB)
    const stored = await gateway(get(`${unmark(compressed)}`, EVERYTHING))

    expect(stored.headers.get('content-encoding')).toBeNull()
    expect(same(gunzipSync(await bytesOf(stored)), text(300_000))).toBe(true)
  })

  it('of no bytes, of one, and of an identity CID is whole', async () => {
    const { gateway, blockstore } = serve()
    const empty = await unixfs({ blockstore }).addBytes(new Uint8Array(0))
    const one = await unixfs({ blockstore }).addBytes(Uint8Array.of(65))

    for (const [cid, body] of [[empty, ''], [one, 'A'], ['bafkqaaa', ''], ['bafkqabtimvwgy3yk', 'hello\n']]) {
      const response = await gateway(get(`${cid}`, { range: 'bytes=5-x' }))

      expect(response.status, `${cid}`).toBe(200)
      expect(await response.text()).toBe(body)
      expect(response.headers.get('content-length')).toBe(String(body.toString().length))
    }
  })
})

describe('a stream that another tool compressed', () => {
  it('is decompressed to its end, without a length and without ranges', async () => {
    const { gateway, blockstore } = serve()
    const bytes = text(300_000)
    const plain = await unixfs({ blockstore }).addBytes(await zstd().compress(bytes), { rawLeaves: false })
    const cid = mark(plain, MARKERS.zstd)
    const response = await gateway(get(`${cid}`, { ...EVERYTHING, range: 'bytes=0-9' }))

    expect(response.status).toBe(200)
    expect(response.headers.get('content-encoding')).toBeNull()
    expect(response.headers.get('content-length')).toBeNull()
    expect(response.headers.get('accept-ranges')).toBe('none')
    expect(same(await bytesOf(response), bytes)).toBe(true)
  })

  it('refuses to decompress to more than is allowed', async () => {
    const { gateway, blockstore } = serve({ limits: { decompressedBytes: 60_000 } })
    const bomb = await zstd().compress(new Uint8Array(10_000_000))
    const plain = await unixfs({ blockstore }).addBytes(bomb, { rawLeaves: false })
    const cid = mark(plain, MARKERS.zstd)

    // the first piece is too large already
    expect((await gateway(get(`${cid}`))).status).toBe(406)
  })
})

describe('an original whose link is unchecked', () => {
  it('is sent as a whole, though its type cannot be told from its start', async () => {
    const { fs, blockstore } = serve()
    const bytes = text(300_000)
    const cid = await addCompressed(fs, bytes, 'zstd', 64 * KIB)
    const gateway = createGateway({
      blocks: blockstore,
      fs: openingWith(fs, (file, options) => {
        if (options?.length != null && options.length < bytes.byteLength) {
          throw new UncheckedLinkError(unmark(cid), cid, 'range')
        }

        return file.read(options)
      }, () => ({
        stored: undefined,
        readCost: async () => ({ isSeekable: false, hasRanges: false, memory: 1, memoryAhead: 1 })
      }))
    })
    const response = await gateway(get(`${cid}`))

    expect(response.headers.get('content-type')).toBe('application/octet-stream')
    expect(same(await bytesOf(response), bytes)).toBe(true)
    expect((await gateway(get(`${cid}`, { range: 'bytes=0-9' }))).status).toBe(422)
  })

  it('of which the base is missing is not found', async () => {
    const { fs, blockstore } = serve()
    const first = noise(300_000)
    const base = await fs.addBytes(first)
    const cid = await fs.addBytes(Buffer.concat([text(100), first]), { compression: { base } })
    const serveAnew = (): ReturnType<typeof createGateway> =>
      createGateway({ blocks: blockstore, fs: ipfsz({ blockstore }) })

    expect((await serveAnew()(get(`${cid}`))).status).toBe(200)
    await blockstore.delete(unmark(base))
    expect((await serveAnew()(get(`${cid}`))).status).toBe(404)
  })
})
