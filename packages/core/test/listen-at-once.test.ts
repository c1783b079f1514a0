import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { listenAtOnce } from '../src/helia/listen-at-once.ts'
import { BITSWAP } from './helia-nodes.ts'
import type { Connection, Stream, StreamHandler, StreamHandlerOptions, StreamHandlerRecord } from '@libp2p/interface'

const MIB = 1024 * 1024

describe('listenAtOnce', () => {
  beforeEach(() => { vi.useFakeTimers() })
  afterEach(() => { vi.useRealTimers() })

  it('lets Bitswap listen to a stream before its own side is closed', async () => {
    const stream = new FakeStream()
    const listening = await accept(stream)

    // the close never ends
    expect(listening).toHaveBeenCalledOnce()
    expect(stream.closed).toBe(1)
  })

  it('reports the end of a stream that ended before Bitswap listened', async () => {
    const stream = new FakeStream()
    const ended = vi.fn()
    await accept(stream)
    stream.addEventListener('remoteCloseWrite', ended)

    stream.dispatchEvent(new Event('close'))
    await vi.advanceTimersByTimeAsync(1000)

    expect(ended).toHaveBeenCalledOnce()
  })

  it('keeps the limits of Bitswap, and wraps its handler once', () => {
    const libp2p = fakeLibp2p(() => {})
    listenAtOnce(libp2p)
    const { handler, options } = libp2p.record
    expect(options).toEqual({ maxInboundStreams: 7, force: true })

    listenAtOnce(libp2p)
    expect(libp2p.record.handler).toBe(handler)
  })

  it.each([
    ['without Bitswap', { getProtocols: () => [] }],
    ['with other private fields', { components: {} }],
    ['with another record of a handler', { components: { registrar: { getHandler: () => undefined } } }]
  ])('leaves a libp2p alone %s', (_, fields) => {
    const handle = vi.fn()
    listenAtOnce(Object.assign(fakeLibp2p(() => {}), fields, { handle }))

    expect(handle).not.toHaveBeenCalled()
  })

  it('leaves the streams of other muxers alone, and those of another yamux', async () => {
    for (const fields of [{}, { recvWindow: MIB / 4, sendWindowUpdate: () => {} }]) {
      const stream = Object.assign(new FakeStream(), fields)
      await accept(stream)

      expect(stream).toMatchObject(fields)
    }
  })

  it('widens the receive window of a yamux stream to 16 MiB, and acknowledges a quarter of it at a time', async () => {
    const update = vi.fn()
    const window = { recvWindow: MIB / 4, recvWindowCapacity: 0, sendWindowUpdate: update }
    const stream = Object.assign(new FakeStream(), window)
    await accept(stream)

    expect(stream.recvWindow).toBe(16 * MIB)
    expect(update).toHaveBeenCalledOnce()

    stream.recvWindowCapacity = 12 * MIB
    stream.sendWindowUpdate()
    expect(update).toHaveBeenCalledOnce()

    stream.recvWindowCapacity--
    stream.sendWindowUpdate()
    expect(update).toHaveBeenCalledTimes(2)
  })
})

/** A stream whose own side never finishes closing, as on a busy link. */
class FakeStream extends EventTarget {
  closed = 0

  async close (): Promise<void> {
    this.closed++

    return new Promise(() => {})
  }
}

/** A libp2p that has a handler of Bitswap, in the private field of the real one. */
function fakeLibp2p (bitswap: StreamHandler): Parameters<typeof listenAtOnce>[0] & { record: StreamHandlerRecord } {
  const libp2p = {
    record: { handler: bitswap, options: { maxInboundStreams: 7 } },
    components: { registrar: { getHandler: () => libp2p.record } },
    getProtocols: () => [BITSWAP],
    async handle (_: string | string[], handler: StreamHandler, options: StreamHandlerOptions = {}) {
      libp2p.record = { handler, options: options as typeof libp2p.record.options }
    }
  }

  return libp2p
}

/** Hand a stream to a Bitswap that, like Helia's, closes its own side first. Returns what it then calls to listen. */
async function accept (stream: FakeStream): Promise<() => void> {
  const listening = vi.fn()
  const libp2p = fakeLibp2p(opened => { void opened.close().then(listening) })

  listenAtOnce(libp2p)
  await libp2p.record.handler(stream as unknown as Stream, {} as Connection)
  await vi.advanceTimersByTimeAsync(0)

  return listening
}
