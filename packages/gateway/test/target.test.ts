import { MARKERS, mark } from '@ipfsz/core'
import { base16 } from 'multiformats/bases/base16'
import { base36 } from 'multiformats/bases/base36'
import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'
import { describe, expect, it } from 'vitest'
import { parseTarget } from '../src/request/target.ts'
import type { GatewayInit } from '../src/contract.ts'
import type { Target } from '../src/request/target.ts'

const V1 = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'
const V0 = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'
const V0_TO_V1 = CID.parse(V0).toV1().toString()
const MARKED = mark(CID.parse(V1), MARKERS.zstd)
const LONG = CID.createV1(0x55, identity.digest(new Uint8Array(60))).toString()

const PEER_ID = '12D3KooWRBy97UB99e3J6hiPesre1MZeuNQvfan4gBziswrRJsNK'
const KEY = 'k51qzi5uqu5dlvj2baxnqndepeb86cbk3ng7n3i46uzyxzyqj2xjonzllnv0v8'
const RSA_ID = 'QmcJM7PRfkSbcM5cf1QugM5R37TLRKyJGgBEhXjLTB8uA2'
const RSA_KEY = 'k2k4r8ol4m8kkcqz509c1rcjwunebj02gcnm5excpx842u736nja8ger'

const INIT: GatewayInit = { subdomainHosts: ['localhost', 'example.com'], trustlessHosts: ['trustless.net'] }

function parse (url: string, headers: Record<string, string> = {}, init = INIT): Target | Response {
  const { host = '127.0.0.1:8080', proto = 'http', ...others } = headers

  return parseTarget(new Request(new URL(url, `${proto}://${host}`), { headers: others }), init)
}

function targetOf (url: string, headers?: Record<string, string>, init?: GatewayInit): Target {
  const target = parse(url, headers, init)
  expect(target).not.toBeInstanceOf(Response)

  return target as Target
}

function redirectOf (url: string, headers?: Record<string, string>): [status: number, location: string | null] {
  const response = parse(url, headers)
  expect(response).toBeInstanceOf(Response)

  return [(response as Response).status, (response as Response).headers.get('location')]
}

function errorOf (url: string, headers?: Record<string, string>): unknown {
  try {
    return parse(url, headers)
  } catch (err) {
    return err
  }
}

describe('a path', () => {
  it('is split into namespace, root and decoded names', () => {
    expect(targetOf(`/ipfs/${V1}/Portugal%252C+España=Peninsula%20Ibérica.txt?a=b`)).toMatchObject({
      namespace: 'ipfs',
      name: V1,
      path: ['Portugal%2C+España=Peninsula Ibérica.txt'],
      trailingSlash: false,
      rawPath: '/Portugal%252C+Espa%C3%B1a=Peninsula%20Ib%C3%A9rica.txt'
    })
  })

  it.each([
    ['', '', false],
    ['/', '/', true],
    ['/a', '/a', false],
    ['/a/', '/a/', true],
    ['//a///b//', '/a/b/', true],
    ['/a/../b', '/b', false]
  ])('has the rest %j as %j', (rest, rawPath, trailingSlash) => {
    expect(targetOf(`/ipfs/${V1}${rest}`)).toMatchObject({ rawPath, trailingSlash })
  })

  it.each([V0, V1, MARKED.toString(), MARKED.toString(base36), CID.parse(V1).toString(base16), LONG])(
    'names the CID %s as it was written', cid => {
      expect(targetOf(`/ipfs/${cid}`).name).toBe(cid)
    }
  )

  it('names a key or a DNS name', () => {
    expect(targetOf(`/ipns/${KEY}/a`)).toMatchObject({ namespace: 'ipns', name: KEY, path: ['a'] })
    expect(targetOf('/ipns/en.wikipedia-on-ipfs.org/wiki/')).toMatchObject({
      namespace: 'ipns',
      name: 'en.wikipedia-on-ipfs.org',
      path: ['wiki'],
      rawPath: '/wiki/'
    })
  })

  it.each([
    [PEER_ID, KEY],
    [RSA_ID, RSA_KEY],
    [CID.parse(RSA_ID).toV1().toString(), RSA_KEY],
    [CID.parse(KEY, base36).toString(), KEY]
  ])('leads from the key %s to its canonical text', (name, key) => {
    expect(redirectOf(`/ipns/${name}/root2/?a=b`)).toEqual([302, `/ipns/${key}/root2/?a=b`])
  })

  it('refuses a root that is not a CID, and names the path', () => {
    expect(errorOf('/ipfs/QmInvalidCID')).toMatchObject({
      name: 'InvalidPathError',
      status: 400,
      message: expect.stringContaining('invalid path "/ipfs/QmInvalidCID"')
    })
    expect(errorOf('/ipfs/QmInvalidCID', { host: 'localhost' })).toMatchObject({ name: 'InvalidPathError' })
  })

  it.each(['/ipfs', '/ipfs/', '/ipns/', '/ipns/localhost', '/ipns/127.0.0.1', '/ipns/a..b', '/ipns/-a.org',
    `/ipns/${CID.createV1(0x55, CID.parse(V1).multihash)}`, `/ipns/${'a.'.repeat(200)}org`, '/ipfs/%F0%9F%9A%80',
    `/ipfs/z${'1'.repeat(10_000)}`, `/ipns/1${'a'.repeat(10_000)}`])('refuses the root of %s', path => {
    expect(errorOf(path)).toMatchObject({ name: 'InvalidPathError', status: 400 })
  })

  it.each(['%', '%zz', '%ff', '%c3', 'a%2Fb', '%2f..%2f..%2fetc'])('refuses the name %s', name => {
    expect(errorOf(`/ipfs/${V1}/${name}`)).toMatchObject({ name: 'InvalidPathError', status: 400 })
  })

  it('refuses too many names', () => {
    expect(targetOf(`/ipfs/${V1}${'/a'.repeat(256)}`).path).toHaveLength(256)
    expect(errorOf(`/ipfs/${V1}${'/a'.repeat(257)}`)).toMatchObject({ name: 'InvalidPathError' })
  })

  it.each(['/', '/favicon.ico', '/api/v0/add', '//ipfs/x', '/ipfsx/y', `/ipfs/${V1}/../../etc`])(
    'refuses %s, which is outside of both namespaces', path => {
      expect(errorOf(path)).toMatchObject({ name: 'NotContentPathError', status: 404 })
    }
  )

  it('shortens a long path in its message', () => {
    expect((errorOf(`/ipfs/${'x'.repeat(10_000)}`) as Error).message.length).toBeLessThan(500)
  })

  it('refuses a service worker of a whole namespace', () => {
    const headers = { 'service-worker': 'script' }

    expect(errorOf(`/ipfs/${V1}`, headers)).toMatchObject({ status: 400 })
    expect(targetOf(`/ipfs/${V1}/`, headers).name).toBe(V1)
  })

  it('serves a host that is not listed as a path gateway', () => {
    expect(targetOf(`/ipfs/${V1}`, { host: 'fake.domain.com' })).not.toHaveProperty('origin')
  })
})

describe('a URI of a protocol handler', () => {
  it.each([
    [`ipfs://${V0}/wiki/Diego_Maradona.html`, `/ipfs/${V0}/wiki/Diego_Maradona.html`],
    ['ipns://en.wikipedia.org', '/ipns/en.wikipedia.org'],
    [`ipfs://${V1}/a b/ę?x=1#y`, `/ipfs/${V1}/a%20b/%C4%99?x=1`],
    [`ipfs://${V1}/../..//evil.com`, `/ipfs/${V1}/evil.com`],
    [`IPFS://${V1}//evil.com`, `/ipfs/${V1}/evil.com`],
    [`ipfs://${V1}/\\evil.com\r\nX: y`, `/ipfs/${V1}/evil.comX:%20y`]
  ])('%s leads to its path', (uri, location) => {
    expect(redirectOf(`/ipfs/?uri=${encodeURIComponent(uri)}`)).toEqual([301, location])
    expect(redirectOf(`/ipns?uri=${encodeURIComponent(uri)}`, { host: 'example.com' })).toEqual([301, location])
  })

  it.each(['https://evil.com', '//evil.com', 'ipfs://', 'ipfs:///evil.com', 'ipfs://evil.com', 'ipns://localhost',
    'javascript:alert(1)', `ipfs://${V1}@evil.com`, `ipfs://${V1}\\evil.com`, ''])('refuses %s', uri => {
    const error = errorOf(`/ipfs/?uri=${encodeURIComponent(uri)}`)

    expect(error).toMatchObject({ name: 'InvalidPathError', status: 400 })
  })
})

describe('a path of a host with subdomains', () => {
  it.each([
    [`/ipfs/${V1}/`, `http://${V1}.ipfs.localhost:8080/`],
    [`/ipfs/${V1}`, `http://${V1}.ipfs.localhost:8080/`],
    [`/ipfs/${V0}/a%20b?c=d`, `http://${V0_TO_V1}.ipfs.localhost:8080/a%20b?c=d`],
    [`/ipfs/${MARKED}/`, `http://${MARKED.toString(base36)}.ipfs.localhost:8080/`],
    [`/ipns/${PEER_ID}`, `http://${KEY}.ipns.localhost:8080/`],
    [`/ipns/${KEY}`, `http://${KEY}.ipns.localhost:8080/`],
    ['/ipns/en.wikipedia-on-ipfs.org/wiki/', 'http://en-wikipedia--on--ipfs-org.ipns.localhost:8080/wiki/']
  ])('%s leads to the origin of the root', (path, location) => {
    expect(redirectOf(path, { host: 'localhost:8080' })).toEqual([301, location])
  })

  it('believes the URL, and no header of a client', () => {
    const location = `https://${V1}.ipfs.example.com/`

    expect(redirectOf(`/ipfs/${V1}`, { host: 'EXAMPLE.com.', proto: 'https', 'x-forwarded-proto': 'http' }))
      .toEqual([301, location])
    expect(targetOf(`/ipfs/${V1}`, { 'x-forwarded-host': 'example.com' }).origin).toBeUndefined()
    expect(targetOf('/', { host: 'website.org', 'x-forwarded-host': 'evil.org' }).name).toBe('website.org')
    const { headers } = parse(`/ipfs/${V1}`, { host: 'example.com' }) as Response
    expect(headers.get('vary')).toContain('X-Forwarded-Host')
  })

  it('keeps the query byte for byte', () => {
    for (const query of ['a', 'a=', 'a=%20b+c', 'a&&b', '=', '%zz']) {
      expect(redirectOf(`/ipfs/${V1}?${query}`, { host: 'localhost' }))
        .toEqual([301, `http://${V1}.ipfs.localhost/?${query}`])
    }

    // as servers pass it on
    const raw = Object.defineProperty(new Request('http://localhost/'), 'url', {
      value: `http://localhost/ipfs/${V1}?a='b"<>`
    })
    expect((parseTarget(raw, INIT) as Response).headers.get('location')).toBe(`http://${V1}.ipfs.localhost/?a='b"<>`)
  })

  it('refuses a root that no label holds', () => {
    for (const path of [`/ipfs/${LONG}`, `/ipns/${'long-name.'.repeat(7)}org`]) {
      expect(errorOf(path, { host: 'localhost' })).toMatchObject({ name: 'LabelTooLongError', status: 400 })
    }

    expect(errorOf(`/ipfs/${LONG}`, { host: 'localhost' })).toMatchObject({
      message: expect.stringContaining('CID incompatible with DNS label length limit of 63')
    })
  })

  it('takes the host of the URL where there is no header', () => {
    expect(redirectOf(`http://localhost:1234/ipfs/${V1}`)).toEqual([301, `http://${V1}.ipfs.localhost:1234/`])
  })

  it('takes a port in the list as the only one', () => {
    const init = { subdomainHosts: ['example.com:8080'] }

    expect(parse(`/ipfs/${V1}`, { host: 'example.com:8080' }, init)).toBeInstanceOf(Response)
    expect(parse(`/ipfs/${V1}`, { host: 'example.com:9090' }, init)).not.toBeInstanceOf(Response)
    expect(targetOf('/', { host: `${V1}.ipfs.example.com:8080` }, init).origin).toBe('example.com:8080')
    expect(targetOf('/', { host: `${V1}.ipfs.example.com` }, init).origin).toBeUndefined()
  })

  it.each(['exa!mple.com', 'a$b.com', 'a&b.com', 'a;b.com'])('refuses the host %s', host => {
    expect(errorOf(`/ipfs/${V1}`, { host })).toMatchObject({ name: 'InvalidHostError', status: 400 })
  })

  it('refuses a URL that a server could not make of the host', () => {
    const request = { url: 'http://1.2.3.4.5/ipfs/bafkqaaa', headers: new Headers() } as Request

    expect(() => parseTarget(request, INIT)).toThrow(expect.objectContaining({ name: 'InvalidHostError', status: 400 }))
  })

  it.each(['evil.com', 'evil.localhost.evil.com', 'localhost.evil.com', 'evillocalhost', '[::1]:8080', '127.0.0.1'])(
    'never leads to the host %s', host => {
      const response = parse(`/ipfs/${V1}`, { host })

      expect(response).not.toBeInstanceOf(Response)
    }
  )
})

describe('a subdomain', () => {
  it('is the root of its path', () => {
    expect(targetOf('/ipfs/ipns/bar?x', { host: `${V1.toUpperCase()}.ipfs.Example.com:81` })).toMatchObject({
      namespace: 'ipfs',
      name: V1,
      path: ['ipfs', 'ipns', 'bar'],
      rawPath: '/ipfs/ipns/bar',
      origin: 'example.com:81'
    })
    expect(targetOf('/', { host: `${MARKED.toString(base36)}.ipfs.localhost` }))
      .toMatchObject({ path: [], rawPath: '/' })
  })

  it('leads to the canonical label', () => {
    expect(redirectOf('/a//b?c', { host: `${CID.parse(V1).toString(base36)}.ipfs.localhost` }))
      .toEqual([301, `http://${V1}.ipfs.localhost/a/b?c`])
    expect(redirectOf('/', { host: `${MARKED}.ipfs.localhost` }))
      .toEqual([301, `http://${MARKED.toString(base36)}.ipfs.localhost/`])
    expect(redirectOf('/', { host: `${CID.parse(RSA_ID).toV1().toString(base36)}.ipns.localhost` }))
      .toEqual([301, `http://${RSA_KEY}.ipns.localhost/`])
  })

  it('is a DNSLink name, inlined or not', () => {
    const long = 'my.v-long.example.org.ipns.localhost'
    const inlined = 'my-v--long-example-org.ipns.localhost'

    expect(targetOf('/', { host: inlined })).toMatchObject({ namespace: 'ipns', name: 'my.v-long.example.org' })
    expect(targetOf('/', { host: long })).toMatchObject({ name: 'my.v-long.example.org' })
    expect(redirectOf('/', { host: long, proto: 'https' }))
      .toEqual([301, `https://${inlined}/`])
  })

  it.each([V0, 'abc', `${V1}.x`, '-'])('refuses the label %s', label => {
    expect(errorOf('/', { host: `${label}.ipfs.localhost` })).toMatchObject({ name: 'InvalidHostError', status: 400 })
  })

  it.each(['abc', 'a--b', '-', 'a-'])('refuses the label %s of a name', label => {
    expect(errorOf('/', { host: `${label}.ipns.localhost` })).toMatchObject({ name: 'InvalidHostError', status: 400 })
  })

  it('refuses a CID that no label holds', () => {
    expect(errorOf('/', { host: `${LONG}.ipfs.localhost` })).toMatchObject({
      status: 400,
      message: expect.stringContaining('CID incompatible with DNS label length limit of 63')
    })
  })

  it('is not that of a host that is not listed', () => {
    expect(targetOf(`/ipfs/${V0}`, { host: `${V1}.ipfs.other.com` })).toMatchObject({ name: V0 })
  })
})

describe('a host that is a DNSLink name', () => {
  it('is the root of every path outside of the namespaces', () => {
    for (const path of ['/', '/ipfs/logo.png', '/a//b']) {
      expect(targetOf(path, { host: 'Website.org:8080' })).toMatchObject({
        namespace: 'ipns',
        name: 'website.org',
        dnsLinkHost: 'website.org:8080',
        rawPath: path.replace('//', '/')
      })
    }
  })

  it.each(['127.0.0.1', '[::1]', 'localhost', 'intranet', 'foo.localhost', 'trustless.net'])('is not %s', host => {
    expect(errorOf('/', { host })).toMatchObject({ name: 'NotContentPathError' })
  })
})

describe('a trustless host', () => {
  it('has paths alone, without redirects', () => {
    const init = { ...INIT, subdomainHosts: ['trustless.net'] }

    expect(targetOf(`/ipns/${PEER_ID}`, { host: 'trustless.net' }, init))
      .toMatchObject({ name: PEER_ID, trustless: true })
  })
})
