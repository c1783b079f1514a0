/**
 * The cases of @helia/verified-fetch's own tests for ranges, conditions and HEAD, and some more: with a plain CID,
 * which the package answers itself, and with a marked one, which the plugin answers.
 */
import { describe, expect, it } from 'vitest'
import { make } from './fixtures.ts'
import type { VerifiedFetch } from '@helia/verified-fetch'
import type { CID } from 'multiformats/cid'

const TEXT = 'hello world'
const WHOLE = `bytes 0-10/${TEXT.length}`
const IMMUTABLE = 'public, max-age=29030400, immutable'
/** A block that nobody has: marked, and plain. */
const ABSENT = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'

type Kind = 'plain' | 'marked'

interface Files extends Record<Kind, CID> {
  fetch: VerifiedFetch
}

/** The same text as a plain and as a marked file. */
async function addFiles (): Promise<Files> {
  const { fetch, fs } = await make()
  const bytes = new TextEncoder().encode(TEXT)

  return {
    fetch,
    plain: await fs.addBytes(bytes, { compression: { codec: 'none' } }),
    marked: await fs.addBytes(bytes, { compression: { codec: 'zstd', detect: false } })
  }
}

/** Status, range and body of a response. An error has no body here: each says it in its own words. */
async function partOf (response: Response): Promise<[number, string | null, string | undefined]> {
  const body = await response.text()

  return [response.status, response.headers.get('content-range'), response.ok ? body : undefined]
}

/** The parts of a body with several: type, range and bytes of each. */
function partsOf (body: string, boundary: string): string[][] {
  const [start, ...parts] = body.split(`--${boundary}`)
  expect([start, parts.pop()]).toEqual(['', '--\r\n'])

  return parts.map(part => part.split('\r\n').filter(line => line !== ''))
}

describe('a range of a plain and a marked CID', () => {
  it.each<[range: string, status: number, contentRange: string | null, body?: string]>([
    ['bytes=0-5', 206, 'bytes 0-5/11', 'hello '],
    ['bytes=4-', 206, 'bytes 4-10/11', 'o world'],
    ['bytes=-9', 206, 'bytes 2-10/11', 'llo world'],
    ['bytes=3-5', 206, 'bytes 3-5/11', 'lo '],
    ['bytes=0-0', 206, 'bytes 0-0/11', 'h'],
    ['bytes=10-10', 206, 'bytes 10-10/11', 'd'],
    ['bytes=0-10', 206, WHOLE, TEXT],
    ['bytes=0-', 206, WHOLE, TEXT],
    ['bytes=11-', 416, 'bytes */11'],
    ['bytes=50-', 416, 'bytes */11'],
    // the package refuses these before it looks for a plugin, though they are to be ignored
    ['bytes=-0-', 416, null],
    ['bytes=foobar', 416, null],
    ['bytes=', 416, null],
    ['lines=0-5', 416, null]
  ])('%s is the same', async (range, ...expected) => {
    const { fetch, plain, marked } = await addFiles()

    for (const cid of [plain, marked]) {
      const response = await fetch(cid, { headers: { range } })

      expect([response.type, response.statusText])
        .toEqual(['basic', response.status === 206 ? 'Partial Content' : 'Range Not Satisfiable'])
      expect(await partOf(response)).toEqual([...expected, undefined].slice(0, 3))
    }
  })

  // the package refuses ranges that end after the file, and takes the others at their word
  it.each<[range: string, status: number, contentRange: string | null, body?: string]>([
    ['bytes=0-900', 206, WHOLE, TEXT],
    ['bytes=-50', 206, WHOLE, TEXT],
    ['bytes=-11', 206, WHOLE, TEXT],
    ['bytes=-0', 416, 'bytes */11'],
    ['bytes=5-3', 200, null, TEXT]
  ])('%s follows RFC 9110 for the marked one', async (range, ...expected) => {
    const { fetch, plain, marked } = await addFiles()

    expect(await partOf(await fetch(marked, { headers: { range } }))).toEqual([...expected, undefined].slice(0, 3))
    expect((await partOf(await fetch(plain, { headers: { range } })).catch(() => []))).not.toEqual(expected)
  })

  it('has parts if there are several', async () => {
    const { fetch, plain, marked } = await addFiles()

    for (const cid of [plain, marked]) {
      const response = await fetch(`ipfs://${cid}?filename=a.bin`, { headers: { range: 'bytes=0-2,3-5' } })
      const [, type, boundary] = /^(multipart\/byteranges); boundary=([\w-]+)$/
        .exec(response.headers.get('content-type') ?? '') ?? []

      expect([response.status, response.statusText, type]).toEqual([206, 'Partial Content', 'multipart/byteranges'])
      expect(partsOf(await response.text(), boundary)).toEqual([
        ['Content-Type: application/octet-stream', 'Content-Range: bytes 0-2/11', 'hel'],
        ['Content-Type: application/octet-stream', 'Content-Range: bytes 3-5/11', 'lo ']
      ])
    }
  })

  it('has at most 64 parts, and is the whole marked file if more are asked for', async () => {
    const { fetch, marked } = await addFiles()
    const statusOf = async (count: number): Promise<number> => {
      const range = `bytes=${Array.from({ length: count }, () => '0-2').join(',')}`

      return (await fetch(marked, { headers: { range } })).status
    }

    expect([await statusOf(64), await statusOf(65)]).toEqual([206, 200])
  })

  it('has an ETag: of the marked one that of the whole file, so that If-Range can match', async () => {
    const { fetch, plain, marked } = await addFiles()
    const etag = async (cid: CID, range?: string): Promise<string | null> =>
      (await fetch(cid, { headers: range == null ? {} : { range } })).headers.get('etag')

    expect(await etag(plain, 'bytes=3-5')).toBe(`"${plain}.3-5"`)
    expect(await etag(marked, 'bytes=3-5')).toBe(`"${marked}"`)
    expect(await etag(marked, 'bytes=0-2,3-5')).toBe(`"${marked}"`)
    expect(await etag(marked)).toBe(`"${marked}"`)
  })

  it('counts only if its If-Range matches, for the marked one', async () => {
    const { fetch, marked } = await addFiles()
    const statusOf = async (ifRange: string): Promise<number> =>
      (await fetch(marked, { headers: { range: 'bytes=0-5', 'if-range': ifRange } })).status

    expect(await statusOf(`"${marked}"`)).toBe(206)
    expect(await statusOf(`W/"${marked}"`)).toBe(200)
    expect(await statusOf('"other"')).toBe(200)
    expect(await statusOf('Mon, 02 Jan 2023 00:00:00 GMT')).toBe(200)
  })
})

describe('a condition on a plain and a marked CID', () => {
  it.each<[name: string, ifNoneMatch: (etag: string) => string, status: number]>([
    ['is the ETag', etag => etag, 304],
    ['is the ETag, weak', etag => `W/${etag}`, 304],
    ['is one of several ETags', etag => `"herp", "derp", ${etag}`, 304],
    ['is a wildcard', () => '*', 304],
    ['is another ETag', etag => `${etag.slice(0, -1)}-other"`, 200],
    ['is not quoted', etag => etag.slice(1, -1), 200],
    ['is empty', () => '""', 200],
    ['is empty and weak', () => 'W/""', 200]
  ])('counts if its If-None-Match %s', async (_, ifNoneMatch, status) => {
    const { fetch, plain, marked } = await addFiles()

    for (const cid of [plain, marked]) {
      // with a path, the package does not answer before it looks for a plugin
      for (const url of [`ipfs://${cid}`, `ipfs://${cid}?filename=a.txt`]) {
        const first = await fetch(url)
        const etag = first.headers.get('etag') ?? expect.fail('there is no ETag')
        const second = await fetch(url, { headers: { 'if-none-match': ifNoneMatch(etag) } })

        expect(second.status).toBe(status)
        expect(second.headers.get('etag')).toBe(etag)
        expect(second.headers.get('cache-control')).toBe(first.headers.get('cache-control'))
        expect(await second.text()).toBe(status === 304 ? '' : await first.text())
      }
    }
  })

  it('needs no block to match a CID', async () => {
    const { fetch } = await make()

    for (const cid of [ABSENT, 'bagalj7ibciqbinq5vnyfb343rsu72mwh5voq3drwpn3w55feg2qtoqz4mjvrxli']) {
      const response = await fetch(`ipfs://${cid}`, { headers: { 'if-none-match': `"${cid}"` } })

      expect([response.status, response.headers.get('etag'), response.headers.get('cache-control')])
        .toEqual([304, `"${cid}"`, IMMUTABLE])
    }
  })

  it.each([
    ['If-Modified-Since', { 'if-modified-since': 'Mon, 02 Jan 2023 00:00:00 GMT' }],
    ['If-Unmodified-Since', { 'if-unmodified-since': 'Mon, 02 Jan 2023 00:00:00 GMT' }]
  ])('is ignored if it is %s: files have no date', async (_, headers) => {
    const { fetch, plain, marked } = await addFiles()

    for (const cid of [plain, marked]) {
      expect(await partOf(await fetch(cid, { headers }))).toEqual([200, null, TEXT])
    }
  })

  it('comes before a range', async () => {
    const { fetch, marked } = await addFiles()

    expect((await fetch(marked, { headers: { range: 'bytes=0-5', 'if-none-match': `"${marked}"` } })).status).toBe(304)
    expect((await fetch(marked, { headers: { range: 'bytes=0-5', 'if-none-match': '"other"' } })).status).toBe(206)
  })

  it('refuses to fetch with only-if-cached', async () => {
    const { fetch } = await make()

    for (const cid of [ABSENT, 'bagalj7ibciqbinq5vnyfb343rsu72mwh5voq3drwpn3w55feg2qtoqz4mjvrxli']) {
      expect((await fetch(`ipfs://${cid}`, { headers: { 'cache-control': 'only-if-cached' } })).status).toBe(412)
    }
  })
})

describe('a HEAD of a plain and a marked CID', () => {
  it('has the headers of a GET, and no body', async () => {
    const { fetch, plain, marked } = await addFiles()

    for (const cid of [plain, marked]) {
      const url = `ipfs://${cid}?filename=a.txt`
      const [get, head] = [await fetch(url), await fetch(url, { method: 'HEAD' })]

      expect([head.status, await head.text()]).toEqual([200, ''])
      expect([...head.headers]).toEqual([...get.headers])
    }
  })

  it('has the status of what it asks for, if that is marked', async () => {
    const { fetch, marked } = await addFiles()
    const statusOf = async (url: string, headers = {}): Promise<number> =>
      (await fetch(url, { method: 'HEAD', headers })).status

    // a file has nothing below it
    expect(await statusOf(`ipfs://${marked}/missing`)).toBe(404)
    expect(await statusOf(`ipfs://${marked}/missing`, { 'if-none-match': '*' })).toBe(404)
    expect(await statusOf(`ipfs://${marked}?filename=a.txt`, { 'if-none-match': `"${marked}"` })).toBe(304)
    // ranges are for GET (RFC 9110, section 14.2)
    expect(await statusOf(`ipfs://${marked}`, { range: 'bytes=0-5' })).toBe(200)
  })
})
