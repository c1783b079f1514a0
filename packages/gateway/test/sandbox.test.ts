import { describe, expect, it } from 'vitest'
import { serve, text } from './fixtures.ts'

const HTML = { accept: 'text/html' }

/** Whether a browser gives what it shows an origin of its own. */
function isSandboxed ({ headers }: Response): boolean {
  return headers.get('content-security-policy')?.includes('sandbox allow-') === true
}

describe('what strangers publish', () => {
  it('is in a sandbox below every host name that is no gateway, unless clients verify it', async () => {
    const { gateway, fs } = serve({ subdomainHosts: ['localhost', 'gateway.example'] })
    const root = await fs.addFile({ path: 'a/x.html', content: text(3000) }, { compression: { codec: 'zstd' } })
    const ask = async (host: string, path: string, headers: Record<string, string> = {}): Promise<Response> =>
      gateway(new Request(`http://${host}/ipfs/${root}${path}`, { headers }))

    const hosts = ['site.example', 'site.example:8080', 'SITE.example.', 'box', 'box.local', 'x.gateway.example']

    for (const host of hosts) {
      for (const path of ['/a/x.html', '/a/x.html?filename=x.svg', '/a/x.html?filename=x.bin', '/a/', '/']) {
        expect(isSandboxed(await ask(host, path, HTML)), `${host}${path}`).toBe(true)
      }

      for (const path of ['?format=raw', '?format=car', '/a/x.html?format=raw', '?format=tar']) {
        const response = await ask(host, path)
        expect([response.status, isSandboxed(response)], `${host}${path}`).toEqual([200, false])
        await response.body?.cancel()
      }

      expect((await ask(host, '/a/x.html', { 'service-worker': 'script' })).status).toBe(400)
    }

    // an address has no site, and names of the gateway lead to an origin of the root
    for (const host of ['127.0.0.1', '192.0.2.1:8080', '[::1]', '[2001:db8::1]:8080']) {
      expect(isSandboxed(await ask(host, '/a/x.html'))).toBe(false)
    }

    expect((await ask('gateway.example', '/a/x.html')).status).toBe(301)
  })

  it('is a PDF, which browsers show in no sandbox, and stays as it was cached', async () => {
    const { gateway, fs } = serve()
    const cid = await fs.addBytes(text(3000), { compression: { codec: 'zstd' } })
    const ask = async (headers: Record<string, string>): Promise<Response> =>
      gateway(new Request(`http://site.example/ipfs/${cid}?filename=a.pdf`, { headers }))
    const [pdf, unchanged] = [await ask({}), await ask({ 'if-none-match': `"${cid}"` })]

    expect([isSandboxed(pdf), pdf.headers.get('x-content-type-options')]).toEqual([false, 'nosniff'])
    expect([unchanged.status, unchanged.headers.has('content-security-policy')]).toEqual([304, false])
  })
})
