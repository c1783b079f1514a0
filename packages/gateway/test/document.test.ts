import * as dagCbor from '@ipld/dag-cbor'
import { describe, expect, it } from 'vitest'
import { ipfsz } from '@ipfsz/core'
import { OpenedFile } from '../src/resolve/opened-file.ts'
import { respondDocument } from '../src/respond/document/document.ts'
import { longText, text } from '../../../test/support/data.ts'
import { CBOR, contextOf, JSON_CODEC, store } from './dag-fixtures.ts'
import type { Store } from './dag-fixtures.ts'
import type { CID } from 'multiformats/cid'

const PLAIN_JSON = { code: 0x0200, encode: (value: unknown) => new TextEncoder().encode(JSON.stringify(value)) }
const PLAIN_CBOR = { code: 0x51, encode: (value: unknown) => dagCbor.encode(value) }
const VALUE = { hello: 'world', list: [1, 2, 3] }
const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8'

type Init = Parameters<typeof contextOf>[3]

async function ask (here: Store, cid: CID, query = '', init: Init = {}): Promise<Response> {
  return respondDocument(contextOf(here, `/ipfs/${cid}${query}`, { cid }, init))
}

async function askFile (here: Store, content: Uint8Array, query = '?format=json', init: Init = {}): Promise<Response> {
  const cid = await ipfsz(here).addBytes(content, { compression: { codec: 'gzip', detect: false } })

  return askAs(here, cid, query, init)
}

async function askAs (here: Store, cid: CID, query: string, init: Init): Promise<Response> {
  const fs = ipfsz(here)
  const resolved = { cid, stats: await fs.stat(cid), file: new OpenedFile(cid, fs) }

  return respondDocument(contextOf(here, `/ipfs/${cid}${query}`, resolved, init))
}

describe('the response of a document', () => {
  it.each([
    ['json', PLAIN_JSON, 'inline', 'json', 'application/json'],
    ['cbor', PLAIN_CBOR, 'attachment', 'cbor', 'application/cbor'],
    ['dag-json', JSON_CODEC, 'inline', 'json', 'application/vnd.ipld.dag-json'],
    ['dag-cbor', CBOR, 'attachment', 'cbor', 'application/vnd.ipld.dag-cbor']
  ])('is the block as it is, for %s', async (format, codec, disposition, extension, type) => {
    const here = store()
    const cid = await here.put(codec, VALUE)
    const block = codec.encode(VALUE)

    for (const [query, init] of [['', {}], [`?format=${format}`, {}], ['', { headers: { accept: type } }]] as const) {
      const response = await ask(here, cid, query, init)

      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': type,
        'content-length': String(block.byteLength),
        'content-disposition': `${disposition}; filename="${cid}.${extension}"`,
        'cache-control': 'public, max-age=29030400, immutable',
        etag: `"${cid}.${format}"`
      })
      expect(await response.bytes()).toEqual(new Uint8Array(block))
    }

    const named = await ask(here, cid, `?filename=a.${extension}&download=true`)
    expect(named.headers.get('content-disposition')).toBe(`attachment; filename="a.${extension}"`)

    const head = await ask(here, cid, '', { method: 'HEAD' })
    expect([head.body, head.headers.get('content-length')]).toEqual([null, String(block.byteLength)])

    const again = await ask(here, cid, '', { headers: { 'if-none-match': `"${cid}.${format}"` } })
    expect(again.status).toBe(304)
  })

  it('is plain JSON or CBOR, if that is asked for', async () => {
    const here = store()

    for (const [format, codec] of [['json', JSON_CODEC], ['cbor', CBOR]] as const) {
      const cid = await here.put(codec, VALUE)

      for (const init of [{}, { headers: { accept: `application/${format}` } }]) {
        const response = await ask(here, cid, 'headers' in init ? '' : `?format=${format}`, init)

        expect(response.headers.get('content-type')).toBe(`application/${format}`)
        expect(response.headers.get('etag')).toBe(`"${cid}.${format}"`)
        expect(await response.bytes()).toEqual(new Uint8Array(codec.encode(VALUE)))
      }
    }
  })

  it('is never converted', async () => {
    const here = store()
    const refused = [
      [JSON_CODEC, 'dag-cbor'], [JSON_CODEC, 'cbor'], [CBOR, 'dag-json'], [CBOR, 'json'], [PLAIN_JSON, 'dag-json'],
      [PLAIN_CBOR, 'dag-cbor'], [PLAIN_JSON, 'cbor'], [PLAIN_CBOR, 'json']
    ] as const

    for (const [codec, format] of refused) {
      const cid = await here.put(codec, VALUE)
      await expect(ask(here, cid, `?format=${format}`)).rejects.toMatchObject({ status: 406 })
    }

    for (const format of ['dag-json', 'dag-cbor', 'cbor']) {
      await expect(askFile(here, text(100), `?format=${format}`)).rejects.toMatchObject({ status: 406 })
    }
  })

  it('has one range', async () => {
    const here = store()
    const cid = await here.put(PLAIN_JSON, VALUE)
    const block = PLAIN_JSON.encode(VALUE)
    const range = async (range: string, headers = {}): Promise<[number, string | null, string]> => {
      const response = await ask(here, cid, '', { headers: { range, ...headers } })

      return [response.status, response.headers.get('content-range'), await response.text()]
    }
    const size = block.byteLength
    const all = new TextDecoder().decode(block)

    expect(await range('bytes=7-9')).toEqual([206, `bytes 7-9/${size}`, all.slice(7, 10)])
    expect(await range('bytes=5-')).toEqual([206, `bytes 5-${size - 1}/${size}`, all.slice(5)])
    expect(await range('bytes=-5')).toEqual([206, `bytes ${size - 5}-${size - 1}/${size}`, all.slice(-5)])
    expect(await range('bytes=-999')).toEqual([206, `bytes 0-${size - 1}/${size}`, all])
    expect(await range('bytes=0-999', { 'if-range': `"${cid}.json"` }))
      .toEqual([206, `bytes 0-${size - 1}/${size}`, all])
    expect((await range(`bytes=${size}-`)).slice(0, 2)).toEqual([416, `bytes */${size}`])
    expect((await range('bytes=-0')).slice(0, 2)).toEqual([416, `bytes */${size}`])
    expect(await range('bytes=1-2,4-5')).toEqual([206, `bytes 1-2/${size}`, all.slice(1, 3)])

    for (const whole of ['bytes=5-2', 'bytes=-', 'lines=1-2', 'bytes=x-']) {
      expect(await range(whole)).toEqual([200, null, all])
    }

    expect(await range('bytes=7-9', { 'if-range': '"other"' })).toEqual([200, null, all])
  })

  it('is a page for browsers, with what is in the document escaped', async () => {
    const here = store()
    const file = await here.put(PLAIN_JSON, 1)

    for (const codec of [JSON_CODEC, CBOR]) {
      const cid = await here.put(codec, { '<script>alert(1)</script>': '"&\'', file, zz: '{"/": "<b>"}' })
      const response = await ask(here, cid, '/%3Cb%3E', { headers: { accept: BROWSER } })
      const page = await response.text()

      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(response.headers.get('etag')).toMatch(new RegExp(`^"DagIndex-[a-z2-7]+_CID-${cid}"$`))
      expect(response.headers.has('content-disposition')).toBe(false)
      expect(response.headers.get('cache-control')).toBe('public, max-age=604800, stale-while-revalidate=2678400')
      expect(response.headers.get('content-security-policy')).toContain('default-src \'none\'')
      expect(page).toContain(`<a href="/ipfs/${file}">${file}</a>`)
      expect(page).not.toMatch(/<script|<b>/)
      expect(page.trimEnd()).toMatch(/<\/html>$/)
      expect((await ask(here, cid, '?format=raw', { headers: { accept: BROWSER } }).catch(() => null))).toBeNull()
    }
  })

  it('offers documents that cannot be shown for download', async () => {
    const here = store()
    const large = await here.put(CBOR, 'x'.repeat(300_000))
    const deep = await here.put({ code: CBOR.code, encode: () => new Uint8Array(100_000).fill(0x81) }, null)
    const lists = new Uint8Array(300).fill(0x81).fill(0x80, 299)
    const nested = await here.put({ code: CBOR.code, encode: () => lists }, null)
    const page = async (cid: CID): Promise<string> =>
      (await ask(here, cid, '', { headers: { accept: BROWSER } })).text()

    expect(await page(large)).toContain('too large or too deep')
    expect(await page(deep)).toContain('too large or too deep')
    expect(await page(nested)).toContain(`${'['.repeat(300)}${']'.repeat(300)}`)
  })

  it('refuses a block that is missing or damaged', async () => {
    const here = store()
    const cid = await here.put(CBOR, VALUE)

    here.blockstore.put(cid, Uint8Array.of(1))
    await expect(ask(here, cid)).rejects.toMatchObject({ name: 'CorruptBlockError' })
    here.blockstore.delete(cid)
    await expect(ask(here, cid)).rejects.toMatchObject({ name: 'NotFoundError' })
  })
})

describe('JSON in a file', () => {
  it('is served as JSON, whatever it is stored as', async () => {
    const here = store()
    const json = new TextEncoder().encode(` ${JSON.stringify(Array.from({ length: 5000 }, (_, i) => ({ i })))}\n`)

    for (const [query, init] of [['?format=json', {}], ['', { headers: { accept: 'application/json' } }]] as const) {
      const response = await askFile(here, json, query, init)

      expect(response.headers.get('content-type')).toBe('application/json')
      expect(response.headers.get('content-length')).toBe(String(json.byteLength))
      expect(await response.bytes()).toEqual(json)
    }

    expect((await askFile(here, json, '?format=json', { method: 'HEAD' })).body).toBeNull()
  })

  it('is not parsed if it is large', async () => {
    const here = store()
    const json = new TextEncoder().encode(JSON.stringify('x'.repeat(5_000_000)))
    const fs = ipfsz(here)
    const cid = await fs.addBytes(json, { compression: { codec: 'none' } })
    const large = async (init: Init = {}): Promise<Response> => askAs(here, cid, '?format=json', init)

    expect((await (await large()).bytes()).byteLength).toBe(json.byteLength)
    expect((await large({ method: 'HEAD' })).headers.get('content-length')).toBe(String(json.byteLength))
  })

  it('refuses what is not JSON', async () => {
    const here = store()
    const fs = ipfsz(here)
    const directory = await here.fs.addDirectory()
    const stats = await fs.stat(directory)

    for (const content of [text(1000), longText(5_000_000), Uint8Array.of(0x22, 0xff, 0x22), new Uint8Array(0)]) {
      const cid = await fs.addBytes(content, { compression: { codec: 'none' } })
      const context = contextOf(here, `/ipfs/${cid}?format=json`, { cid, stats: await fs.stat(cid) })

      await expect(respondDocument(context)).rejects.toMatchObject({ status: 406 })
    }

    await expect(respondDocument(contextOf(here, `/ipfs/${directory}?format=json`, { cid: directory, stats })))
      .rejects.toMatchObject({ status: 406 })
    await expect(ask(here, directory, '?format=json')).rejects.toMatchObject({ status: 406 })
  })

  it('refuses to decompress more than the limit', async () => {
    const json = new TextEncoder().encode(JSON.stringify('x'.repeat(1_000_000)))

    await expect(askFile(store(), json)).rejects.toMatchObject({ name: 'BodyTooLargeError', limit: 1_000_000 })
  })
})
