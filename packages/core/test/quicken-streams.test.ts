import { once } from 'node:events'
import { withLibp2pLight } from '@helia/libp2p'
import { createHeliaLight } from 'helia'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ipfsz, withIpfsz } from '../src/index.ts'
import { quickenStreams } from '../src/helia/quicken-streams.ts'
import { collect, text } from './fixtures.ts'
import { BITSWAP, startQuick, startStock } from './helia-nodes.ts'
import type { Connection, Stream } from '@libp2p/interface'
import type { Node } from './helia-nodes.ts'

const WIDE = 16 * 1024 * 1024

/** Connect two nodes, and wait until each knows what the other speaks. */
async function connect (here: Node, there: Node): Promise<Connection> {
  const identified = Promise.all([here, there].map(async ({ libp2p }) => once(libp2p, 'peer:identify')))
  const connection = await here.libp2p.dial(there.libp2p.getMultiaddrs())
  await identified

  return connection
}

/** Open a stream while nothing arrives: one that waits for an answer would never open. */
async function openUnanswered (connection: Connection): Promise<Stream> {
  const { muxer } = connection as unknown as { muxer: { onData: (data: unknown) => void } }
  const onData = muxer.onData.bind(muxer)
  const held: unknown[] = []
  muxer.onData = data => { held.push(data) }
  const stream = await connection.newStream(BITSWAP)
  muxer.onData = onData
  held.forEach(data => { onData(data) })

  return stream
}

/** The widest receive window of the streams on which a node gets a file from another. */
async function fetchWindow (here: Node, there: Node, file: number): Promise<number> {
  const connection = await connect(here, there)
  const { muxer } = connection as unknown as { muxer: EventTarget }
  const streams: Array<Stream & { recvWindow?: number }> = []
  muxer.addEventListener('stream', event => { streams.push((event as CustomEvent<Stream>).detail) })
  const bytes = text(300_000, file)
  const cid = await ipfsz(there).addBytes(bytes)

  expect(Buffer.compare(await collect(ipfsz(here).cat(cid)), bytes)).toBe(0)
  const windows = streams.filter(({ protocol }) => protocol === BITSWAP).map(({ recvWindow }) => recvWindow ?? 0)
  expect(windows).not.toEqual([])

  await connection.close()
  await expect.poll(() => there.libp2p.getConnections()).toEqual([])

  return Math.max(...windows)
}

describe('quickenStreams', () => {
  it('lets a node made by withIpfsz send before the other side has confirmed the protocol', async () => {
    const connection = await connect(await startQuick(), await startStock())

    expect((await openUnanswered(connection)).protocol).toBe(BITSWAP)
  })

  it('lets a stock node send a whole message to it, and leaves what a stock one gets from it as it was', async () => {
    const [quick, stock] = await Promise.all([startQuick(), startStock()])

    expect(await fetchWindow(quick, stock, 1)).toBeGreaterThanOrEqual(WIDE)
    expect(await fetchWindow(stock, quick, 2)).toBeLessThan(WIDE)
  })

  it('quickens a node that has started, and one that starts again', { tags: 'slow' }, async () => {
    const [started, stock] = await Promise.all([startStock(), startStock()])
    withIpfsz(started)
    expect(await fetchWindow(started, stock, 1)).toBeGreaterThanOrEqual(WIDE)

    await started.stop()
    await started.start()
    expect(await fetchWindow(started, stock, 2)).toBeGreaterThanOrEqual(WIDE)
    expect((await openUnanswered(await connect(started, stock))).protocol).toBe(BITSWAP)
  })

  it('changes nothing of a node that has no libp2p, or not yet', async () => {
    const helia = await createHeliaLight().start()
    onTestFinished(async () => { await helia.stop() })
    expect(() => { quickenStreams(helia) }).not.toThrow()

    // its getter throws until the next start
    const late = withLibp2pLight(helia, { addresses: { listen: [] } })
    expect(() => { quickenStreams(late) }).not.toThrow()
    expect(() => { quickenStreams({}) }).not.toThrow()
    expect(() => { quickenStreams({ status: 'started', libp2p: {} }) }).not.toThrow()
  })
})
