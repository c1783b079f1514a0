/** Bitswap between a stock Kubo and a node whose blocks are compressed at rest. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withBitswap } from '@helia/bitswap'
import { withLibp2pLight } from '@helia/libp2p'
import { unixfs } from '@helia/unixfs'
import { CompressedBlockstore, stats } from '@ipfsz/blockstore-compressed'
import { identify } from '@libp2p/identify'
import { noise as noiseEncryption } from '@libp2p/noise'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { multiaddr } from '@multiformats/multiaddr'
import { FsBlockstore } from 'blockstore-fs'
import { createHeliaLight } from 'helia'
import { CID } from 'multiformats/cid'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { longText } from '../support/data.ts'
import { startKubo } from '../support/network-kubo.ts'
import type { KuboNode } from '../support/network-kubo.ts'
import type { CompressedBlockstoreInit } from '@ipfsz/blockstore-compressed'
import type { Libp2p } from '@libp2p/interface'
import type { Helia } from 'helia'

interface Peer {
  helia: Helia & { libp2p: Libp2p }
  child: FsBlockstore
}

const undo: Array<() => Promise<unknown>> = []

let kubo: KuboNode

beforeAll(async () => { kubo = await startKubo() })
afterAll(async () => kubo?.stop())

afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) {
    await step()
  }
})

/** Start a node that speaks Bitswap on loopback, and knows no peer. */
async function makePeer (init?: CompressedBlockstoreInit): Promise<Peer> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-test-'))
  undo.push(async () => rm(directory, { recursive: true }))

  const child = new FsBlockstore(directory)
  const helia = withBitswap(withLibp2pLight(createHeliaLight({ blockstore: new CompressedBlockstore(child, init) }), {
    addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
    transports: [tcp()],
    connectionEncrypters: [noiseEncryption()],
    streamMuxers: [yamux()],
    services: { identify: identify() }
  }))
  undo.push(async () => helia.stop())
  await helia.start()

  return { helia: helia as unknown as Peer['helia'], child }
}

describe.each([
  ['zstd', 'hash'],
  ['zstd', 'length'],
  ['brotli', 'hash']
] as const)('a CompressedBlockstore with %s and verify %s', (codec, verify) => {
  it('sends plain blocks to Kubo, which pins them, and reads and exports them when the node is gone', async () => {
    const { helia, child } = await makePeer({ codec, verify })
    const bytes = longText(3_000_000, codec.length + verify.length)
    const cid = (await unixfs(helia).addBytes(bytes)).toString()
    expect((await stats(child)).codecs[codec]?.blocks).toBe(3)

    await kubo.ipfs(['swarm', 'connect', helia.libp2p.getMultiaddrs()[0].toString()])
    await kubo.pin(cid)
    await helia.stop()

    expect((await kubo.ipfs(['--offline', 'cat', cid])).equals(bytes)).toBe(true)
    expect((await kubo.ipfs(['--offline', 'dag', 'export', cid])).byteLength).toBeGreaterThan(bytes.byteLength)

    // Kubo makes the same blocks of the file itself
    expect(
      (
        await kubo.ipfs(
          ['add', '--only-hash', '-Q', '--cid-version=1', '--chunker=size-1048576', '--max-file-links=1024'],
          bytes
        )
      ).toString().trim()
    ).toBe(cid)
  })

  it('fetches a file that Kubo added by its CID, and stores it compressed', async () => {
    const { helia, child } = await makePeer({ codec, verify })
    const bytes = longText(3_000_000, 20 + codec.length + verify.length)
    const cid = CID.parse((await kubo.ipfs(['add', '-Q', '--cid-version=1'], bytes)).toString().trim())

    await helia.libp2p.dial(multiaddr(kubo.address))
    const read = Buffer.concat(await Array.fromAsync(unixfs(helia).cat(cid, { signal: AbortSignal.timeout(60_000) })))

    expect(read.equals(bytes)).toBe(true)
    expect((await stats(child)).ratio).toBeLessThan(0.5)
    await helia.libp2p.hangUp(multiaddr(kubo.address))
    expect(Buffer.concat(await Array.fromAsync(unixfs(helia).cat(cid, { offline: true }))).equals(bytes)).toBe(true)
  })
})
