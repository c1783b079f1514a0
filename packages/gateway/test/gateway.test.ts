import { unixfs } from '@helia/unixfs'
import { ipfsz } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { UnixFS } from 'ipfs-unixfs'
import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { createGateway, GatewayError, NameNotFoundError } from '../src/index.ts'
import { addCompressed, get, noise, openingWith, serve, text } from './fixtures.ts'
import type { GatewayComponents, GatewayInit, NameResolver } from '../src/index.ts'

const EXPOSED = [
  'Accept-Ranges', 'Content-Disposition', 'Content-Encoding', 'Content-Length', 'Content-Location', 'Content-Range',
  'ETag', 'Retry-After', 'Vary', 'X-Cache', 'X-Chunked-Output', 'X-Ipfs-Path', 'X-Ipfs-Roots', 'X-Stream-Output'
]

/** What a page of another origin may read in any case (Fetch), and what is for browsers alone. */
const NOT_EXPOSED = [
  'Access-Control-Allow-Headers', 'Access-Control-Allow-Methods', 'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers', 'Access-Control-Max-Age', 'Allow', 'Cache-Control', 'Content-Security-Policy',
  'Content-Type', 'Location', 'Referrer-Policy', 'X-Content-Type-Options'
]

function fail (): never {
  throw new Error('it was read')
}

/** Components that must not be read. */
const LOCKED: GatewayComponents = {
  fs: { ls: fail, open: fail, stat: fail },
  blocks: { get: fail, has: () => false }
}

describe('a gateway', () => {
  it('answers OPTIONS, and lets every origin read', async () => {
    const { gateway } = serve()

    for (const response of [await gateway(get('bafkqaaa', {}, 'OPTIONS')), await gateway(get('bafkqaaa'))]) {
      const { headers } = response
      const list = (name: string): string[] => headers.get(name)?.split(', ') ?? []

      expect(response.ok).toBe(true)
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(list('access-control-allow-methods')).toEqual(['GET', 'HEAD', 'OPTIONS'])
      expect(list('access-control-allow-headers')).toEqual([
        'Content-Type', 'If-Match', 'If-None-Match', 'If-Range', 'Range', 'User-Agent', 'X-Requested-With'
      ])
      expect(list('access-control-expose-headers')).toEqual(EXPOSED)
    }
  })

  it('sends no header that pages of other origins do not know of', async () => {
    const { gateway, fs } = serve()
    const tree = await fs.addFile({ path: 'a/b.txt', content: text(300_000) }, { compression: { codec: 'zstd' } })
    const known = new Set([...EXPOSED, ...NOT_EXPOSED].map(name => name.toLowerCase()))

    const paths = [
      '', '/', '/a', '/a/b.txt', '/a/b.txt?filename=x', '?format=car', '?format=tar', '?format=raw',
      '?format=ipns-record', '/none'
    ]
    const asked: Array<Record<string, string>> = [
      {}, { range: 'bytes=5-9' }, { range: 'bytes=999999-' }, { accept: 'text/html' },
      { accept: 'application/vnd.ipld.car' }, { 'accept-encoding': 'zstd' }
    ]

    for (const path of paths) {
      for (const headers of asked) {
        const response = await gateway(get(`${tree}${path}`, headers))

        expect([...response.headers.keys()].filter(name => !known.has(name))).toEqual([])
        expect(response.headers.get('access-control-allow-origin')).toBe('*')
        await response.body?.cancel()
      }
    }
  })

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND'])('refuses %s', async method => {
    const response = await createGateway(LOCKED)(get('bafkqaaa', {}, method))

    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
  })

  it('reads each root with what is below it, and remembers types of files all the same', async () => {
    const { fs, blockstore } = serve()
    const [a, b] = [await addCompressed(fs, text(10), 'zstd'), await addCompressed(fs, text(1000), 'zstd')]
    const asked: string[] = []
    let samples = 0
    const gateway = createGateway({
      ...LOCKED,
      names: { resolve: async () => ({ cid: b, path: [], ttl: 60 }) },
      below: root => {
        asked.push(root.toString())

        return {
          blocks: blockstore,
          fs: openingWith(fs, (file, options) => {
            samples += options?.length == null ? 0 : 1

            return file.read(options)
          })
        }
      }
    })

    for (const request of [get(`${a}`), get(`${a}`), get(`${b}?format=raw`), new Request('http://127.0.0.1/ipns/example.com')]) {
      const response = await gateway(request)
      await response.arrayBuffer()
      expect(response.status).toBe(200)
    }

    expect(asked).toEqual([a, a, b, b].map(String))
    expect(samples).toBe(2)
  })

  it('asks for what is below a root only if it serves the root', async () => {
    const gateway = createGateway({ ...LOCKED, below: fail }, { isServed: () => false })

    expect((await gateway(get('bafkreigss5i7eze3gl7vok26bkpvihvgmcsq7fh7bpxn7mfwsk4sjteaeu'))).status).toBe(404)
  })

  it('says what a path led to, and how long that is true', async () => {
    const { gateway, fs } = serve()
    const tree = await fs.addFile({ path: 'a/ä.txt', content: text(100_000) })
    const [a, file] = [await fs.stat(tree, { path: 'a' }), await fs.stat(tree, { path: 'a/ä.txt' })]
    const root = await fs.stat(tree)
    const { headers } = await gateway(get(`${tree}/a/%C3%A4.txt`))

    expect(headers.get('x-ipfs-path')).toBe(`/ipfs/${tree}/a/%C3%A4.txt`)
    expect(headers.get('x-ipfs-roots')).toBe(`${root.plainCid},${a.plainCid},${file.plainCid}`)
    expect(headers.get('cache-control')).toBe('public, max-age=29030400, immutable')
  })

  it('serves only the roots that it is told to, and reads nothing of others', async () => {
    const init: GatewayInit = { isServed: async cid => cid.toString() === 'bafkqaaa' }
    const names: NameResolver = {
      resolve: async () => ({ cid: CID.parse('bafkqabtimvwgy3yk'), path: [], ttl: 60 })
    }
    const gateway = createGateway({ ...LOCKED, names }, init)

    expect((await serve(init).gateway(get('bafkqaaa'))).status).toBe(200)
    expect((await gateway(get('bafkqabtimvwgy3yk'))).status).toBe(404)
    expect((await gateway(get('bafkqabtimvwgy3yk?format=raw'))).status).toBe(404)
    expect((await gateway(get('bafkqabtimvwgy3yk', { 'if-none-match': '"bafkqabtimvwgy3yk"' }))).status).toBe(404)
    expect((await gateway(new Request('http://127.0.0.1/ipns/example.com'))).status).toBe(404)
  })

  it('may refuse a root with a status of its own', async () => {
    const gateway = createGateway(LOCKED, { isServed: () => { throw new GatewayError(410, 'It is on a denylist') } })
    const response = await gateway(get('bafkqaaa'))

    expect(response.status).toBe(410)
    expect(await response.text()).toBe('It is on a denylist\n')
  })

  it('answers names with their time to live', async () => {
    const { fs, blockstore } = serve()
    const cid = await addCompressed(fs, text(1000), 'zstd')
    const names: NameResolver = {
      resolve: async name => {
        if (name !== 'example.com') {
          throw new NameNotFoundError(name)
        }

        return { cid, path: [], ttl: 59.9 }
      }
    }
    const gateway = createGateway({ fs, blocks: blockstore, names })
    const response = await gateway(new Request('http://127.0.0.1/ipns/example.com'))

    expect(response.headers.get('cache-control')).toBe('public, max-age=59')
    expect(response.headers.get('x-ipfs-path')).toBe('/ipns/example.com')
    expect((await gateway(new Request('http://127.0.0.1/ipns/example.org'))).status).toBe(404)
    expect((await serve().gateway(new Request('http://127.0.0.1/ipns/example.com'))).status).toBe(501)
  })

  it('answers only-if-cached from what is stored, and does not read otherwise', async () => {
    const { gateway, fs } = serve()
    const cid = await addCompressed(fs, text(1000), 'zstd')
    const headers = { 'cache-control': 'only-if-cached' }
    const missing = 'QmYzfKSE55XCjD1MW128RfciAf2DViABhEiXfgVFMabSjN'

    for (const method of ['GET', 'HEAD']) {
      expect((await gateway(get(`${cid}`, headers, method))).status).toBe(200)
      expect((await gateway(get('bafkqaaa', headers, method))).status).toBe(200)
      expect((await createGateway(LOCKED)(get(missing, headers, method))).status).toBe(412)
    }

    expect((await gateway(get(missing))).status).toBe(404)
  })

  it('refuses a service worker for a whole namespace', async () => {
    const { gateway } = serve()
    const headers = { 'service-worker': 'script' }

    expect((await gateway(get('bafkqaaa', headers))).status).toBe(400)
    expect((await gateway(get('bafkqaaa'))).status).toBe(200)
    expect((await gateway(get('bafkqaaa/', headers))).status).toBe(200)
  })

  it('answers what cannot be read with a status, in plain text', async () => {
    const { gateway, fs, blockstore } = serve()
    const put = async (data: Uint8Array): Promise<CID> => {
      const block = dagPb.encode({ Data: data, Links: [] })
      return blockstore.put(CID.createV1(0x70, await sha256.digest(block)), block)
    }
    const file = await unixfs({ blockstore }).addBytes(noise(10))
    const link = await put(new UnixFS({ type: 'symlink', data: text(3) }).marshal())
    const damaged = await addCompressed(fs, text(1000), 'zstd')
    await blockstore.put(CID.createV1(0x70, damaged.multihash), noise(10))

    for (const [path, status] of [
      ['QmInvalidCID', 400],
      [`${file}/below`, 404],
      [`${await put(noise(10))}`, 406],
      [`${CID.createV1(0x3f5a05, link.multihash)}`, 422],
      [`${damaged}`, 500]
    ] as const) {
      const response = await gateway(get(path))

      expect(response.status, path).toBe(status)
      expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
    }

    expect(await (await gateway(get('QmInvalidCID'))).text()).toContain('invalid path "/ipfs/QmInvalidCID"')

    // a symlink is a file with its target
    const symlink = await gateway(get(`${link}`))
    expect([symlink.headers.get('content-type'), await symlink.text()]).toEqual(
      ['inode/symlink', Buffer.from(text(3)).toString()]
    )
  })

  it('does not tell strangers of failures that nobody expected', async () => {
    const gateway = createGateway(LOCKED)
    const response = await gateway(get('bafkqaaa'))

    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('it was read')
  })

  it('gives up if the response does not begin in time, whatever it waits for', async () => {
    let aborted = false
    const open = async (_: CID, { signal }: { signal?: AbortSignal | null } = {}): Promise<never> => {
      signal?.addEventListener('abort', () => { aborted = true })
      return new Promise(() => {})
    }
    const gateway = createGateway({ ...LOCKED, fs: { ...LOCKED.fs, open } }, { limits: { startTimeout: 10 } })
    const response = await gateway(get('bafkqaaa'))

    expect(response.status).toBe(504)
    expect(response.headers.get('retry-after')).toBe('30')
    expect(aborted).toBe(true)
  })

  it('does not count the time of the body as that of its beginning', async () => {
    const blockstore = new MemoryBlockstore()
    const fs = ipfsz({ blockstore })
    const cid = await addCompressed(fs, text(100_000), 'zstd')
    const response = await createGateway({ fs, blocks: blockstore }, { limits: { startTimeout: 1000 } })(get(`${cid}`))
    const pending = new Promise(resolve => { setTimeout(resolve, 20) })

    await pending
    expect((await response.arrayBuffer()).byteLength).toBe(100_000)
  })

  it('stops if the client has gone away', async () => {
    const response = await createGateway(LOCKED)(new Request('http://127.0.0.1/ipfs/bafkqaaa', { signal: AbortSignal.abort() }))

    expect(response.status).toBe(499)
  })
})
