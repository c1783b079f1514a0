import { TooManyInboundProtocolStreamsError, TooManyOutboundProtocolStreamsError } from '@libp2p/interface'
import type { ProtocolComponents } from '../contract.ts'
import type { Connection, NewStreamOptions, Stream, StreamHandlerOptions } from '@libp2p/interface'

/** The defaults of libp2p, for handlers without limits of their own. */
const MAX_INBOUND_STREAMS = 32
const MAX_OUTBOUND_STREAMS = 64

/** A protocol on a connection. */
interface ProtocolStreams {
  registrar: ProtocolComponents['registrar']
  protocol: string
  /** The protocol and its variants. */
  ids: readonly string[]
  connection: Connection
}

/**
 * Apply the limit of a protocol to its plain and compressed streams together. (libp2p counts
 * each protocol id on its own.)
 *
 * @throws {TooManyInboundProtocolStreamsError} there are too many, including the new stream
 */
export function checkInbound ({ registrar, protocol, ids, connection }: ProtocolStreams): void {
  const max = limits(registrar, protocol)?.maxInboundStreams ?? MAX_INBOUND_STREAMS
  const count = countStreams(connection, ids, 'inbound')

  if (count > max) {
    throw new TooManyInboundProtocolStreamsError(tooMany('inbound', protocol, count, max))
  }
}

/**
 * The same for outbound streams.
 *
 * @param stream - the new stream, aborted if there are too many
 * @throws {TooManyOutboundProtocolStreamsError}
 */
export function checkOutbound (
  { registrar, protocol, ids, connection }: ProtocolStreams,
  stream: Stream,
  options: NewStreamOptions = {}
): void {
  const max = limits(registrar, protocol)?.maxOutboundStreams ?? options.maxOutboundStreams ?? MAX_OUTBOUND_STREAMS
  const count = countStreams(connection, ids, 'outbound')

  if (count > max) {
    const err = new TooManyOutboundProtocolStreamsError(tooMany('outbound', protocol, count, max))
    stream.abort(err)
    throw err
  }
}

function tooMany (direction: Stream['direction'], protocol: string, count: number, max: number): string {
  return `Too many ${direction} streams of protocol "${protocol}" and its compressed variants: ${count}/${max}`
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
