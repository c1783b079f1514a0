import { ipfsz, unmark } from '@ipfsz/core'
import * as dagPb from '@ipld/dag-pb'
import { MemoryBlockstore } from 'blockstore-core'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { beforeEach, describe, expect, it } from 'vitest'
import { allParts } from '../src/create-gateway.ts'
import { PAGE_POLICY } from '../src/html/csp.ts'
import { MemoryBudget } from '../src/memory/memory-budget.ts'
import { respondDirectory } from '../src/respond/directory/directory.ts'
import { parseTarget } from '../src/request/target.ts'
import { resolvePath } from '../src/resolve/resolve-path.ts'
import type { GatewayComponents } from '../src/contract.ts'
import type { Target } from '../src/request/target.ts'
import type { Ipfsz } from '@ipfsz/core'

const SIGNAL = new AbortController().signal
const TEXT = 'the same line again\n'.repeat(2000)
const LIMITS = {
  stallTimeout: 1000,
  startTimeout: 1000,
  pathTime: 5000,
  listedEntries: 100,
  decompressedBytes: 2 ** 30,
  heldBytes: 2 ** 30
}

let blocks: MemoryBlockstore
let fs: Ipfsz
let components: GatewayComponents

beforeEach(() => {
  blocks = new MemoryBlockstore()
  fs = ipfsz({ blockstore: blocks })
  components = { fs, blocks }
})

async function add (paths: readonly string[]): Promise<CID> {
  let root: CID | undefined

  for await (const { cid } of fs.addAll(paths.map(path => {
    return { path: `root/${path}`, content: new TextEncoder().encode(TEXT) }
  }))) {
    root = cid
  }

  return root as CID
}

async function respond (url: string, init: RequestInit = {}, limits = LIMITS): Promise<Response> {
  const request = new Request(new URL(url, 'http://127.0.0.1'), init)
  const target = parseTarget(request, {}) as Target

  return respondDirectory({
    request,
    target,
    format: 'file',
    parameters: {},
    resolved: await resolvePath(target, components, SIGNAL),
    components,
    init: { limits, memory: new MemoryBudget(1_000_000_000), parts: allParts() },
    signal: SIGNAL
  })
}

describe('a directory', () => {
  it('leads to the path with a slash at its end, and keeps the query', async () => {
    const root = await add(['ą/ę/a.txt'])

    for (const [url, init, location] of [
      [`/ipfs/${root}/ą/ę?a=b%20c`, {}, `/ipfs/${root}/%C4%85/%C4%99/?a=b%20c`],
      [`/ipfs/${root}`, { method: 'HEAD' }, `/ipfs/${root}/`],
      [`http://${unmark(root)}.ipfs.localhost/ą/ę`, {}, '/%C4%85/%C4%99/'],
      [`http://${unmark(root)}.ipfs.localhost//ą//ę`, {}, '/%C4%85/%C4%99/']
    ] as const) {
      const response = await respond(url, init)

      expect([response.status, response.headers.get('location')]).toEqual([301, location])
    }
  })

  it('is served by its index.html, whose ETag names the directory', async () => {
    const root = await add(['index.html', 'a.txt'])
    const response = await respond(`/ipfs/${root}/`)

    const head = await respond(`/ipfs/${root}/`, { method: 'HEAD' })

    for (const { status, headers } of [response, head]) {
      expect(status).toBe(200)
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': 'text/html',
        'cache-control': 'public, max-age=29030400, immutable',
        'x-ipfs-roots': unmark(root).toString(),
        etag: `"${root}"`
      })
    }

    expect([await response.text(), head.body]).toEqual([TEXT, null])
  })

  it('is listed with both sizes of compressed files', async () => {
    const root = await add(['sub/b', 'a.txt', 'c', 'file-10', 'file-9'])
    const response = await respond(`/ipfs/${root}/`)
    const html = await response.text()

    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': PAGE_POLICY,
      'cache-control': 'public, max-age=604800, stale-while-revalidate=2678400',
      'x-content-type-options': 'nosniff',
      'x-ipfs-path': `/ipfs/${root}/`,
      'x-ipfs-roots': unmark(root).toString(),
      etag: expect.stringMatching(new RegExp(`^"DirIndex-[0-9a-f]+_CID-${root}"$`))
    })
    expect([...html.matchAll(/<a href="\/ipfs\/[^"/]+\/[^"]*">([^<]+)<\/a>/g)].map(([, name]) => name))
      .toEqual(['sub', 'a.txt', 'c', 'file-9', 'file-10'])
    expect(html).toContain('>39.1 KiB<')
    expect(html).toContain('<div title="Others can read it with zstd -dc"><span class="codec">zstd</span>')
    expect(html).not.toContain('..</a>')
  })

  it('is listed as stored below a plain CID', async () => {
    const html = await (await respond(`/ipfs/${unmark(await add(['a.txt']))}/`)).text()

    expect(html).toContain('a.txt')
    expect(html).not.toContain('39.1 KiB')
  })

  it('is listed where index.html is a directory', async () => {
    const html = await (await respond(`/ipfs/${await add(['index.html/x'])}/`)).text()

    expect(html).toContain('Index of')
  })

  it('links to the path gateway from a subdomain', async () => {
    const root = unmark(await add(['hello', 'ipfs/ipns/bar']))
    const html = await (await respond(`http://${root}.ipfs.localhost:8080/`)).text()
    const below = await (await respond(`http://${root}.ipfs.localhost:8080/ipfs/ipns/`)).text()

    expect(html).toContain('<a href="/hello">hello</a>')
    expect(html).toContain('<a href="/ipfs">ipfs</a>')
    expect(html).not.toContain('..</a>')
    expect(below).toContain('<a href="/ipfs/ipns/..">..</a>')
    expect(below).toContain('<a href="/ipfs/ipns/bar">bar</a>')
    expect(below).toContain(`/ipfs/<a href="//localhost:8080/ipfs/${root}">${root}</a>` +
      `/<a href="//localhost:8080/ipfs/${root}/ipfs">ipfs</a>` +
      `/<a href="//localhost:8080/ipfs/${root}/ipfs/ipns">ipns</a>`)
  })

  it('is cached for a week at most, however long its name leads there', async () => {
    const root = unmark(await add(['a/b']))
    components = { ...components, names: { resolve: async () => ({ cid: root, path: [], ttl: 700_000 }) } }

    expect((await respond('http://website.org:81/a/')).headers.get('cache-control')).toBe('public, max-age=604800')
  })

  it('has links of its own on a DNSLink host', async () => {
    const root = unmark(await add(['a/b']))
    components = { ...components, names: { resolve: async () => ({ cid: root, path: [], ttl: 60.5 }) } }
    const response = await respond('http://website.org:81/a/')
    const html = await response.text()

    expect(response.headers.get('cache-control')).toBe('public, max-age=60')
    expect(response.headers.get('x-ipfs-path')).toBe('/ipns/website.org/a/')
    expect(html).toContain('/ipns/<a href="//website.org:81/">website.org</a>/<a href="//website.org:81/a">a</a>')
    expect(html).toContain('<a href="/a/b">b</a>')
    expect((await respond('http://website.org:81/a')).headers.get('location')).toBe('/a/')
  })

  it('is not sent again to who has it', async () => {
    const url = `/ipfs/${await add(['a'])}/`
    const etag = (await respond(url)).headers.get('etag') as string

    for (const value of [etag, `W/${etag}`, '*', `"a", ${etag}`]) {
      const response = await respond(url, { headers: { 'if-none-match': value } })

      expect([response.status, await response.text()]).toEqual([304, ''])
      expect(response.headers.get('etag')).toBe(etag)
    }

    expect((await respond(url, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })

  it('is not read for HEAD', async () => {
    const root = await add(['a'])
    const open = fs.open.bind(fs)
    components = { ...components, fs: { ...components.fs, open, ls: () => { throw new Error('read') } } }
    const response = await respond(`/ipfs/${root}/`, { method: 'HEAD' })

    expect([response.status, response.body]).toEqual([200, null])
    expect(response.headers.get('etag')).toContain('DirIndex')
  })

  it('is cut off at the limit', async () => {
    const root = await add(['a', 'b', 'c'])
    const html = await (await respond(`/ipfs/${root}/`, {}, { ...LIMITS, listedEntries: 2 })).text()

    expect(html).toContain('Only the first 2 entries')
    expect(html.match(/class="ipfs-hash"/g)).toHaveLength(2)
    const all = await (await respond(`/ipfs/${root}/`, {}, { ...LIMITS, listedEntries: 3 })).text()
    expect(all).not.toContain('Only the')
  })

  it('shows few entries if their names are long, and says so', { tags: 'slow' }, async () => {
    const file = await fs.addBytes(new TextEncoder().encode(TEXT))
    const names = ['a'.repeat(1_000_000), 'b'.repeat(1_000_000), 'c'.repeat(1_000_000), 'd']
    const Links = names.map(Name => ({ Name, Hash: unmark(file), Tsize: 1 }))
    const block = dagPb.encode(dagPb.prepare({ Data: Uint8Array.of(8, 1), Links }))
    const root = CID.createV1(dagPb.code, await sha256.digest(block))
    await blocks.put(root, block)
    const html = await (await respond(`/ipfs/${root}/`)).text()

    expect(html).toContain('Only the first 2 entries')
    expect(html.match(/class="ipfs-hash"/g)).toHaveLength(2)
  })

  it('is listed although files are missing, without asking the network for them', async () => {
    const root = await add(['a', 'b'])
    const { plainCid } = await fs.stat(root, { path: 'a' })
    await blocks.delete(plainCid)
    const asked: unknown[] = []
    const get = blocks.get.bind(blocks)
    blocks.get = (cid, options) => {
      asked.push((options as { offline?: boolean } | undefined)?.offline)
      return get(cid, options)
    }
    fs = ipfsz({ blockstore: blocks })
    components = { fs, blocks }
    await respond(`/ipfs/${root}/`, { method: 'HEAD' })
    asked.length = 0
    const html = await (await respond(`/ipfs/${root}/`)).text()

    expect(html).toContain('aria-label="unknown"')
    expect(asked).toContain(true)
  })
})
