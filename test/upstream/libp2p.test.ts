import { once } from 'node:events'
import { Socket } from 'node:net'
import { multiaddrConnectionPair } from '@libp2p/utils'
import { yamux } from '@libp2p/yamux'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { mended } from './installed.ts'
import { startPeer } from './nodes.ts'

const MIB = 1024 * 1024
const PROTOCOL = '/test/1.0.0'

describe('@libp2p/yamux', () => {
  it('sends as much as its own initialStreamWindowSize though the other side accepts 256 KiB', async () => {
    const [outbound, inbound] = multiaddrConnectionPair()
    const local = yamux({ streamOptions: { initialStreamWindowSize: 16 * MIB } })().createStreamMuxer(outbound)
    yamux()().createStreamMuxer(inbound)
    const aborted = once(inbound, 'close')

    const stream = await local.createStream()
    stream.send(new Uint8Array(MIB))
    const [{ error }] = await aborted as [{ error?: Error }]

    expect(error?.name, mended('@libp2p/yamux', 'packages/core/src/helia/widen-window.ts'))
      .toBe('ReceiveWindowExceededError')
  })
})

describe('@libp2p/tcp', () => {
  it('writes the two bytes of the length before each encrypted message on their own', async () => {
    const [here, there] = await Promise.all([startPeer(), startPeer()])
    await there.handle(PROTOCOL, stream => { void stream.close() })
    const connection = await here.dial(there.getMultiaddrs())
    const write = vi.spyOn(Socket.prototype, 'write')
    onTestFinished(() => { write.mockRestore() })

    await connection.newStream(PROTOCOL)
    const sizes = write.mock.calls.map(([bytes]) => (bytes as Uint8Array).byteLength)

    expect(sizes, mended('@libp2p/tcp', 'packages/node/src/network/helia-internals/send-together.ts')).toContain(2)
  })
})

describe('libp2p', () => {
  it('negotiates the protocol of a stream fully, though it is told not to', async () => {
    const [here, there] = await Promise.all([startPeer(), startPeer()])
    const connection = await here.dial(there.getMultiaddrs())

    await expect(
      connection.newStream('/not/spoken', { negotiateFully: false }),
      mended('libp2p', 'packages/core/src/helia/open-at-once.ts')
    ).rejects.toThrow(expect.objectContaining({ name: 'UnsupportedProtocolError' }))
  })

  it('calls the middleware of a protocol only after that protocol was negotiated', async () => {
    const [here, there] = await Promise.all([startPeer(), startPeer()])
    const negotiated: string[] = []
    await there.handle([PROTOCOL, `/zstd${PROTOCOL}`], stream => { void stream.close() })
    here.use(PROTOCOL, (stream, connection, next) => {
      negotiated.push(stream.protocol)
      next(stream, connection)
    })

    await here.dialProtocol(there.getMultiaddrs(), PROTOCOL)

    // so a middleware cannot offer the compressed protocol first
    expect(negotiated, mended('libp2p', 'packages/libp2p-compression/src/negotiation/libp2p-internals.ts'))
      .toEqual([PROTOCOL])
  })

  it('calls the handler of a protocol that has a middleware once more with each stream', async () => {
    const [here, there] = await Promise.all([startPeer(), startPeer()])
    let calls = 0
    there.use(PROTOCOL, (stream, connection, next) => { next(stream, connection) })
    await there.handle(PROTOCOL, () => { calls++ })

    await here.dialProtocol(there.getMultiaddrs(), PROTOCOL)
    await expect.poll(() => calls).toBe(1)
    await here.dialProtocol(there.getMultiaddrs(), PROTOCOL)

    await expect.poll(() => calls, { message: mended('libp2p', 'packages/core/src/helia/listen-at-once.ts') }).toBe(3)
  })
})
