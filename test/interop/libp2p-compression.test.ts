import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withBitswap } from '@helia/bitswap'
import { withLibp2pLight } from '@helia/libp2p'
import { unixfs } from '@helia/unixfs'
import { compress, compressProtocols } from '@ipfsz/libp2p-compression'
import { identify } from '@libp2p/identify'
import { noise } from '@libp2p/noise'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { multiaddr } from '@multiformats/multiaddr'
import { createHeliaLight } from 'helia'
import { CID } from 'multiformats/cid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { text } from '../support/data.ts'
import { run } from '../support/tools.ts'
import type { Libp2p } from '@libp2p/interface'
import type { ChildProcess } from 'node:child_process'
import type { Helia } from 'helia'

const BYTES = text(700_000)
const YAMUX = '/yamux/1.0.0'

let directory: string
let daemon: ChildProcess
let address: string
let node: Helia & { libp2p: Libp2p }

function environment (): Record<string, string> {
  return { IPFS_PATH: directory, IPFS_TELEMETRY: 'off' }
}

async function ipfs (args: string[], input?: Uint8Array): Promise<string> {
  return (await run('ipfs', args, input, environment())).toString().trim()
}

/** Start a Kubo that looks for no peers: it connects only on loopback, to peers that it is told to dial. */
async function startKubo (): Promise<void> {
  directory = await mkdtemp(join(tmpdir(), 'ipfsz-kubo-'))
  await ipfs(['init', '--profile=test'])
  const path = join(directory, 'config')
  const config = JSON.parse(await readFile(path, 'utf8'))

  await writeFile(path, JSON.stringify({
    ...config,
    AutoConf: { Enabled: false },
    AutoTLS: { Enabled: false },
    Bootstrap: [],
    DNS: {},
    Routing: { Type: 'none' },
    Ipns: {},
    Provide: { Enabled: false },
    Swarm: {
      ...config.Swarm,
      DisableNatPortMap: true,
      RelayClient: { Enabled: false },
      EnableHolePunching: false,
      Transports: { Network: { QUIC: false, WebTransport: false, WebRTCDirect: false } }
    },
    Addresses: { ...config.Addresses, Swarm: ['/ip4/127.0.0.1/tcp/0'] }
  }))

  daemon = spawn('ipfs', ['daemon'], { env: { ...process.env, ...environment() } })

  await new Promise<void>((resolve, reject) => {
    let output = ''
    const take = (chunk: Buffer): void => {
      output += chunk.toString()

      if (output.includes('Daemon is ready')) {
        resolve()
      }
    }

    daemon.stdout?.on('data', take)
    daemon.stderr?.on('data', take)
    daemon.on('error', reject)
    daemon.on('exit', code => { reject(new Error(`Kubo ended with ${code}: ${output}`)) })
  })

  address = (JSON.parse(await ipfs(['id', '--enc=json'])) as { Addresses: string[] }).Addresses[0]
}

beforeAll(async () => {
  await startKubo()
  node = withBitswap(withLibp2pLight(createHeliaLight(), {
    addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [...compress(yamux()), yamux()],
    services: { identify: identify(), compression: compressProtocols({ protocols: ['/ipfs/bitswap/1.2.0'] }) }
  }))
  await node.start()
})

afterAll(async () => {
  await node?.stop()

  if (daemon?.exitCode === null) {
    const ended = new Promise(resolve => { daemon.on('exit', resolve) })
    daemon.kill()
    await ended
  }

  await rm(directory, { recursive: true, force: true })
})

describe('a stock Kubo', () => {
  it('is dialled over plain yamux, and sends its blocks', async () => {
    const cid = CID.parse(await ipfs(['add', '-Q', '--cid-version=1'], BYTES))

    const connection = await node.libp2p.dial(multiaddr(address))

    expect(connection.multiplexer).toBe(YAMUX)
    expect(Buffer.compare(Buffer.concat(await Array.fromAsync(unixfs(node).cat(cid))), BYTES)).toBe(0)
    await connection.close()
  })

  it('dials a node with compression over plain yamux, and gets its blocks', async () => {
    const cid = await unixfs(node).addBytes(text(700_000, 2))
    const own = node.libp2p.getMultiaddrs()[0].toString()

    await ipfs(['swarm', 'connect', own])

    expect(node.libp2p.getConnections().map(({ multiplexer, direction }) => [multiplexer, direction]))
      .toEqual([[YAMUX, 'inbound']])
    expect(Buffer.compare(await run('ipfs', ['cat', cid.toString()], undefined, environment()), text(700_000, 2)))
      .toBe(0)
  })
})
