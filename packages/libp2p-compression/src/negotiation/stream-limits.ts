import { TooManyInboundProtocolStreamsError, TooManyOutboundProtocolStreamsError } from '@libp2p/interface'
import type { ProtocolComponents } from '../contract.ts'
import type { Connection, NewStreamOptions, Stream, StreamHandlerOptions } from '@libp2p/interface'

/** Those of libp2p, where whoever handles a protocol has said nothing. */
const MAX_INBOUND_STREAMS = 32
const MAX_OUTBOUND_STREAMS = 64

/**
 * libp2p counts the streams of each id by itself. What is allowed for a protocol is
 * allowed for it and its variants together.
 *
 * @param ids - of the protocol and its variants
 * @throws {TooManyInboundProtocolStreamsError} there are too many with the one that has just come
 */
export function checkInbound (registrar: ProtocolComponents['registrar'], protocol: string, ids: readonly string[], connection: Connection): void {
  const max = limits(registrar, protocol)?.maxInboundStreams ?? MAX_INBOUND_STREAMS
  const count = countStreams(connection, ids, 'inbound')

  if (count > max) {
    throw new TooManyInboundProtocolStreamsError(`Too many inbound streams of protocol "${protocol}" and its compressed variants: ${count}/${max}`)
  }
}

/**
 * @param stream - the one that has just been opened, aborted if it is too many
 * @throws {TooManyOutboundProtocolStreamsError}
 */
export function checkOutbound (registrar: ProtocolComponents['registrar'], protocol: string, ids: readonly string[], connection: Connection, stream: Stream, options: NewStreamOptions = {}): void {
  const max = limits(registrar, protocol)?.maxOutboundStreams ?? options.maxOutboundStreams ?? MAX_OUTBOUND_STREAMS
  const count = countStreams(connection, ids, 'outbound')

  if (count > max) {
    const err = new TooManyOutboundProtocolStreamsError(`Too many outbound streams of protocol "${protocol}" and its compressed variants: ${count}/${max}`)
    stream.abort(err)
    throw err
  }
}

function countStreams (connection: Connection, ids: readonly string[], direction: Stream['direction']): number {
  return connection.streams.filter(stream => stream.direction === direction && ids.includes(stream.protocol)).length
}

function limits (registrar: ProtocolComponents['registrar'], protocol: string): StreamHandlerOptions | undefined {
  try {
    return registrar.getHandler(protocol).options
  } catch (err) {
    if ((err as Error).name === 'UnhandledProtocolError') {
      return undefined
    }

    throw err
  }
}
