/** @module-tag long */
/** Compression dictionaries (RFC 9842). test/pages/dictionary.test.ts has what Chromium makes of them. */
import { createHash } from 'node:crypto'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { ipfsz, unmark } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { createCompressor, createGateway } from '../src/index.ts'
import { copyFrame } from '../src/respond/file/copy-frame.ts'
import { patternOf } from '../src/respond/file/dictionary.ts'
import { bytesOf, KIB, noise, openingWith, text } from './fixtures.ts'
import type { GatewayInit } from '../src/index.ts'
import type { CompressionOptions, FileHandle, Ipfsz } from '@ipfsz/core'

const NAME = 'k51qzi5uqu5dgutdk6i1ynyzgkqngpha5xpgia3a5qqp4jsh0u4csozksxel2r'
const SITE = 'https://site.example'

/** Bytes that shrink with their base alone, and a little without it. */
const FIRST = Buffer.concat([noise(90 * KIB), text(30 * KIB)])
const SECOND = Buffer.concat([FIRST.subarray(0, 50 * KIB), text(300), FIRST.subarray(50 * KIB)])

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64')

interface Release {
  first: CID
  second: CID
  fs: Ipfsz
  /** How many blocks were read. */
  read: () => number
  add: (bytes: Uint8Array, compression?: CompressionOptions) => Promise<CID>
  ask: (headers?: Record<string, string>, init?: { url?: string, method?: string, cid?: CID }) => Promise<Response>
}

interface Init {
  base?: Uint8Array
  next?: Uint8Array
  first?: CompressionOptions
  second?: CompressionOptions
  others?: (file: FileHandle) => Partial<FileHandle>
  gateway?: GatewayInit
}

/** Two versions of a file, the second of which a site has. */
async function release (
  { base = FIRST, next = SECOND, first, second, others, gateway: init }: Init = {}
): Promise<Release> {
  const blockstore = new MemoryBlockstore()
  let read = 0
  const counting = {
    get: (cid: CID) => {
      read++

      return blockstore.get(cid)
    },
    has: (cid: CID) => blockstore.has(cid)
  }
  const fs = ipfsz({ blockstore })
  const add = async (bytes: Uint8Array, compression: CompressionOptions = {}): Promise<CID> =>
    fs.addBytes(bytes, { compression: { codec: 'zstd', detect: false, level: 19, ...compression } })
  const old = await add(base, first)
  const cid = await add(next, { base: old, ...second })
  let served = cid
  const names = { resolve: async () => ({ cid: served, path: [], ttl: 60 }) }
  const reader = ipfsz({ blockstore: counting as unknown as MemoryBlockstore })
  const gateway = createGateway({
    fs: others == null ? reader : openingWith(reader, undefined, others), blocks: counting, names
  }, { subdomainHosts: ['localhost', 'gateway.example'], ...init })

  return {
    first: old,
    second: cid,
    fs,
    add,
    read: () => read,
    async ask (headers = {}, { url = `${SITE}/`, method = 'GET', cid: asked = cid } = {}) {
      served = asked

      return gateway(new Request(url, {
        method, headers: { 'accept-encoding': 'gzip, br, zstd, dcb, dcz', ...headers }
      }))
    }
  }
}

const available = (bytes: Uint8Array): Record<string, string> => ({ 'available-dictionary': `:${sha256(bytes)}:` })

/** What a client sends that was offered the dictionary. */
const known = (bytes: Uint8Array, cid: CID): Record<string, string> =>
  ({ ...available(bytes), 'dictionary-id': `"${unmark(cid)}"` })

/** A directory that is nowhere. */
const GONE = CID.parse('bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354')

/** Decompress as a client does: the hash in the header first, then all frames with the same dictionary. */
async function decode (response: Response, { fs, second }: Release, dictionary: Uint8Array): Promise<Buffer> {
  const body = await bytesOf(response)
  const { based } = await fs.open(second)
  const parts: Uint8Array[] = []
  let at = 40

  expect(body.subarray(0, 8).toString('hex')).toBe('5e2a4d1820000000')
  expect(body.subarray(8, 40).toString('base64')).toBe(sha256(dictionary))
  expect(Number(response.headers.get('content-length'))).toBe(body.byteLength)

  for (const length of based?.frameLengths ?? []) {
    parts.push(zstdDecompressSync(body.subarray(at, at + length), { dictionary }))
    at += length
  }

  expect(at).toBe(body.byteLength)

  return Buffer.concat(parts)
}

/** What decides whether a client may have dictionaries. */
const CONDITIONS = 'Authorization, Cookie, Origin, Sec-Fetch-Mode, Sec-Fetch-Site'

const codingOf = ({ headers }: Response): string | null => headers.get('content-encoding')

describe('a file with a base', () => {
  it('is sent as it is stored to a client that has the base', async () => {
    const site = await release()
    const response = await site.ask(available(FIRST))

    expect(codingOf(response)).toBe('dcz')
    expect(response.headers.get('vary')).toBe(`Accept, Accept-Encoding, Available-Dictionary, ${CONDITIONS}`)
    expect(response.headers.get('etag')).toBe(`"${site.second}.dcz.${sha256(FIRST)}"`)
    expect((await decode(response, site, FIRST)).equals(SECOND)).toBe(true)
    // the next release has the same base, and this gateway compresses nothing
    expect(response.headers.get('use-as-dictionary')).toBe(null)
    expect(Number(response.headers.get('content-length'))).toBeLessThan(1000)
  })

  it('is sent so in several frames, and with a base that is compressed or plain', async () => {
    for (const first of [{ codec: 'zstd' }, { codec: 'none' }, { codec: 'zstd', frameSize: 64 * KIB }] as const) {
      const site = await release({ first, second: { frameSize: 64 * KIB } })
      const response = await site.ask(available(FIRST))

      expect(codingOf(response)).toBe('dcz')
      expect((await decode(response, site, FIRST)).equals(SECOND)).toBe(true)
    }
  })

  it('reads its base once, to hash it', async () => {
    const site = await release()
    await site.ask(available(noise(10)))
    const before = site.read()
    const wrong = await site.ask(available(noise(11)))
    const after = site.read()
    await wrong.body?.cancel()
    await bytesOf(await site.ask(available(FIRST)))

    expect(codingOf(wrong)).toBe(null)
    // its own root, and that of the base
    expect(after - before).toBeLessThanOrEqual(2)
  })

  it.each<[string, Record<string, string>, Parameters<Release['ask']>[1]?]>([
    ['has no dictionary', {}],
    ['has another dictionary', available(text(50))],
    ['has the file itself', available(SECOND)],
    ['does not take the coding', { ...available(FIRST), 'accept-encoding': 'gzip, br, zstd, dcb' }],
    ['prefers the bytes as they are', { ...available(FIRST), 'accept-encoding': 'identity, dcz' }],
    ['takes every coding', { ...available(FIRST), 'accept-encoding': '*' }],
    ['has a dictionary that is too short', { 'available-dictionary': ':AAAA:' }],
    ['has a dictionary that is too long', { 'available-dictionary': `:${'A'.repeat(8000)}=:` }],
    ['names no bytes', { 'available-dictionary': sha256(FIRST) }],
    ['names two dictionaries', { 'available-dictionary': `:${sha256(FIRST)}:, :${sha256(SECOND)}:` }],
    ['names another algorithm', { 'available-dictionary': `sha-512=:${sha256(FIRST)}:` }],
    ['asks without encryption', available(FIRST), { url: 'http://site.example/' }],
    ['asks a private network without encryption', available(FIRST), { url: 'http://nas.local/' }],
    ['asks a host that begins like loopback', available(FIRST), { url: 'http://127.0.0.1.site.example/' }],
    ['asks for a CID', available(FIRST), { url: 'https://127.0.0.1/ipfs/CID' }],
    ['asks below another site', available(FIRST), { url: `${SITE}/ipfs/CID` }],
    ['may be a user whom a proxy knows', { ...available(FIRST), authorization: 'Basic eA==' }],
    ['may be a user whom the site knows', { ...available(FIRST), cookie: 'id=1' }],
    ['is a page of another site that cannot read it', {
      ...available(FIRST), 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors'
    }],
    ['is a page of another site that does not say which', {
      ...available(FIRST), 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors'
    }],
    ['is of another site, and does something unknown', {
      ...available(FIRST), 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'other'
    }],
    ['wants a part', { ...available(FIRST), range: 'bytes=0-99' }]
  ])('is sent as before to a client that %s', async (_, headers, { url = `${SITE}/` } = {}) => {
    const site = await release()
    const response = await site.ask(headers, { url: url.replace('CID', site.second.toString()) })
    const whole = headers.range == null

    expect(codingOf(response)).toBe(null)
    expect((await bytesOf(response)).equals(whole ? SECOND : SECOND.subarray(0, 100))).toBe(true)
  })

  it.each<[string, Record<string, string>]>([
    ['https://site.example/', { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'no-cors' }],
    ['https://site.example/', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
    ['https://site.example/', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'same-origin' }],
    ['https://site.example/', { 'sec-fetch-site': 'cross-site' }],
    ['https://site.example/', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', origin: 'https://a.example' }],
    [`https://${NAME}.ipns.gateway.example/`, {}],
    [`http://${NAME}.ipns.localhost:8080/`, {}]
  ])('is sent with the dictionary at %s to a client with %o', async (url, headers) => {
    const response = await (await release()).ask({ ...available(FIRST), ...headers }, { url })
    await response.body?.cancel()

    expect(codingOf(response)).toBe('dcz')
    // which the algorithm for requests of other origins takes for granted, and nothing that is meant for one user
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('cache-control')).toMatch(/^public, /)
    expect(response.headers.get('set-cookie')).toBe(null)
  })

  it.each<[string, (etag: string) => string]>([
    ['compressed with the same dictionary', etag => `${etag}.dcz.${sha256(FIRST)}`],
    ['as it is, which it could be sent', etag => etag]
  ])('is not sent again to a client that has it %s', async (_, variant) => {
    const site = await release()
    const etag = `"${variant(`${site.second}`)}"`
    const response = await site.ask({ ...available(FIRST), 'if-none-match': `"other", ${etag}` })

    expect(response.status).toBe(304)
    expect(response.headers.get('etag')).toBe(etag)
    expect(response.headers.get('vary')).toContain('Available-Dictionary')
    expect(response.headers.get('vary')).toContain('Cookie')
  })

  it.each<[string, Record<string, string>]>([
    ['has another dictionary now', available(SECOND)],
    ['has none any more', {}],
    ['does not take the coding any more', { ...available(FIRST), 'accept-encoding': 'gzip' }]
  ])('is sent again to a client that %s: a cache may ask for others', async (_, headers) => {
    const site = await release()
    const response = await site.ask({ ...headers, 'if-none-match': `"${site.second}.dcz.${sha256(FIRST)}"` })

    expect(response.status).toBe(200)
    expect((await bytesOf(response)).equals(SECOND)).toBe(true)
  })

  it('has the original bytes in the answer to HEAD', async () => {
    const response = await (await release()).ask(available(FIRST), { method: 'HEAD' })

    expect(codingOf(response)).toBe(null)
    expect(response.headers.get('content-length')).toBe(`${SECOND.byteLength}`)
    expect(response.headers.get('vary')).toContain('Available-Dictionary')
  })

  it('is sent as before if its frames do not refer to the end of the base, as clients do', async () => {
    const site = await release({
      others: ({ based }) => ({ based: based && { ...based, regions: [{ offset: 0, length: FIRST.byteLength - 1 }] } })
    })
    const response = await site.ask(available(FIRST))

    expect(codingOf(response)).toBe(null)
    expect((await bytesOf(response)).equals(SECOND)).toBe(true)
  })

  it('is sent as before if it has large frames, or a base that is larger than a dictionary may be', async () => {
    const frames = await release({ others: ({ based }) => ({ based: based && { ...based, frameSize: 2 ** 23 + 1 } }) })
    expect(codingOf(await frames.ask(available(FIRST)))).toBe(null)

    const base = noise(16 * KIB * KIB + 8)
    const site = await release({ base, next: base.subarray(-100_000), first: { codec: 'none' } })
    expect((await site.fs.open(site.second)).based).toBeDefined()
    const response = await site.ask(available(base))
    await response.body?.cancel()
    expect(codingOf(response)).toBe(null)
  })

  it('is sent as before if its frames have no checksum, with which clients notice a wrong base', async () => {
    const site = await release({
      others: file => ({
        based: file.based && {
          ...file.based,
          frames: async function * () {
            for await (const bytes of file.based?.frames() ?? []) {
              const copy = bytes.slice()
              copy[4] &= ~4
              yield copy
            }
          }
        }
      })
    })
    const response = await site.ask(available(FIRST))

    expect(codingOf(response)).toBe(null)
    expect((await bytesOf(response)).equals(SECOND)).toBe(true)
  })
})

describe('a file whose other release the client has, at a gateway that compresses', () => {
  const THIRD = Buffer.concat([SECOND.subarray(0, 20 * KIB), text(200), SECOND.subarray(20 * KIB)])
  const large = Buffer.concat([text(5000), noise(4 * KIB * KIB), SECOND])

  /** The third release of a file, whose base is the first one; the client came at the second. */
  const third = async ({ gateway, ...init }: Init = {}): Promise<Release & { third: CID }> => {
    const site = await release({ ...init, gateway: { compressor: createCompressor({ files: true }), ...gateway } })

    return { ...site, third: await site.add(THIRD, { base: site.second }) }
  }
  it('is compressed with that release', async () => {
    const site = await third()
    const response = await site.ask(known(SECOND, site.second), { cid: site.third })
    const body = await bytesOf(response)

    expect(codingOf(response)).toBe('dcz')
    // weak: the bytes are the same for the same software only
    const etag = `W/"${site.third}.${sha256(SECOND)}.fast-dcz"`
    expect(response.headers.get('etag')).toBe(etag)
    expect(response.headers.get('vary')).toContain('Available-Dictionary')
    expect(Number(response.headers.get('content-length'))).toBe(body.byteLength)
    expect(body.byteLength).toBeLessThan(1000)
    expect(body.subarray(8, 40).toString('base64')).toBe(sha256(SECOND))
    expect(zstdDecompressSync(body.subarray(40), { dictionary: SECOND }).equals(THIRD)).toBe(true)
    expect(response.headers.get('use-as-dictionary')).toBe(`match="/", id="${unmark(site.third)}"`)

    const again = await site.ask({ ...known(SECOND, site.second), 'if-none-match': etag }, { cid: site.third })
    expect(again.status).toBe(304)
    expect(again.headers.get('etag')).toBe(etag)
    expect(again.headers.get('use-as-dictionary')).toBe(response.headers.get('use-as-dictionary'))
  })

  it('is sent as a copy of what the client has, if that is this release by now', async () => {
    const site = await third()
    const etag = `"${site.third}.dcz.${sha256(FIRST)}"`
    const response = await site.ask({ ...known(THIRD, site.third), 'if-none-match': etag }, { cid: site.third })
    const body = await bytesOf(response)

    expect(codingOf(response)).toBe('dcz')
    expect(response.headers.get('etag')).toBe(`W/"${site.third}.${sha256(THIRD)}.fast-dcz"`)
    expect(body.byteLength).toBeLessThan(100)
    expect(zstdDecompressSync(body.subarray(40), { dictionary: THIRD }).equals(THIRD)).toBe(true)
  })

  it('is compressed also if it has no base, or is older than what the client has', async () => {
    const site = await third()
    const alone = await site.add(THIRD)

    for (const [cid, bytes] of [[alone, THIRD], [site.first, FIRST]] as const) {
      const response = await site.ask(known(SECOND, site.second), { cid })
      const body = await bytesOf(response)

      expect(codingOf(response)).toBe('dcz')
      expect(zstdDecompressSync(body.subarray(40), { dictionary: SECOND }).equals(bytes)).toBe(true)
    }
  })

  it('is sent as it is stored, and offers no other dictionary, to a client that has the base', async () => {
    const site = await third()
    const response = await site.ask(known(FIRST, site.first), { cid: site.third })

    expect(codingOf(response)).toBe('dcz')
    expect(response.headers.get('etag')).toBe(`"${site.third}.dcz.${sha256(FIRST)}"`)
    expect(response.headers.get('use-as-dictionary')).toBe(null)
    expect(zstdDecompressSync((await bytesOf(response)).subarray(40), { dictionary: FIRST }).equals(THIRD)).toBe(true)
  })

  it('is the next dictionary of a client that has the base, once much has changed since', async () => {
    const site = await third()
    const added = noise(8 * KIB).map(byte => byte ^ 0x5a)
    const changed = await site.add(Buffer.concat([THIRD, added]), { base: site.second })
    const response = await site.ask(known(FIRST, site.first), { cid: changed })
    await response.body?.cancel()

    expect(codingOf(response)).toBe('dcz')
    expect(response.headers.get('use-as-dictionary')).toBe(`match="/", id="${unmark(changed)}"`)
  })

  it('is compressed once for all clients that have that release', async () => {
    const site = await third()
    await bytesOf(await site.ask(known(SECOND, site.second), { cid: site.third }))
    const before = site.read()
    const response = await site.ask(known(SECOND, site.second), { cid: site.third })
    const body = await bytesOf(response)

    expect(zstdDecompressSync(body.subarray(40), { dictionary: SECOND }).equals(THIRD)).toBe(true)
    // the roots of both, and of the base
    expect(site.read() - before).toBeLessThanOrEqual(4)
  })

  it.each<[string, (site: Release) => Record<string, string>]>([
    ['names no CID', () => ({ ...available(SECOND), 'dictionary-id': '"second"' })],
    ['names nothing', () => available(SECOND)],
    ['names no text', ({ second }) => ({ ...available(SECOND), 'dictionary-id': `${unmark(second)}` })],
    ['names too long a CID', () => ({ ...available(SECOND), 'dictionary-id': `"k${'2'.repeat(60_000)}"` })],
    ['names another CID than its dictionary has', ({ first }) => known(SECOND, first)],
    ['names a CID with its content', () => known(SECOND, CID.parse('bafkqaaa'))],
    ['names a root that is not here', () => known(SECOND, GONE)],
    ['has no hash', ({ second }) => ({ 'dictionary-id': `"${unmark(second)}"` })],
    ['does not take the coding', ({ second }) => ({ ...known(SECOND, second), 'accept-encoding': 'identity' })],
    ['has credentials', ({ second }) => ({ ...known(SECOND, second), cookie: 'a=b' })]
  ])('is sent as before to a client that %s', async (_, headers) => {
    const site = await third()
    const response = await site.ask({ 'accept-encoding': 'dcz', ...headers(site) }, { cid: site.third })

    expect(codingOf(response)).toBe(null)
    expect((await bytesOf(response)).equals(THIRD)).toBe(true)
  })

  it('is sent as before if what the client has helps little: then the time was for nothing', async () => {
    const site = await third()
    const other = await site.add(text(50_000))
    const response = await site.ask(
      { ...known(text(50_000), other), 'accept-encoding': 'dcz' }, { cid: site.third }
    )

    expect(codingOf(response)).toBe(null)
    expect((await bytesOf(response)).equals(THIRD)).toBe(true)
  })

  it.each<[string, Init]>([
    ['the gateway compresses only blocks', { gateway: { compressor: createCompressor() } }],
    ['no time is left for it', { gateway: { compressor: createCompressor({ files: true, cpuShare: 0 }) } }]
  ])('is sent as before if %s', async (_, init) => {
    const site = await third(init)
    const response = await site.ask({ ...known(SECOND, site.second), 'accept-encoding': 'dcz' }, { cid: site.third })

    expect(codingOf(response)).toBe(null)
    await response.body?.cancel()
  })

  it('is sent as before if the gateway does not serve the other release', async () => {
    let hidden = ''
    const site = await third({ gateway: { isServed: cid => unmark(cid).toString() !== hidden } })
    const headers = { ...known(SECOND, site.second), 'accept-encoding': 'dcz' }

    for (const [cid, coding] of [['', 'dcz'], [`${unmark(site.second)}`, null]] as const) {
      hidden = cid
      const response = await site.ask(headers, { cid: site.third })
      expect([response.status, codingOf(response)]).toEqual([200, coding])
      await response.body?.cancel()
    }
  })

  it('is sent as before if it or the other release is large: both would be in memory', async () => {
    const site = await third()
    const big = await site.add(large)
    const bigger = await site.add(Buffer.concat([large, text(100)]), { base: big, frameSize: 64 * KIB })
    const headers = { ...known(large, big), 'accept-encoding': 'dcz' }

    for (const cid of [bigger, site.third]) {
      const before = site.read()
      const response = await site.ask(headers, { cid })
      expect(codingOf(response)).toBe(null)
      await response.body?.cancel()
      // neither is read to be hashed
      expect(site.read() - before).toBeLessThan(12)
    }
  })
})

/** A shared cache between clients and a site: it obeys `Vary`, and asks again with every ETag that it has. */
function cached (
  ask: Release['ask']
): (headers: Record<string, string>) => Promise<{ body: Buffer, headers: Headers }> {
  const stored: Array<{ request: Record<string, string>, response: Response, body: Buffer }> = []

  return async headers => {
    const fits = (response: Response, request: Record<string, string>): boolean => (response.headers.get('vary') ?? '')
      .toLowerCase().split(/, */).every(name => request[name] === headers[name])
    const found = stored.find(({ response, request }) => fits(response, request))

    if (found != null) {
      return { body: found.body, headers: found.response.headers }
    }

    const etags = stored.map(({ response }) => response.headers.get('etag')).join(', ')
    const response = await ask({ ...headers, ...etags === '' ? {} : { 'if-none-match': etags } })

    if (response.status === 304) {
      const etag = response.headers.get('etag')
      const known = stored.find(({ response: { headers } }) => headers.get('etag') === etag)
      expect(known).toBeDefined()

      return { body: known?.body ?? Buffer.alloc(0), headers: known?.response.headers ?? response.headers }
    }

    const body = await bytesOf(response)
    expect(response.headers.get('cache-control')).toMatch(/^public, /)
    stored.push({ request: headers, response, body })

    return { body, headers: response.headers }
  }
}

describe('a shared cache before a site', () => {
  const plain = { 'accept-encoding': 'gzip, br, zstd, dcb, dcz' }
  const cases: Array<[string, Record<string, string>]> = [
    ['a user whom the site knows', { cookie: 'id=1' }],
    ['a user whom a proxy knows', { authorization: 'Basic eA==' }],
    ['a page of another site that cannot read it', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }]
  ]

  it.each(cases)('has no delta for %s, nor an offer of a dictionary', async (_, who) => {
    const site = await release({ gateway: { compressor: createCompressor({ files: true }) } })
    const ask = cached(site.ask)
    const headers = { ...plain, ...available(FIRST) }

    for (const asked of [headers, { ...headers, ...who }, { ...plain, ...who }]) {
      const { headers: sent } = await ask(asked)
      expect(sent.get('content-encoding') === 'dcz').toBe(asked === headers)
      expect(sent.has('use-as-dictionary')).toBe(false)
    }

    // nor does everybody else get what was meant for that one
    expect((await ask(headers)).headers.get('content-encoding')).toBe('dcz')
  })

  it('gives everyone bytes that they can decode, whatever dictionary they have', async () => {
    const site = await release({ gateway: { compressor: createCompressor({ files: true, cpuShare: 100 }) } })
    const ask = cached(site.ask)
    const clients: Array<[Record<string, string>, Buffer?]> = [
      [{ ...plain, ...available(FIRST) }, FIRST],
      [{ ...plain, ...known(SECOND, site.second) }, SECOND],
      [{ ...plain, ...available(text(50)) }],
      [{ 'accept-encoding': 'identity' }],
      [{ ...plain, ...available(FIRST), cookie: 'id=1' }]
    ]
    const codings: Array<string | null> = []

    for (const [request, dictionary = Buffer.alloc(8)] of [...clients, ...clients]) {
      const { body, headers } = await ask(request)
      const coding = headers.get('content-encoding')
      codings.push(coding)
      const decoded = coding === 'dcz' ? zstdDecompressSync(body.subarray(40), { dictionary }) : body

      expect((coding === 'gzip' ? gunzipSync(body) : decoded).equals(SECOND)).toBe(true)
    }

    expect(codings.slice(0, 2)).toEqual(['dcz', 'dcz'])
    expect(codings.slice(5)).toEqual(codings.slice(0, 5))
  })
})

/** Where the file of a site is as a dictionary. */
const addressOf = (cid: CID): string => `${SITE}/?dictionary=${unmark(cid)}`

describe('a file that may be a dictionary, at its own address', () => {
  it('may be kept for a month', async () => {
    const { ask, first } = await release()
    const response = await ask({}, { url: addressOf(first), cid: first })

    expect(response.headers.get('use-as-dictionary')).toBe('match="/?"')
    expect(response.headers.get('cache-control')).toBe('public, max-age=2592000, immutable')
    expect(response.headers.get('link')).toBe(null)
    expect(response.headers.get('vary')).toContain('Available-Dictionary')
    await response.body?.cancel()
  })

  it('is sent as a copy of what the client has, without being read again', async () => {
    const { ask, first, read } = await release()
    const init = { url: addressOf(first), cid: first }
    await bytesOf(await ask(available(FIRST), init))
    const before = read()
    const response = await ask(available(FIRST), init)
    const body = await bytesOf(response)

    expect(codingOf(response)).toBe('dcz')
    expect(response.headers.get('use-as-dictionary')).toBe('match="/?"')
    expect(Number(response.headers.get('content-length'))).toBe(body.byteLength)
    expect(body.byteLength).toBeLessThan(100)
    expect(body.subarray(8, 40).toString('base64')).toBe(sha256(FIRST))
    expect(zstdDecompressSync(body.subarray(40), { dictionary: FIRST }).equals(FIRST)).toBe(true)
    expect(read() - before).toBeLessThanOrEqual(2)
  })

  it('is compressed with the release before for a client that has that from its address', async () => {
    const { ask, first, second } = await release({ gateway: { compressor: createCompressor({ files: true }) } })
    const offered = await ask({}, { url: addressOf(first), cid: first })
    await offered.body?.cancel()
    expect(offered.headers.get('use-as-dictionary')).toBe(`match="/?*", id="${unmark(first)}"`)
    const response = await ask(known(FIRST, first), { url: addressOf(second) })

    expect(codingOf(response)).toBe('dcz')
    expect(zstdDecompressSync((await bytesOf(response)).subarray(40), { dictionary: FIRST }).equals(SECOND)).toBe(true)
  })

  it.each<[string, Record<string, string>]>([
    ['has another dictionary', available(SECOND)],
    ['has none', {}],
    ['does not take the coding', { ...available(FIRST), 'accept-encoding': 'identity' }],
    ['has credentials', { ...available(FIRST), cookie: 'a=b' }]
  ])('is sent whole to a client that %s', async (_, headers) => {
    const { ask, first } = await release()
    const response = await ask({ 'accept-encoding': 'dcz', ...headers }, { url: addressOf(first), cid: first })

    expect(codingOf(response)).toBe(null)
    expect((await bytesOf(response)).equals(FIRST)).toBe(true)
  })

  it('is at no address that names another file: that is fresh for as long as the name', async () => {
    const { ask, first, second } = await release()

    for (const name of [`${unmark(second)}`, '', 'x', `${first}`]) {
      const response = await ask(available(FIRST), { url: `${SITE}/?dictionary=${name}`, cid: first })

      expect(codingOf(response)).not.toBe('dcz')
      expect(response.headers.get('cache-control')).toBe('public, max-age=60')
      expect(response.headers.get('link')).toContain(`<?dictionary=${unmark(first)}>`)
      await response.body?.cancel()
    }
  })

  it.each([1024, 1025, 65_539, 128 * KIB - 1, 128 * KIB, 128 * KIB + 1, 256 * KIB + 1, 8 * KIB * KIB - 3])(
    'has %d bytes as a copy of a dictionary', size => {
      const dictionary = noise(size)

      expect(zstdDecompressSync(copyFrame(size), { dictionary }).equals(dictionary)).toBe(true)
      expect(copyFrame(size).byteLength).toBeLessThan(1000)
    }
  )
})

describe('a file that may be a dictionary', () => {
  const headersOf = async (path: string, headers = {}, base = SITE, next = text(50_000)): Promise<Headers> => {
    const { fs, first, ask } = await release({ base: next })
    const file = path.slice(path.lastIndexOf('/') + 1)
    const directory = await fs.addDirectory()
    const tree = await fs.cp(first, directory, file)
    const response = await ask(headers, { url: `${base}${path}`, cid: tree })
    await response.body?.cancel()
    expect(response.status).toBe(200)

    return response.headers
  }

  it('is offered for its path, for as long as it is fresh, and has an address where it stays so', async () => {
    const headers = await headersOf('/app.js')

    expect(headers.get('use-as-dictionary')).toBe('match="/app.js"')
    expect(headers.get('cache-control')).toBe('public, max-age=60')
    expect(headers.get('link')).toMatch(/^<\?dictionary=baf\w+>; rel="compression-dictionary"$/)
    // whether it is offered depends on the request, but not what is sent
    expect(headers.get('vary')).toBe(`Accept, Accept-Encoding, ${CONDITIONS}`)
  })

  it('is offered for a month if its name changes with its content', async () => {
    const headers = await headersOf('/index-Bx1Hs_kq.js')

    expect(headers.get('use-as-dictionary')).toBe('match="/index-*.js"')
    expect(headers.get('cache-control')).toBe('public, max-age=60, stale-while-revalidate=2592000')
    expect(headers.get('link')).toBe(null)
  })

  it('is kept as before if its path has what means something in patterns, but no fingerprint', async () => {
    const headers = await headersOf('/(a).js')

    expect(headers.get('use-as-dictionary')).toBe('match="/*a*.js"')
    expect(headers.get('cache-control')).toBe('public, max-age=60')
    expect(headers.get('link')).toMatch(/^<\?dictionary=/)
  })

  it.each<[string, Record<string, string>, string, Uint8Array]>([
    ['without encryption', {}, 'http://site.example', text(50_000)],
    ['with credentials', { cookie: 'a=b' }, SITE, text(50_000)],
    ['with a password', { authorization: 'Basic eA==' }, SITE, text(50_000)],
    ['to a page of another site that cannot read it', {
      'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors'
    }, SITE, text(50_000)],
    ['to one that does not say which it is', {
      'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors'
    }, SITE, text(50_000)],
    ['if it is tiny', {}, SITE, text(900)]
  ])('is not offered %s', async (_, headers, base, bytes) => {
    const sent = await headersOf('/app.js', headers, base, bytes)

    expect(sent.get('use-as-dictionary')).toBe(null)
    expect(sent.get('link')).toBe(null)
  })

  it.each<[path: string, pattern: string | undefined]>([
    ['/', '/'],
    ['/a/b.html', '/a/b.html'],
    ['/a%20b.js', '/a%20b.js'],
    ['/assets/index-Bx1Hs_kq.js', '/assets/index-*.js'],
    ['/assets/my-part-Bx1Hs-kq.min.css', '/assets/my-part-*.min.css'],
    // without a digit, as a quarter of them
    ['/assets/index-BwOPSdeb.js', '/assets/index-*.js'],
    ['/assets/index-C_gcIYdA.css', '/assets/index-*.css'],
    ['/assets/module--QdMvsKi.css', '/assets/module-*.css'],
    // after what is as long, with few letters of words, and with the names of packages
    ['/guide_archives-and-datasets.md.DMjgTKpU.lean.js', '/guide_archives-and-datasets.md.*.lean.js'],
    ['/playground.md.Bdmwrmfk.js', '/playground.md.*.js'],
    ['/api_index.md.DygiTjhk.js', '/api_index.md.*.js'],
    ['/lzo-js-CICXMWXB.js', '/lzo-js-*.js'],
    ['/api/@ipfsz/core.html', '/api/@ipfsz/core.html'],
    ['/api_@ipfsz_core.md.DqX_92jb.js', '/api_@ipfsz_core.md.*.js'],
    ['/app-DarkMode.js', '/app-DarkMode.js'],
    ['/app-Abstract.js', '/app-Abstract.js'],
    ['/app-HTMLPage.js', '/app-HTMLPage.js'],
    ['/app-my-parts.js', '/app-my-parts.js'],
    ['/main.3f9a1b2c.js', '/main.*.js'],
    ['/main.3f9a1b2c4d5e6f708192.chunk.js', '/main.*.chunk.js'],
    ['/3f9a1b2c.js', '/3f9a1b2c.js'],
    ['/3f9a1b2c/app.js', '/3f9a1b2c/app.js'],
    ['/report-20260101.js', '/report-20260101.js'],
    ['/app-Settings.js', '/app-Settings.js'],
    ['/app-release1.js', '/app-release1.js'],
    ["/!$&',;=[a].js", "/!$&',;=[a].js"],
    ['/a*b:c+.js', '/a*b*c*.js'],
    ['/(group)/page-3f9a1b2c4d5e6f70.js', '/*group*/page-*.js'],
    ['/a.(b)', undefined],
    ['/{a}.js', undefined],
    ['/a"b.js', undefined],
    ['/a\\b.js', undefined],
    ['/é.js', undefined]
  ])('of the path %s matches %s', (path, pattern) => {
    expect(patternOf(path)).toBe(pattern)
  })
})
