import { describe, expect, it } from 'vitest'
import { serve } from './fixtures.ts'

const CID = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'
const KEY = 'k51qzi5uqu5dlvj2baxnqndepeb86cbk3ng7n3i46uzyxzyqj2xjonzllnv0v8'
const { gateway } = serve({ subdomainHosts: ['localhost', 'example.com'], trustlessHosts: ['trustless.net'] })

async function ask (url: string, method = 'GET'): Promise<Response> {
  return gateway(new Request(url, { method, headers: { accept: 'text/html' } }))
}

describe('the first page of a gateway', () => {
  it.each([
    ['http://127.0.0.1:8080/', "form-action 'self';"],
    ['http://192.168.1.2:8080/', "form-action 'self';"],
    ['http://[::1]:8080/?x=1', "form-action 'self';"],
    // browsers compare where a form is redirected with the policy, too
    ['http://localhost:8080/', "form-action 'self' http://*.ipfs.localhost:8080 http://*.ipns.localhost:8080;"],
    ['https://example.com/', "form-action 'self' https://*.ipfs.example.com https://*.ipns.example.com;"]
  ])('has a field for a CID, and runs and loads nothing: %s', async (url, policy) => {
    const page = await ask(url)
    const html = await page.text()
    const head = await ask(url, 'HEAD')

    expect(page.status).toBe(200)
    expect(html).toMatch(/<form action="\/" method="get">.*<input [^>]*name="cid"/s)
    expect(html).not.toMatch(/<script|<img|\son\w+=|\sstyle=|@import|url\(|https?:\/\/(?!www\.w3\.org)/)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(page.headers.get('content-security-policy')).toContain(policy)
    expect([head.status, await head.text(), head.headers.get('content-length')])
      .toEqual([200, '', String(new TextEncoder().encode(html).byteLength)])
  })

  it.each([
    [CID, `/ipfs/${CID}`],
    [`  ${CID}/a b/ü?.csv `, `/ipfs/${CID}/a%20b/%C3%BC%3F.csv`],
    [`/ipfs/${CID}/a`, `/ipfs/${CID}/a`],
    [`ipfs://${CID}/a%20b?x#y`, `/ipfs/${CID}/a%20b`],
    [`ipfs://${CID}/ü/文\n/%C3%BC`, `/ipfs/${CID}/%C3%BC/%E6%96%87/%C3%BC`],
    [`https://ipfs.example/ipfs/${CID}/`, `/ipfs/${CID}/`],
    [KEY, `/ipns/${KEY}`],
    [`ipns://${KEY}`, `/ipns/${KEY}`],
    ['docs.ipfs.tech/start', '/ipns/docs.ipfs.tech/start'],
    ['/ipns/docs.ipfs.tech', '/ipns/docs.ipfs.tech']
  ])('leads to what is entered: %s', async (entered, location) => {
    const response = await ask(`http://127.0.0.1:8080/?cid=${encodeURIComponent(entered)}`)

    expect([response.status, response.headers.get('location')]).toEqual([303, location])
  })

  it.each(['nonsense', '"><script>alert(1)</script>', '//evil.example', '/', 'http://evil.example/x', '\u202e', 'ipfs://'])(
    'says what leads nowhere, and leads nowhere else: %s', async entered => {
      const response = await ask(`http://127.0.0.1:8080/?cid=${encodeURIComponent(entered)}`)
      const html = await response.text()

      expect([response.status, response.headers.get('location')]).toEqual([400, null])
      expect(html).toContain('is no CID')
      expect(html).not.toMatch(/<script|\u202e<|value="">/)
    })

  it('is shown again for an empty field', async () => {
    expect((await ask('http://127.0.0.1:8080/?cid=')).status).toBe(200)
  })

  it.each([
    'http://dnslink.example.net/', `http://${CID}.ipfs.localhost:8080/`, 'http://trustless.net/',
    'http://127.0.0.1:8080/ipfs/', 'http://127.0.0.1:8080/index.html'
  ])('is on no other path, and not on the host of a site: %s', async url => {
    const response = await gateway(new Request(url))

    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(await response.text()).not.toContain('<form')
  })
})
