import { createVerifiedFetchWithHelia } from '@helia/verified-fetch'
import { unmark } from '@ipfsz/core'
import { CarReader } from '@ipld/car'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { same, text } from '../../../test/support/data.ts'
import { make } from './fixtures.ts'
import type { Made } from './fixtures.ts'

const TEXT = text(300_000)
const FRAME = 65_536

async function bytesOf (response: Response): Promise<Uint8Array> {
  return new Uint8Array(await response.arrayBuffer())
}

/** A compressed file of text, in several frames. */
async function withFile (): Promise<Made & { url: string, cid: CID }> {
  const made = await make()
  const cid = await made.fs.addBytes(TEXT, { compression: { frameSize: FRAME } })

  return { ...made, cid, url: `ipfs://${cid}` }
}

/** A compressed tree with a website in it. */
async function withTree (): Promise<Made & { root: CID }> {
  const made = await make()
  let root: CID | undefined

  for await (const { cid, path } of made.fs.addAll([
    { path: 'site/index.html', content: new TextEncoder().encode('<h1>start</h1>'.repeat(200)) },
    { path: 'site/a b/ä.txt', content: TEXT },
    { path: 'site/docs/index.html', content: new TextEncoder().encode('<h1>docs</h1>'.repeat(200)) },
    { path: 'site/_redirects', content: new TextEncoder().encode('/old /docs/ 301\n/gone https://example.com/ 302\n') }
  ])) {
    root = path === 'site' ? cid : root
  }

  return { ...made, root: root ?? expect.fail('there is no root') }
}

describe('a marked file', () => {
  it('is the CAR of its plain CID by ?format=car', async () => {
    const { fetch, url, cid } = await withFile()
    const car = await fetch(`${url}?format=car`)
    const reader = await CarReader.fromBytes(await bytesOf(car))

    expect([car.status, car.headers.get('content-type')?.split(';')[0]]).toEqual([200, 'application/vnd.ipld.car'])
    expect(String(await reader.getRoots())).toBe(String(unmark(cid)))
    expect(await reader.has(unmark(cid))).toBe(true)
  })

  it.each([
    ['a%2fb', 400], ['?format=unknown', 400], ['?filename=%zz', 200], ['%25zz', 404]
  ])('of which %s is asked for is answered with %d', async (asked, status) => {
    const { fetch, url } = await withFile()
    const response = await fetch(asked.startsWith('?') ? `${url}${asked}` : `${url}/${asked}`)

    expect(response.status).toBe(status)
    await response.body?.cancel()
  })

  it.each([
    ['ipfs://CID/%zz'], ['ipfs://CID/a%'], ['ipfs://CID/a/%ff/b?format=raw'], ['/ipfs/CID/%c3'], ['ipns://example.com/%zz']
  ])('is answered with 400 for the path of %s, which is not percent-encoded UTF-8', async resource => {
    const { fetch, cid } = await withFile()
    const url = resource.replace('CID', String(cid))
    const [get, head, byUrl] = await Promise.all([
      fetch(url),
      fetch(url, { method: 'HEAD' }),
      fetch(url.startsWith('/') ? url : new URL(url))
    ])

    expect([get.status, get.statusText, get.url, head.status, byUrl.status])
      .toEqual([400, 'Bad Request', url, 400, 400])
    expect([await get.text(), await head.text()]).toEqual([expect.stringContaining('percent-encoded'), ''])
    expect((await fetch(url, { method: 'OPTIONS' })).status).toBe(200)
    await expect(fetch(url, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('is answered with 400 for what is no resource, as without the check of paths', async () => {
    const { fetch } = await withFile()

    expect((await fetch('%zz:')).status).toBe(400)
  })

  it('is the original, with its type and length', async () => {
    const { fetch, url } = await withFile()

    const response = await fetch(`${url}?filename=a.txt`)

    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/)
    expect(response.headers.get('content-length')).toBe(String(TEXT.byteLength))
    expect(response.headers.get('content-encoding')).toBeNull()
    expect(response.url).toBe(`${url}?filename=a.txt`)
    expect(response.redirected).toBe(false)
    expect(same(await bytesOf(response), TEXT)).toBe(true)
  })

  it('is the original whatever encodings the request accepts: nothing would decompress them', async () => {
    const { fetch, cid } = await withFile()

    const response = await fetch(cid, { headers: { 'accept-encoding': 'zstd, gzip' } })

    expect(response.headers.get('content-encoding')).toBeNull()
    expect(same(await bytesOf(response), TEXT)).toBe(true)
  })

  it.each([
    ['bytes=0-9', 0, 10],
    [`bytes=${FRAME - 5}-${FRAME + 4}`, FRAME - 5, FRAME + 5],
    ['bytes=-100', TEXT.byteLength - 100, TEXT.byteLength],
    ['bytes=299000-', 299_000, TEXT.byteLength]
  ])('is read in part: %s', async (range, start, end) => {
    const { fetch, url } = await withFile()

    const response = await fetch(url, { headers: { range } })

    expect(response.status).toBe(206)
    expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${TEXT.byteLength}`)
    expect(same(await bytesOf(response), TEXT.subarray(start, end))).toBe(true)
  })

  it('is read in several parts at once, without those that it does not have', async () => {
    const { fetch, url } = await withFile()

    const response = await fetch(`${url}?filename=a.txt`, {
      headers: { range: `bytes=900000-, 0-4, ${FRAME - 2}-${FRAME + 1}` }
    })
    const [, boundary] = response.headers.get('content-type')?.split('boundary=') ?? []
    const part = (start: number, end: number): string => [
      `--${boundary}`,
      'Content-Type: text/plain; charset=utf-8',
      `Content-Range: bytes ${start}-${end - 1}/${TEXT.byteLength}`,
      '',
      `${new TextDecoder().decode(TEXT.subarray(start, end))}\r\n`
    ].join('\r\n')

    expect(response.status).toBe(206)
    expect(response.headers.get('content-type')).toMatch(/^multipart\/byteranges; /)
    expect(await response.text()).toBe(`${part(0, 5)}${part(FRAME - 2, FRAME + 2)}--${boundary}--\r\n`)
  })

  it.each(['bytes=300000-', 'bytes=400000-500000, 300000-'])('refuses ranges after its end: %s', async range => {
    const { fetch, url } = await withFile()

    const response = await fetch(url, { headers: { range } })

    expect(response.status).toBe(416)
    expect(response.headers.get('content-range')).toBe(`bytes */${TEXT.byteLength}`)
  })

  it('is not sent again to who has it', async () => {
    const { fetch, url } = await withFile()
    const etag = (await fetch(`${url}?filename=a.txt`)).headers.get('etag') ?? ''

    const response = await fetch(`${url}?filename=a.txt`, { headers: { 'if-none-match': etag } })

    expect(etag).toMatch(/^".+"$/)
    expect(response.status).toBe(304)
  })

  it('has a head without a body', async () => {
    const { fetch, url } = await withFile()

    const response = await fetch(url, { method: 'HEAD' })

    expect(response.status).toBe(200)
    expect(response.headers.get('content-length')).toBe(String(TEXT.byteLength))
    expect((await bytesOf(response)).byteLength).toBe(0)
  })

  it('reports its progress, with the frames that are decompressed', async () => {
    const { fetch, url } = await withFile()
    const types: string[] = []

    await bytesOf(await fetch(url, { onProgress: ({ type }) => { types.push(type) } }))

    expect(types).toContain('verified-fetch:request:start')
    expect(types).toContain('ipfsz:cat:frame')
  })

  it('can be stopped', async () => {
    const { fetch, url } = await withFile()
    const stopped = new AbortController()
    const response = await fetch(url, { signal: stopped.signal })

    stopped.abort()
    // Chromium's arrayBuffer() has an error of its own
    await expect(Array.fromAsync(response.body ?? [])).rejects.toMatchObject({ name: 'AbortError' })
    await expect(fetch(url, { signal: stopped.signal })).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('fails if a block is damaged, and gives no byte of it', async () => {
    const { fetch, fs, blockstore } = await make()
    const damaged = await fs.addBytes(text(3_000_000))
    const plain = unmark(damaged)

    for await (const { cid } of blockstore.getAll()) {
      if (!cid.multihash.bytes.every((byte, i) => byte === plain.multihash.bytes[i])) {
        blockstore.put(cid, new Uint8Array(10))
      }
    }

    const response = await fetch(`ipfs://${damaged}`, { offline: true })

    expect(response.status).toBe(500)
    expect(await response.text()).toContain('damaged')
  })
})

describe('a marked tree', () => {
  it('has files, by paths with any names', async () => {
    const { fetch, root } = await withTree()

    const response = await fetch(`ipfs://${root}/a%20b/%C3%A4.txt`)

    expect(response.headers.get('content-type')).toMatch(/^text\/plain/)
    expect(same(await bytesOf(response), TEXT)).toBe(true)
  })

  it('shows index.html, after a redirect to the slash', async () => {
    const { fetch, root } = await withTree()

    const start = await fetch(`ipfs://${root}/`)
    const docs = await fetch(`ipfs://${root}/docs`)

    expect(await start.text()).toContain('<h1>start</h1>')
    expect(docs.redirected).toBe(true)
    expect(docs.url).toBe(`ipfs://${root}/docs/`)
    expect(docs.headers.get('content-type')).toMatch(/^text\/html/)
    expect(await docs.text()).toContain('<h1>docs</h1>')
  })

  it('follows _redirects, but not to other sites', async () => {
    const { fetch, root } = await withTree()

    const old = await fetch(`ipfs://${root}/old`)
    const manual = await fetch(`ipfs://${root}/old`, { redirect: 'manual' })
    const gone = await fetch(`ipfs://${root}/gone`)

    expect(await old.text()).toContain('<h1>docs</h1>')
    expect([manual.status, gone.status]).toEqual([301, 302])
    expect(gone.headers.get('location')).toBe('https://example.com/')
    await expect(fetch(`ipfs://${root}/old`, { redirect: 'error' }).then(({ ok }) => ok, () => false)).resolves.toBe(false)
  })

  it('answers 404 for what it does not have', async () => {
    const { fetch, root } = await withTree()

    expect((await fetch(`ipfs://${root}/nothing`)).status).toBe(404)
  })

  it('is found by IPNS names, also by those that lead to a path in it', async () => {
    const { blockstore, root } = await withTree()
    const key = CID.createV1(0x72, identity.digest(new Uint8Array(36)))
    const { fetch } = await make({
      ipnsResolver: {
        resolve: async function * () {
          yield { record: { data: new Uint8Array([0xa0]), ttl: 0n } as never, value: `/ipfs/${root}/a b` }
        }
      }
    }, blockstore)

    const response = await fetch(`ipns://${key}/%C3%A4.txt`)

    expect(same(await bytesOf(response), TEXT)).toBe(true)
  })
})

describe('a plain CID', () => {
  it('is answered as before', async () => {
    const { fetch, cid, helia } = await withFile()
    const bytes = new TextEncoder().encode('plain')
    const plain = CID.createV1(raw.code, await sha256.digest(bytes))
    await helia.blockstore.put(plain, bytes)
    const stock = await createVerifiedFetchWithHelia(helia)

    for (const url of [`ipfs://${plain}`, `ipfs://${unmark(cid)}`]) {
      const [ours, theirs] = [await fetch(url), await stock(url)]

      expect([...ours.headers]).toEqual([...theirs.headers])
      expect(same(await bytesOf(ours), await bytesOf(theirs))).toBe(true)
    }
  })
})
