import { createVerifiedFetchWithHelia, verifiedFetch } from '@helia/verified-fetch'
import { createHeliaLight } from 'helia'
import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'
import { expect, it, onTestFinished } from 'vitest'
import type { CreateVerifiedFetchOptions, PluginContext } from '@helia/verified-fetch'
import type { BlockBroker } from 'helia'

const OURS = 'packages/verified-fetch/src/path-below.ts'
const PLUGIN = 'packages/verified-fetch/src/plugin.ts'
const UNKNOWN = CID.createV1(0x300001, identity.digest(Uint8Array.of(1)))
const KEY = CID.createV1(0x72, identity.digest(new Uint8Array(36)))

const NOBODY: BlockBroker = {
  name: 'nobody',
  createSession: () => ({ name: 'nobody', addPeer: async () => {} })
}

interface Asked {
  headers?: Record<string, string>
  method?: string
  /** What the plugin answers. */
  response?: Response
}

/** What a plugin gets of a request, and the status of its response. */
async function ask (
  url: string,
  { response = new Response('mine'), ...init }: Asked = {}
): Promise<{ status: number, paths: string[] }> {
  const helia = createHeliaLight()
  const paths: string[] = []
  helia.addBlockBroker(NOBODY)
  const fetch = await createVerifiedFetchWithHelia(helia, {
    plugins: [() => ({
      id: 'mine',
      canHandle: () => true,
      handle: async ({ url }: PluginContext) => {
        paths.push(url.pathname)

        return response
      }
    })],
    ipnsResolver: {
      resolve: async function * () {
        yield { record: { data: new Uint8Array([0xa0]), ttl: 0n } as never, value: `/ipfs/${UNKNOWN}/a` }
      }
    },
    dnsLink: {
      resolve: async () => [{ namespace: 'ipfs', cid: UNKNOWN, path: '/a', answer: { TTL: 1 } }]
    } as unknown as NonNullable<CreateVerifiedFetchOptions['dnsLink']>
  })
  onTestFinished(async () => { await fetch.stop() })
  const { status } = await fetch(url, init)

  return { status, paths }
}

it('@helia/verified-fetch does not tell a plugin the path that an IPNS name leads to', async () => {
  expect(await ask(`ipns://${KEY}/b`), OURS).toEqual({ status: 200, paths: ['/b'] })
})

it('@helia/verified-fetch asks no plugin for other codecs by DNSLink, or as text/html or a CAR alone', async () => {
  expect(await ask('dnslink://site.example.com/b'), OURS).toEqual({ status: 406, paths: [] })

  for (const accept of ['text/html', 'application/vnd.ipld.car']) {
    expect(await ask(`ipfs://${UNKNOWN}/b`, { headers: { accept } }), OURS).toEqual({ status: 406, paths: [] })
  }

  expect(await ask(`ipfs://${UNKNOWN}/b`), OURS).toEqual({ status: 200, paths: ['/b'] })
})

it('@helia/verified-fetch answers a path that it cannot decode with 500, and asks no plugin', async () => {
  expect(await ask(`ipfs://${UNKNOWN}/%zz`), 'packages/verified-fetch/src/check-paths.ts').toEqual({ status: 500, paths: [] })
})

const missing = (): Response => new Response(null, { status: 404 })

it('@helia/verified-fetch answers every HEAD with 200, and If-None-Match: * with 304', async () => {
  expect(await ask(`ipfs://${UNKNOWN}/b`, { response: missing() }), PLUGIN).toMatchObject({ status: 404 })
  expect(await ask(`ipfs://${UNKNOWN}/b`, { response: missing(), method: 'HEAD' }), PLUGIN)
    .toMatchObject({ status: 200 })
  expect(await ask(`ipfs://${UNKNOWN}/b`, { response: missing(), headers: { 'if-none-match': '*' } }), PLUGIN)
    .toMatchObject({ status: 304 })
})

it('the ready-made verifiedFetch of @helia/verified-fetch takes no plugins', () => {
  // what is asked for, and options of the request
  expect(verifiedFetch, 'packages/verified-fetch/README.md').toHaveLength(2)
  expect(Object.keys(verifiedFetch).toSorted()).toEqual(['start', 'stop'])
})
