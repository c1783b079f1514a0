/** Stock clients read compressed blocks over HTTP, under unchanged CIDs. test/pages has Helia in Chromium. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withHTTP } from '@helia/http'
import { unixfs } from '@helia/unixfs'
import { createHeliaLight } from 'helia'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, onTestFinished } from 'vitest'
import { expectSuccess, it } from '../integration/run-cli.ts'
import { expectStoredBytes, FILES, startBlockGateway } from '../support/block-gateway.ts'
import { TLS } from '../support/certificate.ts'
import { countingProxy } from '../support/counting-proxy.ts'
import { longText } from '../support/data.ts'
import { startDaemon } from '../support/network-daemons.ts'
import { startKubo } from '../support/network-kubo.ts'
import type { Helia } from 'helia'
import type { BlockGateway } from '../support/block-gateway.ts'

async function serve (...args: Parameters<typeof startBlockGateway>): Promise<BlockGateway> {
  const gateway = await startBlockGateway(...args)
  onTestFinished(gateway.close)

  return gateway
}

/** The paths of blocks that went out. Kubo also asks for the probe, from time to time. */
function fetchedBlocks ({ answers }: BlockGateway): string[] {
  return answers.filter(({ method, path }) => method === 'GET' && path !== '/ipfs/bafkqaaa').map(({ path }) => path)
}

/** @param headers - that it sends in addition */
async function startHelia ({ routerUrl }: BlockGateway, headers: Record<string, string> = {}): Promise<Helia> {
  const helia = await withHTTP(createHeliaLight(), {
    delegatedRouters: [routerUrl],
    recursiveGateways: [],
    allowInsecure: true,
    allowLocal: true,
    transformRequestInit: init => ({ ...init, headers: { ...init.headers, ...headers } })
  }).start()
  onTestFinished(async () => { await helia.stop() })

  return helia
}

describe('stock Kubo', () => {
  it('reads blocks that are stored with gzip', async () => {
    const gateway = await serve('gzip', { tls: TLS })
    const root = gateway.root.toString()
    const kubo = await startKubo({
      config: {
        Routing: { Type: 'autoclient', DelegatedRouters: [gateway.routerUrl] },
        'HTTPRetrieval.TLSInsecureSkipVerify': true
      }
    })
    onTestFinished(kubo.stop)

    await kubo.pin(root)

    const fetched = fetchedBlocks(gateway)
    await expectStoredBytes(gateway, 'gzip')
    expect((await kubo.ipfs(['ls', '--size=false', root])).toString()).toMatch(/ long\.txt\n.+ sub\/\n/)

    for (const [path, bytes] of Object.entries(FILES)) {
      expect(Buffer.compare(await kubo.ipfs(['cat', `${root}/${path}`]), bytes)).toBe(0)
    }

    // all of it was pinned
    expect(fetchedBlocks(gateway)).toEqual(fetched)
  })

  it('finds the gateway of a daemon in the DHT, and reads from it', async ({ sandbox }) => {
    const bytes = longText(3_000_000)
    const bootstrap = await startKubo()
    onTestFinished(bootstrap.stop)
    const proxy = await countingProxy(0)
    onTestFinished(proxy.close)
    const run = async (...args: string[]): Promise<string> => {
      const result = await sandbox.run(args, { stdin: bytes })
      expectSuccess(result)

      return result.stdout.toString().trim()
    }
    await run('init', '--blockstore-codec', 'gzip')
    const cid = await run('add', '-Q', '--codec', 'none', '-')
    // no address of libp2p, so that Bitswap is out of the question
    const daemon = await startDaemon(sandbox, {
      bootstrap: [bootstrap.address],
      args: ['--gateway', '127.0.0.1:0', '--announce', `/ip4/127.0.0.1/tcp/${proxy.port}/http`]
    })
    onTestFinished(daemon.kill)
    const { url } = JSON.parse(await readFile(join(sandbox.repo, 'gateway.json'), 'utf8')) as { url: string }
    proxy.targetPort = Number(new URL(url).port)

    const kubo = await startKubo({
      bootstrap: [bootstrap.address],
      config: { Routing: { Type: 'dhtclient', LoopbackAddressesOnLanDHT: true } }
    })
    onTestFinished(kubo.stop)
    await expect.poll(async () => (await kubo.ipfs(['routing', 'findprovs', cid])).toString(), { interval: 200 })
      .toContain(daemon.peerId)

    expect(Buffer.compare(await kubo.ipfs(['cat', cid]), bytes)).toBe(0)
    expect(proxy.received).toBeLessThan(bytes.byteLength / 2)
    expect(proxy.received).toBeGreaterThan(bytes.byteLength / 10)
  })
})

describe('stock Helia in Node', () => {
  it.each([
    ['gzip', 'gzip', {}],
    ['zstd', 'zstd', { 'accept-encoding': 'zstd' }],
    ['brotli', 'br', { 'accept-encoding': 'br' }]
  ] as const)('reads blocks that are stored with %s', async (codec, encoding, headers) => {
    const gateway = await serve(codec)
    const fs = unixfs(await startHelia(gateway, headers))

    for (const [path, bytes] of Object.entries(FILES)) {
      expect(Buffer.compare(Buffer.concat(await Array.fromAsync(fs.cat(gateway.root, { path }))), bytes)).toBe(0)
    }

    await expectStoredBytes(gateway, encoding)
  })

  it('reads blocks that are stored with a codec that it does not ask for', async () => {
    const gateway = await serve('zstd')
    const path = 'sub/short.txt'
    const read = await Array.fromAsync(unixfs(await startHelia(gateway)).cat(gateway.root, { path }))

    expect(Buffer.compare(Buffer.concat(read), FILES[path])).toBe(0)
    expect(gateway.answers.filter(({ encoding }) => encoding != null)).toEqual([])
    expect(gateway.codecCalls()).toBeGreaterThan(0)
  })

  it('refuses a block whose stored payload is damaged', async () => {
    const gateway = await serve('gzip')
    const path = 'sub/short.txt'
    const leaf = CID.createV1(raw.code, await sha256.digest(FILES[path]))
    const value = Buffer.concat(await Array.fromAsync(gateway.values.get(leaf)))
    value[value.byteLength >> 1] ^= 1
    await gateway.values.put(leaf, value)
    const fs = unixfs(await startHelia(gateway))

    const read = Array.fromAsync(fs.cat(gateway.root, { path }))

    await expect(read).rejects.toMatchObject({ name: 'LoadBlockFailedError' })
    // the gateway did not look
    expect(gateway.codecCalls()).toBe(0)
  })
})
