import { describe, expect, it } from 'vitest'
import { dnsLabel } from '../src/request/content-root.ts'
import { tagCombinations } from '../../../test/support/pairwise.ts'
import { bytesOf, KIB, same, serve, text } from './fixtures.ts'
import type { CID } from 'multiformats/cid'

const BROWSER = { 'accept-encoding': 'gzip, deflate, br, zstd' }

/** What readers of ranges send with HEAD. */
const HEADERS: ReadonlyArray<Record<string, string>> = [
  {}, BROWSER, { 'accept-encoding': 'gzip' }, { range: 'bytes=0-' }, { ...BROWSER, range: 'bytes=5-9' },
  { ...BROWSER, range: 'bytes=999999-' }, { ...BROWSER, range: 'bytes=0-1,5-9' }
]

function requestOf (url: string, method: string, headers: Record<string, string>): Request {
  // a browser drops Accept-Encoding
  return Object.defineProperty(new Request(url, { method }), 'headers', { value: new Headers(headers) })
}

const CODECS = ['zstd', 'gzip', 'brotli', 'lz4', 'snappy', 'lzo', 'none'] as const

/** By which URL a file is asked for: a path or a host, in a tree or by its own CID. */
const URLS: ReadonlyArray<(tree: CID, file: CID) => string> = [
  ...['127.0.0.1:8080', 'example.org'].flatMap(host => [
    (tree: CID) => `http://${host}/ipfs/${tree}/a/index.html`,
    (tree: CID) => `http://${host}/ipfs/${tree}/a/`,
    (_: CID, file: CID) => `http://${host}/ipfs/${file}`
  ]),
  tree => `http://${dnsLabel(tree)}.ipfs.localhost/a/index.html`,
  tree => `http://${dnsLabel(tree)}.ipfs.localhost/a/`,
  (_, file) => `http://${dnsLabel(file)}.ipfs.localhost/`
]

const REQUESTS = tagCombinations({ codec: CODECS, url: URLS, headers: HEADERS })

describe('HEAD', () => {
  describe.each([[[]], [['slow']], [['nightly']]])('with the tags %j', tags => {
    const requests = REQUESTS.filter(request => String(request.tags) === String(tags))

    it.each(CODECS)('of a file with codec %s says what ranges are of: its original bytes', { tags }, async codec => {
      // a reader of ranges may read also what is too large to be decompressed at once
      const { gateway, fs } = serve({ limits: { decompressedBytes: 1000 } })
      const bytes = text(300_000)
      const tree = await fs.addFile(
        { path: 'a/index.html', content: bytes },
        { compression: { codec, detect: false, frameSize: 64 * KIB } }
      )
      const { markedCid, plainCid } = await fs.stat(tree, { path: 'a/index.html' })

      for (const { url: urlOf, headers } of requests.filter(request => request.codec === codec)) {
        const url = urlOf(tree, markedCid ?? plainCid)
        const { status, body, headers: sent } = await gateway(requestOf(url, 'HEAD', headers))

        expect([status, body], url).toEqual([200, null])
        expect([sent.get('content-length'), sent.get('accept-ranges')]).toEqual(['300000', 'bytes'])
        expect([sent.get('content-encoding'), sent.get('content-range')]).toEqual([null, null])

        // its ETag is that of the bytes which ranges are of
        const part = await gateway(requestOf(url, 'GET', {
          ...BROWSER,
          range: 'bytes=299990-',
          'if-range': sent.get('etag') ?? ''
        }))
        expect(part.headers.get('content-range')).toBe('bytes 299990-299999/300000')
        expect(same(await bytesOf(part), bytes.subarray(-10))).toBe(true)
      }
    })
  })

  it('of a file still says that a client has what a GET would send it', async () => {
    const { gateway, fs } = serve()
    const tree = await fs.addFile(
      { path: 'a/b.txt', content: text(300_000) },
      { compression: { codec: 'zstd', frameSize: 64 * KIB } }
    )
    const { markedCid: cid } = await fs.stat(tree, { path: 'a/b.txt' })

    for (const path of [cid, `${tree}/a/b.txt`]) {
      // and what a HEAD itself says, which is the ETag of the original bytes
      for (const etag of [`"${cid}"`, `"${cid}.zstd"`]) {
        const url = `http://127.0.0.1:8080/ipfs/${path}`
        const { status } = await gateway(requestOf(url, 'HEAD', { ...BROWSER, 'if-none-match': etag }))
        expect([path, etag, status]).toEqual([path, etag, 304])
      }
    }
  })
})
