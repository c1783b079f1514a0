import { zstdDecoder } from '@ipfsz/codecs/zstd-decoder'
import { zstd } from '@ipfsz/codecs/zstd'
import { mark, TREE_CODE } from '@ipfsz/core'
import mime from 'mime/lite'
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { DecodingTurns } from '../src/service-worker/decoding-turns.ts'
import { readOwnRequest } from '../src/service-worker/own-request.ts'
import { restrict } from '../src/service-worker/page-policy.ts'
import { Site } from '../src/service-worker/site.ts'
import { fileTypes } from '../src/respond/file/content-type.ts'
import { WEB_ENDINGS, WEB_TYPES } from '../src/service-worker/web-types.ts'
import { createWorkerGateway } from '../src/service-worker/worker-gateway.ts'
import { yieldingCodec } from '../src/service-worker/yielding-codec.ts'
import { text } from './fixtures.ts'

const ROOT = CID.parse('bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354')
const MARKED = mark(ROOT, TREE_CODE)
const ORIGIN = 'https://example.org'

function own (url: string, init: RequestInit = {}): ReturnType<typeof readOwnRequest> {
  return readOwnRequest(new Request(new URL(url, ORIGIN), init), { origin: ORIGIN })
}

describe('a request of the worker', () => {
  it.each([`/ipfs/${ROOT}`, `/ipfs/${MARKED}/`, `/ipfs/${MARKED}?filename=a.txt`, `/ipfs/${ROOT}/?format=`])(
    'is one for a file or directory of this origin: %s',
    url => {
      expect(own(url)?.root).toEqual(ROOT)
      expect(own(url, { method: 'HEAD' })?.root).toEqual(ROOT)
    }
  )

  it.each([
    '/', '/ipfs', '/ipfs/', '/ipfs/about', `/ipns/${ROOT}`, `/a/ipfs/${ROOT}`, `/ipfs/${ROOT}?format=raw`,
    `https://example.com/ipfs/${ROOT}`, `http://example.org/ipfs/${ROOT}`, `/ipfs/${'b'.repeat(100_000)}`
  ])('is no other: %s', url => {
    expect(own(url)).toBeUndefined()
  })

  it('is none that writes, and none for blocks or CARs', () => {
    expect(own(`/ipfs/${ROOT}`, { method: 'POST' })).toBeUndefined()
    expect(own(`/ipfs/${ROOT}`, { headers: { accept: 'application/vnd.ipld.car;order=dfs' } })).toBeUndefined()
  })

  it('says what it reads: a range is fetched by itself', () => {
    expect(own(`/ipfs/${ROOT}//a%20b/c`)?.plan).toEqual({ path: 'a b/c', scope: 'entity' })
    expect(own(`/ipfs/${ROOT}/a`, { headers: { range: 'bytes=0-' } })?.plan).toEqual({ path: 'a', scope: 'block' })
    expect(own(`/ipfs/${ROOT}/%ff`)?.plan).toEqual({ path: '', scope: 'entity' })
  })
})

describe('a site of the worker', () => {
  const site = new Site({ root: MARKED, except: ['/api/'] })
  const own = (url: string): ReturnType<typeof readOwnRequest> =>
    readOwnRequest(new Request(new URL(url, ORIGIN)), { origin: ORIGIN, site })

  it('has all paths of the origin but those left out, and those below `/ipfs/`', () => {
    expect(own('/a/b?c=d')).toMatchObject({ url: `${site.origin}/a/b?c=d`, root: ROOT, plan: { path: 'a/b' } })
    expect(own(`/ipfs/${ROOT}/a`)).toMatchObject({ url: `${ORIGIN}/ipfs/${ROOT}/a` })
    expect(own('/ipfs/about')).toMatchObject({ url: `${site.origin}/ipfs/about` })
    expect([own('/api/x'), own('https://example.com/a'), own('/a?format=car')]).toEqual([undefined, undefined, undefined])
  })

  it.each(['no CID', CID.createV1(0x70, ROOT.multihash).toString().repeat(3)])('refuses the root %s', root => {
    expect(() => new Site({ root })).toThrow(expect.objectContaining({ name: 'InvalidParametersError' }))
  })
})

describe('a response of the worker', () => {
  it.each([
    ['text/html', true], ['image/svg+xml', true], ['application/xhtml+xml', true], ['text/xml', true],
    ['text/plain; charset=utf-8', false], ['image/png', false], ['text/javascript', false], [undefined, false]
  ])('of a stranger runs no scripts: %s', (type, isPage) => {
    const response = (): Response => new Response('', { headers: type == null ? {} : { 'content-type': type } })
    const { headers } = restrict(response(), false)

    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')?.startsWith('sandbox allow-same-origin') ?? false).toBe(isPage)
    expect(headers.get('content-security-policy') ?? '').not.toMatch(/allow-scripts|escape/)
    expect(restrict(response(), true).headers.has('content-security-policy')).toBe(false)
  })

  it('has the types of the web', async () => {
    expect(['a.html', 'b.JS', 'c.webp', 'd.mp4', 'e.ico', 'f.woff2', 'g.wasm', 'html'].map(WEB_TYPES.ofName)).toEqual([
      'text/html', 'text/javascript; charset=utf-8', 'image/webp', 'video/mp4', 'image/x-icon', 'font/woff2',
      'application/wasm', undefined
    ])
    expect(await WEB_TYPES.ofBytes(new TextEncoder().encode('<!doctype html><p>'), true)).toBe('text/html')
    expect(await WEB_TYPES.ofBytes(Uint8Array.of(0, 1, 2), true)).toBe('application/octet-stream')
  })

  it('has the types that mime has for them, but where browsers know others', () => {
    const known = WEB_ENDINGS.filter(ending => !['ico', 'flac', 'mkv'].includes(ending))
    const { ofName } = fileTypes({ mime })

    expect(known.map(ending => [ending, WEB_TYPES.ofName(`a.${ending}`)]))
      .toEqual(known.map(ending => [ending, ofName(`a.${ending}`)]))
  })
})

describe('a gateway of a worker', () => {
  it.each([[[], []], [['ftp://example.org'], []], [['https://example.org'], ['no CID']]])(
    'refuses the gateways %j and the trusted roots %j',
    (gateways, trusted) => {
      expect(() => createWorkerGateway({ gateways, trusted }))
        .toThrow(expect.objectContaining({ name: expect.stringMatching(/^Invalid(Parameters|GatewayUrl)Error$/) }))
    }
  )

  it.each([0, -1, Number.NaN])('refuses the timeout %s', timeout => {
    expect(() => createWorkerGateway({ gateways: ['https://example.org'], timeout }))
      .toThrow(expect.objectContaining({ name: 'InvalidParametersError' }))
  })
})

describe('a codec of a worker', () => {
  const bytes = text(300_000)

  it('lets waiting events run before each frame, and within streams', async () => {
    const codec = yieldingCodec(zstdDecoder(), new DecodingTurns())
    const frame = await zstd().compress(bytes)
    let tasks = 0
    const channel = new MessageChannel()
    channel.port1.addEventListener('message', () => { tasks++ })
    channel.port1.start()

    expect(codec).toMatchObject({ name: 'zstd', implementation: 'js' })

    channel.port2.postMessage(0)
    expect(await codec.decompress(frame, { size: bytes.byteLength })).toEqual(bytes)
    expect(tasks).toBe(1)

    channel.port2.postMessage(0)
    const stream = codec.decompressStream?.((async function * () {
      for (let i = 0; i < 5; i++) {
        yield frame
      }
    })())
    let size = 0

    for await (const piece of stream ?? []) {
      size += piece.byteLength
    }

    expect([size, tasks]).toEqual([5 * bytes.byteLength, 2])
    channel.port1.close()
  })

  it('says that it only decompresses', async () => {
    await expect(async () => zstdDecoder().compress(bytes)).rejects.toMatchObject({
      name: 'MissingImplementationError',
      message: expect.stringMatching(/can only decompress$/)
    })
  })
})

describe('frames that wait', () => {
  it('are decompressed one by one, small ones first, though one before them fails', async () => {
    const turns = new DecodingTurns()
    const order: number[] = []
    let running = 0

    const decode = async (size: number): Promise<void> => turns.run(size, async () => {
      expect(++running).toBe(1)
      order.push(size)
      await Promise.resolve()
      running--

      if (size === 2) {
        throw new Error('damaged')
      }
    })

    const results = await Promise.allSettled([5, 9, 2, 7].map(decode))
    expect(order).toEqual([2, 5, 7, 9])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
    await decode(1)
    expect(order.at(-1)).toBe(1)
  })
})
