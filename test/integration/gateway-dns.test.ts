import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { describe, expect, onTestFinished } from 'vitest'
import { startDnsServer } from '../support/dns-server.ts'
import { expectSuccess, it } from './run-cli.ts'
import type { IncomingMessage } from 'node:http'
import type { DnsServer } from '../support/dns-server.ts'
import type { Sandbox } from './run-cli.ts'

interface Answer {
  status: number | undefined
  body: string
}

type Ask = (host: string, path?: string) => Promise<Answer>

/** A gateway that asks this DNS server, and finds nobody to ask for blocks. */
async function startGateway (sandbox: Sandbox, dns: DnsServer): Promise<Ask> {
  const args = ['gateway', '--listen', '127.0.0.1:0', '--fetch', '--gateway', 'http://127.0.0.1:9', '--json']
  const child = sandbox.start(args, {
    preload: 'dns-server.ts',
    env: { DNS_SERVER: dns.address }
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await dns.close()
  })
  let printed = ''

  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    printed += String(chunk)

    if (printed.includes('"event":"ready"')) {
      break
    }
  }

  const line = printed.split('\n').find(line => line.includes('"event":"gateway"')) ?? '{}'
  const { hostname, port } = new URL((JSON.parse(line) as { url: string }).url)

  return async (host, path = '/') => {
    const asked = request({ hostname, port, path, headers: { host }, agent: false }).end()
    const [response] = await once(asked, 'response') as [IncomingMessage]

    return { status: response.statusCode, body: await textOf(response) }
  }
}

async function addSite (sandbox: Sandbox, page: string): Promise<string> {
  const directory = join(sandbox.directory, page)
  await mkdir(directory)
  await sandbox.write(`${page}/index.html`, Buffer.from(page))
  const added = await sandbox.run(['add', '-Q', directory])
  expectSuccess(added)

  return added.stdout.toString().trim()
}

describe('DNS that tells a gateway and others different things of a host', () => {
  it('decides for each gateway what it serves there', async ({ sandbox }) => {
    const [inside, outside] = [await addSite(sandbox, 'inside'), await addSite(sandbox, 'outside')]
    const views = [
      await startDnsServer({
        '_dnslink.site.example': `dnslink=/ipfs/${inside}`,
        '_dnslink.intranet.example': `dnslink=/ipfs/${inside}`
      }),
      await startDnsServer({
        '_dnslink.site.example': `dnslink=/ipfs/${outside}`,
        '_dnslink.to-intranet.example': 'dnslink=/ipns/intranet.example'
      })
    ]
    const [askInside, askOutside] = await Promise.all(views.map(async dns => startGateway(sandbox, dns)))

    expect(await askInside('site.example')).toEqual({ status: 200, body: 'inside' })
    expect(await askOutside('Site.Example.:80')).toEqual({ status: 200, body: 'outside' })
    // what only the other DNS knows is not there, under whatever name
    expect((await askOutside('intranet.example')).status).toBe(404)
    expect((await askOutside('to-intranet.example')).status).toBe(404)
    expect((await askOutside('127.0.0.1', '/ipns/intranet.example/')).status).toBe(404)
    // names without a dot, and addresses, are never asked for
    expect((await askOutside('127.0.0.1', '/ipns/intranet/')).status).toBe(400)
    expect(views[1].asked).not.toContain('_dnslink.intranet')
    expect(views[1].asked.some(name => name.includes('127.0.0.1'))).toBe(false)
  })

  it('is asked over TCP if its answer is too long for a datagram', async ({ sandbox }) => {
    const cid = await addSite(sandbox, 'long')
    const dns = await startDnsServer({ '_dnslink.site.example': `dnslink=/ipfs/${cid}` }, { overTcp: true })
    const ask = await startGateway(sandbox, dns)

    expect(await ask('site.example')).toEqual({ status: 200, body: 'long' })
    expect(dns.asked).toEqual(['_dnslink.site.example', '_dnslink.site.example'])
  })
})
