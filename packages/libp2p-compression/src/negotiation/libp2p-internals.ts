import type { ProtocolComponents } from '../contract.ts'
import type { ConnectionTraffic, Traffic } from '../traffic.ts'
import type { AbortOptions, Stream, StreamMiddleware, StreamMuxer } from '@libp2p/interface'

type Registrar = ProtocolComponents['registrar']
type ConnectionManager = ProtocolComponents['connectionManager']

/** What `replaceInternals` asks for each call that it replaces. */
export interface Replacements {
  /** The ids that answer for a protocol: its own first, then those of its variants. */
  idsOf: (protocol: string) => string[]
  /** The middleware of an id, given the original method. */
  getMiddleware: (id: string, original: Registrar['getMiddleware']) => StreamMiddleware[]
  openStream: (
    original: ConnectionManager['openStream'],
    ...args: Parameters<ConnectionManager['openStream']>
  ) => ReturnType<ConnectionManager['openStream']>
}

/**
 * Replaces methods of libp2p's registrar and connection manager, so that a protocol can be spoken
 * in variants. libp2p has no hook for this: its middleware runs after a protocol was negotiated
 * (docs/upstream.md). It works because libp2p calls these methods as properties of its components.
 */
export function replaceInternals (
  { registrar, connectionManager }: Pick<ProtocolComponents, 'registrar' | 'connectionManager'>,
  { idsOf, getMiddleware, openStream }: Replacements
): void {
  const handle = registrar.handle.bind(registrar)
  const unhandle = registrar.unhandle.bind(registrar)
  const originalMiddleware = registrar.getMiddleware.bind(registrar)
  const originalOpen = connectionManager.openStream.bind(connectionManager)

  registrar.handle = async (protocol, handler, options) => {
    for (const id of idsOf(protocol)) {
      await handle(id, handler, options)
    }
  }
  registrar.unhandle = async (protocols, options) => unhandle([protocols].flat().flatMap(idsOf), options)
  registrar.getMiddleware = id => getMiddleware(id, originalMiddleware)
  connectionManager.openStream = async (peer, protocols, options) => openStream(originalOpen, peer, protocols, options)
}

/**
 * Runs `flush` after a muxer has closed. libp2p closes the muxer and then the connection below
 * ours, never ours: bytes that are still being compressed would be lost. It works because libp2p
 * calls `close` as a property of the muxer, and waits for it (docs/upstream.md).
 */
export function flushAfterClose (
  muxer: Pick<StreamMuxer, 'close'>,
  flush: (options?: AbortOptions) => Promise<void>
): void {
  const close = muxer.close.bind(muxer)

  muxer.close = async options => {
    await close(options)
    await flush(options)
  }
}

/**
 * By the muxer's list of streams. A libp2p connection has no property that leads to its muxer, but
 * its `streams` is the same array, and unique, unlike loggers.
 */
const trafficByStreams = new WeakMap<readonly Stream[], Traffic>()

/** @param muxer - the muxer over the compressed connection */
export function rememberTraffic (muxer: { readonly streams: readonly Stream[] }, traffic: Traffic): void {
  trafficByStreams.set(muxer.streams, traffic)
}

/**
 * Bytes sent and received over a libp2p connection so far.
 *
 * @returns undefined if the connection is not compressed
 */
export function trafficOf (connection: { readonly streams: readonly Stream[] }): ConnectionTraffic | undefined {
  return trafficByStreams.get(connection.streams)
}
