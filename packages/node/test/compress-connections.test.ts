/** @module-tag long */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { trafficOf } from '@ipfsz/libp2p-compression'
import all from 'it-all'
import { expect, it, onTestFinished } from 'vitest'
import { countingProxy } from '../../../test/support/counting-proxy.ts'
import { longText } from '../../../test/support/data.ts'
import { heliaClient } from '../../../test/support/network-clients.ts'
import { openNode } from '../src/open-node/index.ts'
import { keep, makeBlocks, testNode } from './nodes.ts'
import type { Block } from './nodes.ts'
import type { Node } from '../src/network/node/node.ts'
import type { Connection } from '@libp2p/interface'
import type { Helia } from 'helia'

const PLAIN = '/yamux/1.0.0'
const COUNT = 20
const SIZE = 100_000
const COMPRESSING = { compressConnections: true }

/** Fetch blocks by Bitswap. */
async function fetchAll ({ blockstore }: Pick<Helia, 'blockstore'>, blocks: readonly Block[]): Promise<void> {
  const signal = AbortSignal.timeout(30_000)

  for (const { cid, bytes } of blocks) {
    const [got] = await all(blockstore.get(cid, { signal }))
    expect(Buffer.compare(got, bytes)).toBe(0)
  }
}

/** The two ends of the only connection between two nodes. */
async function connect (from: Node, to: Node): Promise<[Connection, Connection]> {
  const connection = await from.libp2p.dial(to.libp2p.getMultiaddrs())
  await expect.poll(() => to.libp2p.getConnections()).toHaveLength(1)

  return [connection, to.libp2p.getConnections()[0]]
}

it('nodes that both compress send blocks in fewer bytes, in both directions', async () => {
  const [a, b] = [await testNode(COMPRESSING), await testNode(COMPRESSING)]
  const blocks = await makeBlocks(2 * COUNT, SIZE)
  await keep(a, blocks.slice(0, COUNT))
  await keep(b, blocks.slice(COUNT))
  const [connection] = await connect(a, b)

  await fetchAll(b.helia, blocks.slice(0, COUNT))
  await fetchAll(a.helia, blocks.slice(COUNT))

  const { sent, received } = trafficOf(connection) ?? expect.fail('the connection is plain')

  for (const { raw, compressed } of [sent, received]) {
    expect(raw).toBeGreaterThan(COUNT * SIZE)
    expect(compressed).toBeLessThan(raw / 10)
  }
})

it.each([
  ['only the one that dials compresses', COMPRESSING, {}],
  ['only the one that is dialled compresses', {}, COMPRESSING],
  ['neither compresses', {}, {}]
])('nodes exchange blocks plain if %s', async (_, ofDialler, ofListener) => {
  const [a, b] = [await testNode(ofDialler), await testNode(ofListener)]
  const blocks = await makeBlocks(2 * COUNT, SIZE)
  await keep(a, blocks.slice(0, COUNT))
  await keep(b, blocks.slice(COUNT))
  const ends = await connect(a, b)

  await fetchAll(b.helia, blocks.slice(0, COUNT))
  await fetchAll(a.helia, blocks.slice(COUNT))

  expect(ends.map(({ multiplexer }) => multiplexer)).toEqual([PLAIN, PLAIN])
  expect(ends.map(trafficOf)).toEqual([undefined, undefined])
})

it('a stock Helia gets blocks plain from a node that compresses, and gives it others', async () => {
  const node = await testNode(COMPRESSING)
  const blocks = await makeBlocks(2 * COUNT, SIZE)
  await keep(node, blocks.slice(0, COUNT))
  const helia = await heliaClient(node.libp2p.getMultiaddrs()[0].toString())
  onTestFinished(async () => { await helia.stop() })

  for (const { cid, bytes } of blocks.slice(COUNT)) {
    await helia.blockstore.put(cid, bytes)
  }

  await fetchAll(helia, blocks.slice(0, COUNT))
  await fetchAll(node.helia, blocks.slice(COUNT))

  expect(node.libp2p.getConnections().map(({ multiplexer }) => multiplexer)).toEqual([PLAIN])
})

it('openNode has it as an option', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-connections-'))
  onTestFinished(async () => { await rm(directory, { recursive: true, force: true }) })
  const init = { ...COMPRESSING, listen: ['/ip4/127.0.0.1/tcp/0'], bootstrap: [] }
  await using sender = await openNode(join(directory, 'a'), init)
  await using receiver = await openNode(join(directory, 'b'), init)
  const bytes = longText(1_000_000)
  const { cid, storedSize } = await sender.repo.add(bytes, { compression: { codec: 'none' } })
  const proxy = await countingProxy(Number(sender.id.addresses[0].split('/')[4]))
  onTestFinished(async () => { await proxy.close() })

  await receiver.connect(`/ip4/127.0.0.1/tcp/${proxy.port}/p2p/${sender.id.peerId}`)
  await receiver.repo.get(cid, join(directory, 'copy'))

  expect(Buffer.compare(await readFile(join(directory, 'copy')), bytes)).toBe(0)
  expect(storedSize).toBeGreaterThanOrEqual(bytes.byteLength)
  expect(proxy.received).toBeLessThan(bytes.byteLength / 2)
})
