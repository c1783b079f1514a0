import { ipfsz, unmark } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { identity } from 'multiformats/hashes/identity'
import { describe, expect, it, vi } from 'vitest'
import { matchRedirect } from '../src/resolve/match-redirect.ts'
import { ParsedRedirects } from '../src/resolve/parsed-redirects.ts'
import { redirectOf } from '../src/resolve/redirect-of.ts'
import { parseRedirects } from '../src/resolve/redirects-file.ts'
import type { RedirectComponents } from '../src/resolve/redirect-of.ts'
import type { Target } from '../src/request/target.ts'
import type { RedirectMatch } from '../src/resolve/match-redirect.ts'

const EXAMPLE = `
# a comment
/redirect-one /one.html
/302-redirect-two\t/two.html   302
  /200-index /index.html 200
/posts/:year/:month/:day/:title /articles/:year/:month/:day/:title 301
/twice/:a /:a/:a/x:a?q=:a
/splat/* /redirected-splat/:splat 301
/pre* /post/:splat
/not-found/* /404.html 404
/gone/* /410.html 410
/unavail/* /451.html 451
/out/* https://example.net/target/:splat?x=1 308
/static /target?a=1&b=2#part
/loop /loop/ 302
/* /index.html 200
`

function match (rules: string, pathname: string, search = ''): RedirectMatch | undefined {
  const path = pathname.split('/').filter(Boolean).map(decodeURIComponent)

  return matchRedirect(parseRedirects(rules), path, pathname, search)
}

describe('a _redirects file', () => {
  it.each([
    ['/redirect-one', 301, '/one.html'],
    ['/302-redirect-two', 302, '/two.html'],
    ['/posts/2022/01/01/hello-world', 301, '/articles/2022/01/01/hello-world'],
    ['/twice/%C4%99%20%26', 301, '/%C4%99%20&/%C4%99%20&/x%C4%99%20&?q=%C4%99%20%26'],
    ['/splat/one/two.html', 301, '/redirected-splat/one/two.html'],
    ['/splat/', 301, '/redirected-splat/'],
    ['/prefix/x', 301, '/post/fix/x'],
    ['/out/a/b', 308, 'https://example.net/target/a/b?x=1'],
    ['/loop', 302, '/loop/']
  ])('sends %s with %i to %s', (path, status, location) => {
    expect(match(EXAMPLE, path)).toEqual({ status, location })
  })

  it.each([
    ['/200-index', 200, '/index.html'],
    ['/not-found/has-no-entry', 404, '/404.html'],
    ['/gone/x', 410, '/410.html'],
    ['/unavail/x/y', 451, '/451.html'],
    ['/splat', 200, '/index.html'],
    ['/loop/', 200, '/index.html'],
    ['/', 200, '/index.html']
  ])('answers %s with %i and %s', (path, status, file) => {
    expect(match(EXAMPLE, path)).toEqual({ status, path: file })
  })

  it('keeps the query, which replaces parameters of the rule', () => {
    expect(match(EXAMPLE, '/static', '?b=3&c=x%20y')).toMatchObject({ location: '/target?a=1&b=3&c=x%20y#part' })
    expect(match(EXAMPLE, '/static')).toMatchObject({ location: '/target?a=1&b=2#part' })

    for (const search of ['?q', '?q=', '?=', '?q=%20b+c', '?q&&r', "?q='%27", '?q=%zz', '?%C3%A9=é']) {
      expect(match('/old /new', '/old', search)).toMatchObject({ location: `/new${search}` })
    }

    expect(match(EXAMPLE, '/out/a', '?y=2')).toMatchObject({ location: 'https://example.net/target/a?x=1&y=2' })
  })

  it('is read with any line ends, and none at the end', () => {
    expect(match('/a /b\r\n\r\n/c /d', '/c')).toMatchObject({ location: '/d' })
    expect(match('', '/c')).toBeUndefined()
  })

  it('compares names decoded', () => {
    expect(match('/%C4%99 /b', '/%C4%99')).toMatchObject({ location: '/b' })
    expect(match('/ę /b/ą', '/%C4%99')).toMatchObject({ location: '/b/%C4%85' })
  })

  it('uses the first rule that matches', () => {
    expect(match('/a/* /1\n/a/b /2', '/a/b')).toMatchObject({ location: '/1' })
  })

  it.each([
    '/a', '/a /b 301!', '/a /b 999', '/a /b 0x12d', '/a /b 301 x', 'a /b', '/a b', '/a javascript:alert(1)',
    '/a //evil.com', '/a /\\evil.com', '/a https://x.org 200', '/a/*/b /c', '/:x/:x /c', '/:splat/* /c', '/** /c', '/a https://'
  ])('refuses the rule %s with its line', rule => {
    expect(() => parseRedirects(`# one\n${rule}\n`)).toThrow(expect.objectContaining({
      name: 'InvalidRedirectsFileError',
      status: 500,
      line: 2,
      message: expect.stringContaining('could not parse _redirects:')
    }))
  })

  it.each([
    ['/* /:splat', '/%5Cevil.com', '/%5Cevil.com'],
    ['/* /:splat', '/%2e%2e/x', '/x'],
    ['/x/* /./:splat', '/x/%2Fevil.com', '/%2Fevil.com'],
    ['/x/* /../:splat/', '/x/', '/'],
    ['/x/* /:splat/evil.com', '/x/', '/evil.com'],
    ['/x/* /.//:splat', '/x/evil.com', '/evil.com'],
    ['/x/:a /b?c=:a', '/x/%0D%0ASet-Cookie:%20a', '/b?c=%0D%0ASet-Cookie%3A%20a']
  ])('stays on the host: %s for %s', (rule, path, location) => {
    const found = match(rule, path)

    // a rule that leads back to the same path does not match
    expect(found == null ? path : (found as { location: string }).location).toBe(location)
  })

  it('never makes another host of a path', () => {
    fc.assert(fc.property(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 5 }), fc.constantFrom(
      '/* /:splat', '/* /a/:splat?b=:splat', '/:x/* /:x/:splat', '/:a/:b /:b//:a', '/* /:splat/../:splat'
    ), (names, rule) => {
      const path = names.filter(name => name !== '')
      const found = matchRedirect(parseRedirects(rule), path, '/', '')

      if (found != null && 'location' in found) {
        expect(new URL(found.location, 'http://gateway.test').host).toBe('gateway.test')
        expect(() => new Headers({ location: found.location })).not.toThrow()
      }
    }))
  })

  it('gives up after ten rules that lead back', () => {
    const loops = '/* /:splat\n'

    expect(match(`${loops.repeat(9)}/* /x 200`, '/a')).toMatchObject({ path: '/x' })
    expect(match(`${loops.repeat(10)}/* /x 200`, '/a')).toBeUndefined()
  })

  it('refuses a target that placeholders make too long', () => {
    expect(() => match(`/* /${':splat/'.repeat(9000)}`, `/${'x'.repeat(1000)}`))
      .toThrow(expect.objectContaining({ name: 'InvalidRedirectsFileError' }))
  })

  it.each([
    ['as it is', `/* /${'a'.repeat(9000)}`],
    ['once it is encoded', `/* https://site.example/${'ę'.repeat(3000)}`],
    ['with a query', `/* /a?${'c&'.repeat(5000)}`],
    ['in its file, but not once its path is resolved', `/* /b${'/a/..'.repeat(3000)}/ 302`, '/b/']
  ])('refuses a target that is too long for a header %s', (_, rules, location?: string) => {
    const found = (): RedirectMatch | undefined => match(rules, '/x', '?b=1')

    if (location == null) {
      expect(found).toThrow(expect.objectContaining({ name: 'InvalidRedirectsFileError', status: 500 }))
    } else {
      expect(found()).toEqual({ status: 302, location: `${location}?b=1` })
    }
  })

  it('takes no more than linear time in the file and the path', () => {
    // seconds each, if it were quadratic
    const names = Array.from({ length: 8000 }, (_, i) => i.toString(36))
    const from = names.map(name => `/:${name}`).join('')
    const attacks: Array<[rules: string, path: string]> = [
      [`${from} /${':'.repeat(8000)}`, '/a'.repeat(names.length)],
      [`${'/a'.repeat(30_000)} /x`, '/a'.repeat(8000)],
      [`/a${' '.repeat(65_000)}/b`, '/b'],
      [`/q /q?${'a&'.repeat(3000)}\n`.repeat(10), '/q'],
      ['/* /:splat\n'.repeat(6000), '/q'],
      [`/* /${'../'.repeat(2000)}`, '/q']
    ]

    for (const [rules, path] of attacks) {
      expect(() => match(rules, path, '?b=1')).not.toThrow()
    }
  })

  it('never fails in another way', () => {
    const rules = fc.string({ unit: fc.constantFrom(...'/:*# \n\t\r%?&ab301.\\ę') })

    fc.assert(fc.property(rules, fc.string({ unit: fc.constantFrom(...'/ab.:\\') }), (text, path) => {
      try {
        matchRedirect(parseRedirects(text), path.split('/').filter(Boolean), path, '?a=b')
      } catch (err) {
        expect(err).toMatchObject({ name: 'InvalidRedirectsFileError' })
      }
    }))
  })
})

async function site (files: Record<string, string>): Promise<{ root: CID, components: RedirectComponents }> {
  const blocks = new MemoryBlockstore()
  const fs = ipfsz({ blockstore: blocks })
  let root: CID | undefined

  for await (const { cid } of fs.addAll(Object.entries(files).map(([path, text]) => {
    return { path: `root/${path}`, content: new TextEncoder().encode(text) }
  }))) {
    root = cid
  }

  return { root: root as CID, components: { fs, blocks, redirects: new ParsedRedirects() } }
}

function target (root: CID, rawPath: string, more: Partial<Target> = { origin: 'localhost' }): Target {
  return {
    namespace: 'ipfs',
    name: root.toString(),
    path: rawPath.split('/').filter(Boolean),
    trailingSlash: rawPath.endsWith('/'),
    rawPath,
    query: new URLSearchParams('a=b'),
    search: '?a=b',
    ...more
  }
}

describe('redirecting a path that does not exist', () => {
  const signal = new AbortController().signal

  it('reads the rules of the site, compressed or plain', async () => {
    const { root, components } = await site({ _redirects: `${'# a comment\n'.repeat(1000)}${EXAMPLE}`, 'x/y': 'z' })

    expect(root.code).not.toBe(0x70)
    await expect(redirectOf(target(root, '/redirect-one'), components, signal))
      .resolves.toEqual({ status: 301, location: '/one.html?a=b' })
    await expect(redirectOf(target(root, '/gone/x', { dnsLinkHost: 'example.org' }), components, signal))
      .resolves.toMatchObject({ status: 410, target: { path: ['410.html'], trailingSlash: true, rawPath: '/gone/x' } })
  })

  it('parses a file once, even a wrong one', async () => {
    const { root, components } = await site({ _redirects: `${EXAMPLE}/a /b 999\n` })
    const fail = async (): Promise<unknown> =>
      redirectOf(target(root, '/a'), components, signal).catch((err: unknown) => err)

    const [first, second] = await Promise.all([fail(), fail()])

    expect(first).toMatchObject({ name: 'InvalidRedirectsFileError' })
    expect(second).toBe(first)
    expect(await fail()).toBe(first)
  })

  it('does nothing on a path gateway, where the root is not the origin', async () => {
    const { root, components } = await site({ _redirects: EXAMPLE })

    await expect(redirectOf(target(root, '/redirect-one', {}), components, signal)).resolves.toBeUndefined()
  })

  it('begins at what a name points to', async () => {
    const { root, components } = await site({ 'sub/_redirects': '/a /b' })
    const names = { resolve: async () => ({ cid: root, path: ['sub'], ttl: 1 }) }
    const named = target(root, '/a', { namespace: 'ipns', name: 'example.org', dnsLinkHost: 'example.org' })

    await expect(redirectOf(named, { ...components, names }, signal)).resolves.toMatchObject({ location: '/b?a=b' })
  })

  it('refuses a file that is too large, not text, not a file, or missing', async () => {
    const limit = 64 * 1024
    const { root, components } = await site({ _redirects: '#'.repeat(limit + 1) })
    await expect(redirectOf(target(root, '/a'), components, signal)).rejects.toMatchObject({
      name: 'InvalidRedirectsFileError',
      message: expect.stringMatching(/could not parse _redirects:.*redirects file size cannot exceed/)
    })

    const fits = await site({ _redirects: '#'.repeat(limit) })
    await expect(redirectOf(target(fits.root, '/a'), fits.components, signal)).resolves.toBeUndefined()

    const directory = await site({ '_redirects/x': 'y' })
    await expect(redirectOf(target(directory.root, '/a'), directory.components, signal))
      .rejects.toMatchObject({ name: 'InvalidRedirectsFileError' })

    const missing = await site({ _redirects: EXAMPLE, x: 'y' })
    const { plainCid } = await missing.components.fs.stat(missing.root, { path: '_redirects' })
    await (missing.components.blocks as MemoryBlockstore).delete(plainCid)
    const anew = { ...missing.components, fs: ipfsz({ blockstore: missing.components.blocks as MemoryBlockstore }) }
    await expect(redirectOf(target(unmark(missing.root), '/a'), anew, signal))
      .rejects.toMatchObject({ name: 'InvalidRedirectsFileError', cause: { name: 'NotFoundError' } })
  })

  it('falls back to the nearest ipfs-404.html', async () => {
    const { root, components } = await site({ 'ipfs-404.html': '1', 'a/ipfs-404.html': '2', 'a/b/c': '3' })

    await expect(redirectOf(target(root, '/x/y'), components, signal))
      .resolves.toMatchObject({ status: 404, target: { path: ['ipfs-404.html'] } })
    await expect(redirectOf(target(root, '/a/b/x/y'), components, signal))
      .resolves.toMatchObject({ status: 404, target: { path: ['a', 'ipfs-404.html'] } })
    // of a path gateway, too
    await expect(redirectOf(target(root, '/x/y', {}), components, signal))
      .resolves.toMatchObject({ status: 404, target: { path: ['ipfs-404.html'] } })
  })

  it('does nothing without either', async () => {
    const { root, components } = await site({ 'a/b': '1' })

    await expect(redirectOf(target(root, '/a/x'), components, signal)).resolves.toBeUndefined()
  })
})

function cid (i: number): CID {
  return CID.createV1(raw.code, identity.digest(Buffer.from(`${i}`)))
}

describe('files of redirects that are remembered', () => {
  it('are parsed once, also if several ask at the same time', async () => {
    const redirects = new ParsedRedirects()
    const read = vi.fn(async () => EXAMPLE)

    const [first, second] = await Promise.all([redirects.rulesOf(cid(1), read), redirects.rulesOf(cid(1), read)])

    expect(second).toBe(first)
    expect(await redirects.rulesOf(cid(1), read)).toBe(first)
    expect(read).toHaveBeenCalledTimes(2)
    expect(first).toEqual(parseRedirects(EXAMPLE))
  })

  it('are forgotten once they take too much memory', async () => {
    const redirects = new ParsedRedirects()
    const costly = '/ /\n'.repeat(16 * 1024)
    const first = await redirects.rulesOf(cid(0), async () => costly)

    for (let i = 1; i < 4; i++) {
      await redirects.rulesOf(cid(i), async () => costly)
    }

    expect(await redirects.rulesOf(cid(0), async () => costly)).not.toBe(first)
  })
})
