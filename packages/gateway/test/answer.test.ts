import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { ipfsz, unmark } from '@ipfsz/core'
import { PAGE_POLICY } from '../src/html/csp.ts'
import { createGateway } from '../src/index.ts'
import { RecordingBlockstore } from './dag-fixtures.ts'
import { addCompressed, get, noise, serve, text } from './fixtures.ts'
import type { Served } from './fixtures.ts'

const HTML = { accept: 'text/html,*/*;q=0.8' }

/** A website with `_redirects`, and its origin. */
async function website (files: Record<string, string>, { fs }: Served): Promise<{ root: CID, origin: string }> {
  let root: CID | undefined

  for await (const { cid } of fs.addAll(Object.entries(files).map(([path, content]) => {
    return { path: `root/${path}`, content: new TextEncoder().encode(content) }
  }))) {
    root = cid
  }

  return { root: root as CID, origin: `http://${unmark(root as CID)}.ipfs.localhost` }
}

describe('a path that does not exist', () => {
  it('is redirected, rewritten or answered with a page, as the website says', async () => {
    const here = serve()
    const { origin, root } = await website({
      _redirects: '/old /new 302\n/app/* /app.html 200\n/gone/* /404.html 410\n/* /404.html 404',
      'app.html': 'the app',
      '404.html': 'not here',
      'sub/index.html': 'sub'
    }, here)
    const ask = async (path: string): Promise<Response> => here.gateway(new Request(`${origin}${path}`))
    const old = await ask('/old?a=b')

    expect([old.status, old.headers.get('location')]).toEqual([302, '/new?a=b'])
    expect(old.headers.get('cache-control')).toBe('public, max-age=29030400, immutable')

    for (const [path, status, body] of [
      ['/app/x', 200, 'the app'], ['/gone/x', 410, 'not here'], ['/x', 404, 'not here']
    ]) {
      const response = await ask(`${path}`)

      expect([response.status, await response.text()]).toEqual([status, body])
      expect(response.headers.get('cache-control')).toBe('public, max-age=29030400, immutable')
      expect(response.headers.get('x-ipfs-path')).toBe(`/ipfs/${unmark(root)}${path}`)
    }

    // what exists is never redirected, and other formats are not a website's
    expect(await (await ask('/sub/')).text()).toBe('sub')
    const raw = await ask('/old?format=raw')
    expect([raw.status, await raw.text()]).toEqual([404, expect.stringContaining('no link named "old"')])
    expect((await here.gateway(get(`${root}/old`))).status).toBe(404)
  })

  it('is answered for as long as a name leads there, below a name', async () => {
    const here = serve()
    const { root } = await website({
      _redirects: '/old /new 301\n/* /404.html 404',
      '404.html': 'not here'
    }, here)
    const names = { resolve: async () => ({ cid: root, path: [], ttl: 60.5 }) }
    const gateway = createGateway({ fs: here.fs, blocks: here.blockstore, names })

    for (const host of ['example.org', 'example-org.ipns.localhost']) {
      for (const [path, status] of [['/old', 301], ['/x', 404]] as const) {
        const response = await gateway(new Request(`http://${host}${path}`))

        expect([response.status, response.headers.get('cache-control')]).toEqual([status, 'public, max-age=60'])
      }
    }
  })

  it('is answered with ipfs-404.html, also below the path of a CID, where _redirects do not count', async () => {
    const here = serve()
    const { origin, root } = await website({
      _redirects: '/here /index.html 200',
      'index.html': 'start',
      'ipfs-404.html': 'not here'
    }, here)

    for (const url of [`${origin}/x/y`, `http://127.0.0.1/ipfs/${root}/x/y`, `http://127.0.0.1/ipfs/${root}/here`]) {
      const response = await here.gateway(new Request(url))

      expect([response.status, await response.text()]).toEqual([404, 'not here'])
    }
  })

  it('is answered with the reason if the file of redirects is invalid', async () => {
    const here = serve()
    const { origin } = await website({ _redirects: '/a b' }, here)
    const response = await here.gateway(new Request(`${origin}/x`))

    expect(response.status).toBe(500)
    expect(await response.text()).toContain('could not parse _redirects: line 1')
  })
})

describe('an error', () => {
  it('is a page for browsers, that runs and loads nothing', async () => {
    const { gateway } = serve()

    for (const [request, status] of [
      [get('bafkqaaa/%3Cb%3E', HTML), 404], [get('<script>', HTML), 400], [get('bafkqaaa', HTML, 'POST'), 405]
    ] as const) {
      const response = await gateway(request)
      const page = await response.text()

      expect(response.status).toBe(status)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': PAGE_POLICY,
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'access-control-allow-origin': '*',
        vary: 'Accept'
      })
      expect(page).toMatch(/^<!DOCTYPE html>[^]*<\/html>\n$/)
      expect(page).not.toMatch(/<b>|<script/)
      expect(await (await gateway(new Request(request, { method: 'HEAD' }))).text()).toBe('')
    }
  })
})

function at (path: string, headers = {}): Request {
  return new Request(`http://blocks.example.com/ipfs/${path}`, { headers })
}

describe('a host that is trustless', () => {
  it('serves what clients can verify, and nothing else', async () => {
    const { gateway, fs } = serve({ trustlessHosts: ['blocks.example.com'] })
    const cid = await addCompressed(fs, text(1000), 'zstd')

    for (const request of [
      at(`${cid}?format=raw`), at(`${cid}?format=car`), at(`${cid}`, { accept: 'application/vnd.ipld.raw' })
    ]) {
      expect((await gateway(request)).status).toBe(200)
    }

    for (const request of [at(`${cid}`), at(`${cid}?format=tar`), at(`${cid}?format=json`), at(`${cid}`, HTML)]) {
      expect((await gateway(request)).status).toBe(406)
    }

    expect((await gateway(get(`${cid}`))).status).toBe(200)
  })
})

describe('a range', () => {
  it('is served though the start of the file, which tells its type, is missing', async () => {
    const blockstore = new RecordingBlockstore()
    const fs = ipfsz({ blockstore })
    const gateway = createGateway({ fs, blocks: blockstore })
    const cid = await addCompressed(fs, noise(3_000_000), 'zstd', 1_000_000)
    await Array.fromAsync(fs.cat(cid, { length: 10 }))
    blockstore.delete(CID.parse(blockstore.gets.at(-1) ?? ''))
    const range = await gateway(get(`${cid}`, { range: 'bytes=2500000-2500009' }))

    expect([range.status, range.headers.get('content-type')]).toEqual([206, 'application/octet-stream'])
    expect(Buffer.from(await range.arrayBuffer())).toEqual(Buffer.from(noise(3_000_000).subarray(2_500_000, 2_500_010)))
    expect((await gateway(get(`${cid}`, {}, 'HEAD'))).status).toBe(404)
  })
})

describe('what a format has no use for', () => {
  it('is refused by name', async () => {
    const { gateway, fs, blockstore } = serve()
    const cid = await addCompressed(fs, text(10), 'zstd')
    const unknown = CID.createV1(0x1234, unmark(cid).multihash)
    await blockstore.put(unknown, Uint8Array.of(1))

    expect((await gateway(get(`${unknown}`))).status).toBe(406)
    expect((await gateway(get(`${unknown}?format=tar`))).status).toBe(406)
    expect((await gateway(get(`${cid}?format=ipns-record`))).status).toBe(400)
    expect((await createGateway({ fs, blocks: blockstore })(new Request('http://127.0.0.1/ipns/a.b'))).status).toBe(501)
  })
})
