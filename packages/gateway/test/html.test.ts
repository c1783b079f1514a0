import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { PAGE_POLICY, PAGE_VERSION, STYLE_HASH } from '../src/html/csp.ts'
import { renderError } from '../src/html/error.ts'
import { renderListing } from '../src/html/listing.ts'
import { STYLE } from '../src/html/style.ts'
import type { Listing } from '../src/html/listing.ts'

const CID = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'
const CHILD = 'bagc3j7ibciqftfeehedf6klbt32bfaglxezl4uwfnwm4lftlmxqbcerz6cmlx3y'

const LISTING: Listing = {
  path: ['ipfs', CID, 'ą', 'ę'],
  cid: CHILD,
  storedSize: 500n,
  gatewayUrl: '',
  base: `/ipfs/${CID}/%C4%85/%C4%99/`,
  parent: `/ipfs/${CID}/%C4%85/%C4%99/..`,
  entries: [
    { name: 'sub', cid: CHILD, type: 'directory', storedSize: 4_718_592n },
    { name: 'file-źł.txt', cid: CHILD, type: 'file', size: 268_435_456n, storedSize: 21_474_836n, codec: 'zstd' },
    { name: 'missing', cid: CHILD, type: 'unknown' }
  ]
}

function listingOf (name: string): string {
  return renderListing({ ...LISTING, entries: [{ name, cid: CHILD, type: 'file' }] })
}

async function hash (text: string, encoding: 'base64' | 'hex'): Promise<string> {
  return Buffer.from((await sha256.digest(new TextEncoder().encode(text))).digest).toString(encoding)
}

describe('the page of a directory', () => {
  it('has breadcrumbs, a link to the parent, and links to entries and their CIDs', () => {
    const html = renderListing(LISTING)

    expect(html).toContain('Index of')
    expect(html).toContain(`/ipfs/<a href="/ipfs/${CID}">${CID}</a>/<a href="/ipfs/${CID}/%C4%85">ą</a>` +
      `/<a href="/ipfs/${CID}/%C4%85/%C4%99">ę</a>`)
    expect(html).toContain(`<a href="/ipfs/${CID}/%C4%85/%C4%99/..">..</a>`)
    expect(html).toContain(`<a href="/ipfs/${CID}/%C4%85/%C4%99/file-%C5%BA%C5%82.txt">file-źł.txt</a>`)
    expect(html).toContain('<a class="ipfs-hash" translate="no" ' +
      `href="/ipfs/${CHILD}?filename=file-%25C5%25BA%25C5%2582.txt">`)
  })

  it('links other CIDs to the path gateway from a subdomain', () => {
    const html = renderListing({ ...LISTING, gatewayUrl: '//localhost:8080', base: '/%C4%85/%C4%99/' })

    expect(html).toContain(`/ipfs/<a href="//localhost:8080/ipfs/${CID}">${CID}</a>` +
      `/<a href="//localhost:8080/ipfs/${CID}/%C4%85">ą</a>`)
    expect(html).toContain('<a href="/%C4%85/%C4%99/file-%C5%BA%C5%82.txt">file-źł.txt</a>')
    expect(html).toContain(`href="//localhost:8080/ipfs/${CHILD}?filename=`)
  })

  it('leads out of a DNSLink host only to a page about the CID', () => {
    const html = renderListing({
      ...LISTING,
      path: ['ipns', 'example.org', 'ą'],
      base: '/%C4%85/',
      dnsLinkHost: 'example.org'
    })

    expect(html).toContain('/ipns/<a href="//example.org/">example.org</a>/<a href="//example.org/%C4%85">ą</a>')
    expect(html).toContain('<a class="ipfs-hash" translate="no" ' +
      `href="https://cid.ipfs.tech/#${CHILD}" target="_blank" rel="noreferrer noopener">`)
  })

  it('has no link to a parent at the root', () => {
    const { parent: _, ...root } = LISTING

    expect(renderListing(root)).not.toContain('..</a>')
  })

  it('shows both sizes, the codec and the ratio', () => {
    const html = renderListing(LISTING)

    for (const text of ['>256 MiB<', '>20.5 MiB<', '>zstd<', '>0.080<', 'class="bar b2"', '>4.50 MiB<']) {
      expect(html).toContain(text)
    }
  })

  it('says that entries were left out', () => {
    expect(renderListing({ ...LISTING, truncatedAt: 3 })).toContain('Only the first 3 entries')
    expect(renderListing(LISTING)).not.toContain('Only the first')
  })

  it('says that it is empty', () => {
    expect(renderListing({ ...LISTING, entries: [] })).toContain('This directory is empty')
  })

  it('has a language, a title, a caption and headings', () => {
    const html = renderListing(LISTING)

    expect(html).toContain('<html lang="en">')
    expect(html).toContain(`<title>Index of /ipfs/${CID}/ą/ę</title>`)
    expect(html).toContain('<caption')
    expect(html.match(/<th scope="col"/g)).toHaveLength(5)
    expect(html.match(/<th scope="row"/g)).toHaveLength(4)
  })

  it('escapes names in texts and links', () => {
    const html = listingOf('"><img src=x onerror=alert(1)>&amp;')

    expect(html).not.toContain('<img')
    expect(html).toContain('&gt;&lt;img src=x onerror=alert(1)&gt;&amp;amp;')
    expect(html).toContain('%22%3E%3Cimg%20src%3Dx')
    expect(renderListing({ ...LISTING, path: ['ipfs', CID, '</title><script>'] })).not.toContain('<script>')
  })

  it('shows control characters and changes of direction as codes', () => {
    const html = listingOf('invoice\u202egpj.exe\n\u0085\u2066\u200b')

    expect(html).toContain('>invoice\\u202egpj.exe\\x0a\\x85\\u2066\\u200b<')
    expect(html).toContain('invoice%E2%80%AEgpj.exe%0A')
  })

  it('renders a name that is not well-formed', () => {
    expect(listingOf('a\ud800b')).toContain('a\ufffdb')
  })

  it('keeps the names of people who write other scripts', () => {
    expect(listingOf('سلام 👩‍🚀 日本')).toContain('>سلام 👩‍🚀 日本<')
  })
})

describe('the page of an error', () => {
  it('says what went wrong, and escapes it', () => {
    const html = renderError({ status: 404, message: 'no link named "<b>\u202e" under bafy' })

    expect(html).toContain('<title>404 Not found</title>')
    expect(html).toContain('no link named "&lt;b&gt;\\u202e" under bafy')
  })

  it('names the error, and offers to try again what may succeed then', () => {
    const failed = renderError({ status: 504, message: 'x', name: 'GatewaysFailedError' })

    expect(failed).toContain('504 GatewaysFailedError')
    expect(failed).toContain('<a href="">Try again</a>')
    expect(renderError({ status: 404, message: 'x' })).not.toContain('Try again')
  })

  it.each([418, 599])('has a title for the unknown status %i', status => {
    expect(renderError({ status, message: 'x' })).toMatch(/<h1>[A-Z]/)
  })
})

describe('every page', () => {
  it('has the style that the policy allows, and nothing else that loads or runs', async () => {
    for (const html of [renderListing(LISTING), renderError({ status: 404, message: 'x' })]) {
      expect(/<style>([^]*?)<\/style>/.exec(html)?.[1]).toBe(STYLE)
      expect(html).not.toMatch(/<script|<img|<iframe|\son\w+=|\sstyle=|@import|url\(/)
    }

    expect(`sha256-${await hash(STYLE, 'base64')}`, 'STYLE_HASH in csp.ts').toBe(STYLE_HASH)
    expect(PAGE_POLICY).toContain(STYLE_HASH)
    expect(PAGE_POLICY).toContain("default-src 'none'")
  })

  it('has a version that changes with it', async () => {
    const pages = [LISTING, { ...LISTING, entries: [], truncatedAt: 1, size: 1000n }].map(renderListing).join('')

    expect((await hash(pages, 'hex')).slice(0, 8), 'PAGE_VERSION in csp.ts').toBe(PAGE_VERSION)
  })
})
