/** Helia nodes that compress their blocks at rest, and stock nodes that know nothing of it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noise as noiseEncryption } from '@libp2p/noise'
import { identify } from '@libp2p/identify'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { withBitswap } from '@helia/bitswap'
import { car } from '@helia/car'
import { withLibp2pLight } from '@helia/libp2p'
import { unixfs } from '@helia/unixfs'
import { CompressedBlockstore, convert, stats } from '@ipfsz/blockstore-compressed'
import { ipfsz, markerCodecs, unmark } from '@ipfsz/core'
import { CarReader } from '@ipld/car'
import { MemoryBlockstore } from 'blockstore-core'
import { FsBlockstore } from 'blockstore-fs'
import { createHeliaLight } from 'helia'
import { CID } from 'multiformats/cid'
import { afterEach, describe, expect, it } from 'vitest'
import { longText, noise, text } from '../support/data.ts'
import type { HeliaWithLibp2p } from '@helia/libp2p'
import type { CompressedBlockstoreInit } from '@ipfsz/blockstore-compressed'
import type { Helia } from 'helia'
import type { Blockstore } from 'interface-blockstore'

/** The CID that Helia gives `longText(3_000_000)` by default. */
const TEXT_CID = 'bafybeigxueid5qpnqj6aysxsljfl4s5aufdls435avep2jefoilu7e4wpa'

const nodes: Array<{ stop (): Promise<unknown> }> = []
const directories: string[] = []

afterEach(async () => {
  await Promise.all(nodes.splice(0).map(async node => node.stop()))
  await Promise.all(directories.splice(0).map(async directory => rm(directory, { recursive: true })))
})

async function makeDirectory (): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-test-'))
  directories.push(directory)

  return directory
}

/** A node without a network that knows the marker codes. */
async function makeNode (blockstore: Blockstore): Promise<Helia> {
  const helia = await createHeliaLight({ blockstore, codecs: markerCodecs }).start() as Helia
  nodes.push(helia)

  return helia
}

/** A Bitswap node on loopback, without routers, that knows only the peers it is given. */
async function makePeer (blockstore: Blockstore): Promise<HeliaWithLibp2p> {
  const helia = withBitswap(withLibp2pLight(createHeliaLight({ blockstore }), {
    addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
    transports: [tcp()],
    connectionEncrypters: [noiseEncryption()],
    streamMuxers: [yamux()],
    services: { identify: identify() }
  }))
  nodes.push(helia)
  await helia.start()

  return helia as unknown as HeliaWithLibp2p
}

async function makeCompressed (
  init?: CompressedBlockstoreInit
): Promise<{ child: FsBlockstore, blockstore: CompressedBlockstore }> {
  const child = new FsBlockstore(await makeDirectory())
  const blockstore = new CompressedBlockstore(child, init)
  await blockstore.open()

  return { child, blockstore }
}

async function read (bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(bytes))
}

describe('a Helia node on a CompressedBlockstore', () => {
  it('adds a file under its usual CID, and stores it in less than half its bytes', async () => {
    const { child, blockstore } = await makeCompressed()
    const fs = unixfs(await makeNode(blockstore))

    const cid = await fs.addBytes(longText(3_000_000))

    expect(cid.toString()).toBe(TEXT_CID)
    expect((await unixfs({ blockstore: new MemoryBlockstore() }).addBytes(longText(3_000_000))).toString())
      .toBe(TEXT_CID)
    expect(await read(fs.cat(cid))).toEqual(Buffer.from(longText(3_000_000)))
    expect(await read(fs.cat(cid, { offset: 1_500_000, length: 1000 })))
      .toEqual(Buffer.from(longText(3_000_000).subarray(1_500_000, 1_501_000)))
    expect((await stats(child)).ratio).toBeLessThan(0.5)
  })

  it('keeps pinned blocks and collects all others', { tags: 'slow' }, async () => {
    const { child, blockstore } = await makeCompressed()
    const helia = await makeNode(blockstore)
    const fs = unixfs(helia)
    const pinned = await fs.addBytes(longText(3_000_000))
    await fs.addBytes(noise(3_000_000))
    const { blocks } = await stats(child)
    await Array.fromAsync(helia.pins.add(pinned))

    await helia.gc()

    expect((await stats(child)).blocks).toBeLessThan(blocks)
    expect((await stats(child)).codecs.none?.size ?? 0).toBeLessThan(1000)
    expect(await read(fs.cat(pinned))).toEqual(Buffer.from(longText(3_000_000)))
    await Array.fromAsync(helia.pins.rm(pinned))
    await helia.gc()
    expect((await stats(child)).blocks).toBe(0)
  })

  it('exports the same CAR as a stock node, and imports the CAR of a stock node', { tags: 'slow' }, async () => {
    const { blockstore } = await makeCompressed()
    const helia = await makeNode(blockstore)
    const stock = await makeNode(new MemoryBlockstore())
    const cid = await unixfs(stock).addBytes(longText(3_000_000))
    const theirs = await read(car(stock).export(cid))

    await car(helia).import(await CarReader.fromBytes(theirs))

    expect(await read(car(helia).export(cid))).toEqual(theirs)
    expect(await read(unixfs(helia).cat(cid))).toEqual(Buffer.from(longText(3_000_000)))
  })

  it('stores compressed files of @ipfsz/core too, and a stock node imports them by CAR', {
    tags: 'slow'
  }, async () => {
    const { blockstore } = await makeCompressed()
    const helia = await makeNode(blockstore)
    const fs = ipfsz(helia)
    const cid = await fs.addBytes(longText(6_000_000), { compression: { codec: 'gzip' } })
    await Array.fromAsync(helia.pins.add(cid))
    await helia.gc()

    const stock = await makeNode(new MemoryBlockstore())
    await car(stock).import(await CarReader.fromBytes(await read(car(helia).export(unmark(cid)))))

    expect(await read(fs.cat(cid))).toEqual(Buffer.from(longText(6_000_000)))
    await fs.verify(cid)
    expect(await read(ipfsz(stock).cat(cid))).toEqual(Buffer.from(longText(6_000_000)))
    expect(await read(unixfs(stock).cat(unmark(cid)))).toEqual(await read(unixfs(helia).cat(unmark(cid))))
  })

  it('opens the store of a stock node, adds to it, converts it, and hands it back', { tags: 'slow' }, async () => {
    const directory = await makeDirectory()
    const before = await unixfs(await makeNode(new FsBlockstore(directory))).addBytes(longText(3_000_000))
    const child = new FsBlockstore(directory)
    const fs = unixfs(await makeNode(new CompressedBlockstore(child)))

    const after = await fs.addBytes(text(300_000))
    expect(await read(fs.cat(before))).toEqual(Buffer.from(longText(3_000_000)))
    expect((await stats(child)).codecs).toMatchObject({ zstd: { blocks: 1 }, none: { blocks: 4 } })

    // while the node runs on it
    await convert(child, { codec: 'brotli' })
    expect(await read(fs.cat(before))).toEqual(Buffer.from(longText(3_000_000)))
    expect(await read(fs.cat(after))).toEqual(Buffer.from(text(300_000)))

    await convert(child, { codec: 'none' })
    const stock = unixfs(await makeNode(new FsBlockstore(directory)))
    expect(await read(stock.cat(before))).toEqual(Buffer.from(longText(3_000_000)))
    expect(await read(stock.cat(after))).toEqual(Buffer.from(text(300_000)))
  })

  it.each(['hash', 'length'] as const)('serves uncompressed blocks to a stock node by Bitswap, with verify %s', {
    tags: 'slow'
  }, async verify => {
    const { child, blockstore } = await makeCompressed({ verify })
    const provider = await makePeer(blockstore)
    const plain = new MemoryBlockstore()
    const stock = await makePeer(plain)
    const cid = await unixfs(provider).addBytes(longText(3_000_000))
    await stock.libp2p.dial(provider.libp2p.getMultiaddrs())

    expect(await read(unixfs(stock).cat(cid, { signal: AbortSignal.timeout(60_000) })))
      .toEqual(Buffer.from(longText(3_000_000)))
    expect((await stats(child)).codecs.zstd?.blocks).toBeGreaterThan(0)
    expect((await stats(plain)).codecs)
      .toEqual({ none: { blocks: 4, size: expect.any(Number), storedSize: expect.any(Number) } })
  })

  it('fetches blocks from a stock node by Bitswap, and stores them compressed', { tags: 'slow' }, async () => {
    const { child, blockstore } = await makeCompressed()
    const provider = await makePeer(new MemoryBlockstore())
    const helia = await makePeer(blockstore)
    const cid = await unixfs(provider).addBytes(longText(3_000_000))
    await helia.libp2p.dial(provider.libp2p.getMultiaddrs())

    expect(await read(unixfs(helia).cat(cid, { signal: AbortSignal.timeout(60_000) })))
      .toEqual(Buffer.from(longText(3_000_000)))
    expect((await stats(child)).ratio).toBeLessThan(0.5)
  })

  it('refuses to read a block that is damaged on disk', async () => {
    const { child, blockstore } = await makeCompressed()
    const fs = unixfs(await makeNode(blockstore))
    const cid = await fs.addBytes(text(300_000))
    const stored = Buffer.concat(await Array.fromAsync(child.get(cid)))
    stored[1000] ^= 1
    await child.put(cid, stored)

    await expect(read(fs.cat(cid))).rejects.toMatchObject({ name: 'CorruptBlockError', cid: CID.parse(cid.toString()) })
  })
})
