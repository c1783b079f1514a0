/** @module-tag slow */
import { noise as encryption } from '@libp2p/noise'
import { tcp } from '@libp2p/tcp'
import { createLibp2p } from 'libp2p'
import { afterEach, describe, expect, it } from 'vitest'
import { noise, text } from '../../../test/support/data.ts'
import { CODECS, compressed, gather, write } from './fixtures.ts'
import type { Libp2p, MessageStream, StreamMuxer, StreamMuxerFactory } from '@libp2p/interface'

const MIB = 1024 * 1024
const PIECE_SIZE = MIB / 4
/** With 64 MiB that cannot be compressed: more than a kernel keeps for a reader that does not read. */
const MAX_PIECES = 1024
const nodes: Libp2p[] = []

/** A muxer that only exposes its connection. */
function capture (onConnection: (connection: MessageStream) => void): () => StreamMuxerFactory {
  return () => ({
    protocol: '/ipfsz/test/captured',
    createStreamMuxer: connection => {
      onConnection(connection)

      return {
        protocol: '/ipfsz/test/captured',
        streams: [],
        status: 'open',
        createStream: async () => { throw new Error('There are no streams') },
        close: async () => {},
        abort: () => {},
        addEventListener: () => {},
        removeEventListener: () => {},
        listenerCount: () => 0,
        dispatchEvent: () => true,
        safeDispatchEvent: () => true
      } as StreamMuxer
    }
  })
}

/** Both ends of an encrypted connection over TCP, as a muxer gets them. */
async function encryptedPair (): Promise<[MessageStream, MessageStream]> {
  const ends = [true, false].map(async listens => {
    const { promise, resolve } = Promise.withResolvers<MessageStream>()
    const node = await createLibp2p({
      addresses: { listen: listens ? ['/ip4/127.0.0.1/tcp/0'] : [] },
      transports: [tcp()],
      connectionEncrypters: [encryption()],
      streamMuxers: [capture(resolve)],
      // after ten seconds it would open a stream for a ping, fail, and close the connection
      connectionMonitor: { enabled: false }
    })
    nodes.push(node)

    return { node, promise }
  })
  const [listener, dialer] = await Promise.all(ends)
  await dialer.node.dial(listener.node.getMultiaddrs())

  return [await dialer.promise, await listener.promise]
}

afterEach(async () => {
  await Promise.all(nodes.splice(0).map(async node => node.stop()))
})

describe.each(CODECS)('over TCP and Noise, a connection compressed with %s', (_, codec) => {
  it('makes a writer wait while its reader is paused, and delivers everything once it resumes', async () => {
    const [outbound, inbound] = await encryptedPair()
    const [sender, receiver] = [compressed(outbound, codec), compressed(inbound, codec)]
    const gathered = gather(receiver.connection)
    const pieces: Uint8Array[] = []
    let stalled = false
    receiver.connection.pause()

    const writing = (async () => {
      for (let seed = 1; seed <= MAX_PIECES; seed++) {
        if (stalled) {
          return
        }

        const piece = seed % 4 === 0 ? noise(PIECE_SIZE, seed) : text(PIECE_SIZE, seed)
        pieces.push(piece)
        await write(sender.connection, [piece])
      }
    })()

    // the writer fills the buffers of this process and of the kernel, then it stalls
    let before = -1
    let unchanged = 0
    await expect.poll(() => {
      unchanged = pieces.length === before ? unchanged + 1 : 0
      before = pieces.length

      return unchanged
    }, { timeout: 120_000 }).toBeGreaterThan(8)

    stalled = true
    expect(pieces.length).toBeLessThan(MAX_PIECES)
    expect(receiver.connection.readBufferLength).toBe(0)
    expect(receiver.inner.readBufferLength).toBeLessThan(2 * MIB)
    expect(sender.connection.writeBufferLength + sender.inner.writeBufferLength).toBeLessThan(2 * MIB)

    receiver.connection.resume()
    await writing
    const expected = Buffer.concat(pieces)
    expect(Buffer.compare(await gathered.has(expected.byteLength), expected)).toBe(0)
  })
})
