import { readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { BITSWAP, startStock } from './helia-nodes.ts'
import type { StreamHandler, StreamHandlerRecord, StreamMuxer } from '@libp2p/interface'

/** The failure names the field, its package and the installed version. */
function expectField (value: unknown, type: 'function' | 'number', packageName: string, field: string): void {
  const manifest = new URL(`../../../node_modules/${packageName}/package.json`, import.meta.url)
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }

  expect(typeof value, `${packageName} ${version} has no ${field} that is a ${type}: see docs/upstream.md`).toBe(type)
}

interface Registrar {
  getHandler?: (protocol: string) => StreamHandlerRecord
}

describe('the private fields that withIpfsz uses', () => {
  it('exist in @libp2p/yamux for the window of a stream', async () => {
    const [a, b] = await Promise.all([startStock(), startStock()])
    const connection = await b.libp2p.dial(a.libp2p.getMultiaddrs())
    const stream = await connection.newStream(BITSWAP) as unknown as Record<string, unknown>

    expectField(stream.recvWindow, 'number', '@libp2p/yamux', 'recvWindow of a stream')
    expectField(stream.recvWindowCapacity, 'number', '@libp2p/yamux', 'recvWindowCapacity of a stream')
    expectField(stream.sendWindowUpdate, 'function', '@libp2p/yamux', 'sendWindowUpdate of a stream')
  })

  it('exist in libp2p for streams that send at once', async () => {
    const [a, b] = await Promise.all([startStock(), startStock()])
    const { muxer } = await b.libp2p.dial(a.libp2p.getMultiaddrs()) as { muxer?: Partial<StreamMuxer> }
    expectField(muxer?.createStream, 'function', 'libp2p', 'createStream of the muxer of a connection')
    const stream = await muxer?.createStream?.() as unknown as Record<string, unknown>

    expectField(stream.onData, 'function', '@libp2p/yamux', 'onData of a stream')
  })

  it('exist in libp2p for the handler of a protocol, which another replaces at once', async () => {
    const { libp2p } = await startStock({ maxInboundStreams: 7 })
    const { registrar } = (libp2p as { components?: { registrar?: Registrar } }).components ?? {}
    expectField(registrar?.getHandler, 'function', 'libp2p', 'components.registrar.getHandler')
    const getHandler = (): StreamHandlerRecord | undefined => registrar?.getHandler?.(BITSWAP)
    expect(getHandler(), 'libp2p has no handler and options of a protocol: see docs/upstream.md')
      .toMatchObject({ handler: expect.any(Function), options: { maxInboundStreams: 7 } })

    const other: StreamHandler = vi.fn()
    void libp2p.handle(BITSWAP, other, { force: true })
    expect(getHandler()?.handler, 'libp2p does not replace a handler at once: see docs/upstream.md').toBe(other)
  })
})
