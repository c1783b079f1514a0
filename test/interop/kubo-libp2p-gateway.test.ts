import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest'
import { expectSuccess, it } from '../integration/run-cli.ts'
import { noise } from '../support/data.ts'
import { startDaemon } from '../support/network-daemons.ts'
import { startKubo } from '../support/network-kubo.ts'
import { run } from '../support/tools.ts'
import type { KuboNode } from '../support/network-kubo.ts'
import type { AddressInfo } from 'node:net'

let kubo: KuboNode

beforeAll(async () => {
  kubo = await startKubo({
    config: { 'Experimental.GatewayOverLibp2p': true, 'Experimental.Libp2pStreamMounting': true }
  })
})
afterAll(async () => { await kubo.stop() })

async function freePort (): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')

  return port
}

describe('HTTP over libp2p', () => {
  it('brings a file from Kubo to the command, and at most its root over Bitswap', async ({ sandbox }) => {
    const bytes = noise(6_000_000)
    const cid = (await kubo.ipfs(['add', '-Q', '--raw-leaves', '--cid-version=1'], bytes)).toString().trim()
    const result = await sandbox.run(['cat', cid, '--peer', kubo.address])

    expectSuccess(result)
    expect(Buffer.compare(result.stdout, bytes)).toBe(0)

    const sent = JSON.parse((await kubo.ipfs(['bitswap', 'stat', '--enc=json'])).toString()) as { BlocksSent: number }
    expect(sent.BlocksSent).toBeLessThanOrEqual(1)
  })

  it('brings a file from a daemon through a stream of Kubo', async ({ sandbox }) => {
    const cid = await sandbox.add(noise(3_000_000), '--codec', 'none')
    const daemon = await startDaemon(sandbox)
    onTestFinished(async () => { await daemon.kill() })
    const port = await freePort()

    await kubo.ipfs(['swarm', 'connect', daemon.address])
    await kubo.ipfs([
      'p2p', 'forward', '--allow-custom-protocol', '/http/1.1', `/ip4/127.0.0.1/tcp/${port}`, `/p2p/${daemon.peerId}`
    ])

    const protocols = await run('curl', ['-sS', `http://127.0.0.1:${port}/.well-known/libp2p/protocols`])
    expect(JSON.parse(protocols.toString())).toEqual({ '/ipfs/gateway': { path: '/' } })

    const car = await run('curl', ['-sSf', `http://127.0.0.1:${port}/ipfs/${cid}?format=car`])
    await kubo.ipfs(['dag', 'import', '--pin-roots=false'], car)
    expect(Buffer.compare(await kubo.ipfs(['--offline', 'cat', cid]), noise(3_000_000))).toBe(0)
  })
})
