import { concat } from '@ipfsz/utils/bytes'
import { raceAbort } from '@ipfsz/utils/race-abort'
import { ConnectionClosedError, UnsupportedProtocolError } from '@libp2p/interface'
import { unheldTimeout } from '../util/unheld-timeout.ts'
import type { Connection, CreateStreamOptions, IdentifyResult, Libp2p, Stream, StreamMuxer } from '@libp2p/interface'

/** What begins each negotiation (multistream-select 1.0.0). */
const MULTISTREAM = '/multistream/1.0.0'
/** How long the other side may take to confirm a protocol if no signal says so, in milliseconds: as in libp2p. */
const TIMEOUT = 10_000
/** The longest name whose length takes one byte, with its line feed. */
const MAX_NAME = 126

/** The private method that @libp2p/utils gives what arrives on a stream. */
interface Receiving extends Stream {
  onData (data: Bytes): void
}

/** Bytes, or a list of them. */
interface Bytes {
  subarray (): Uint8Array
}

/**
 * Makes libp2p send on a new stream without waiting until the other side has confirmed the protocol, if it said before
 * that it speaks it. libp2p waits, so each message of Bitswap, each request over HTTP and each query of the DHT takes
 * one round trip more than it does in Kubo. `negotiateFully` of @libp2p/interface is for this, but nothing reads it.
 *
 * What the other side answers is compared when it comes, and taken out of what is read.
 */
export function openAtOnce (libp2p: Pick<Libp2p, 'addEventListener'>): void {
  // the same function each time, so that a second call adds nothing
  libp2p.addEventListener('peer:identify', onIdentify)
}

/** The protocols that the other side of a connection has said it speaks. */
const spoken = new WeakMap<Connection, ReadonlySet<string>>()

function onIdentify ({ detail: { connection, protocols } }: CustomEvent<IdentifyResult>): void {
  if (!spoken.has(connection)) {
    replaceCreateStream(connection, name => spoken.get(connection)?.has(name) === true)
  }

  spoken.set(connection, new Set(protocols))
}

function replaceCreateStream (connection: Connection, isSpoken: (protocol: string) => boolean): void {
  // a private field of libp2p
  const { muxer } = connection as { muxer?: Partial<Pick<StreamMuxer, 'createStream' | 'status'>> }

  if (typeof muxer?.createStream !== 'function') {
    return
  }

  const createStream = muxer.createStream.bind(muxer)

  muxer.createStream = async (options: CreateStreamOptions = {}) => {
    const stream = await createStream(options)
    const { protocol } = options

    // some muxers negotiate by themselves
    if (stream.protocol === '' && protocol != null && protocol.length <= MAX_NAME && isSpoken(protocol)) {
      negotiate(stream as Receiving, protocol, options.signal, () => muxer.status === 'open')
    }

    return stream
  }
}

/** Ask for a protocol, and let what follows be sent at once. */
function negotiate (
  stream: Receiving,
  protocol: string,
  signal: AbortSignal | undefined,
  isOpen: () => boolean
): void {
  const question = lines(MULTISTREAM, protocol)
  const { promise: confirmed, resolve: confirm, reject: refuse } = Promise.withResolvers<void>()
  const fail = (err: Error): void => {
    refuse(err)
    stream.abort(err)
  }
  // whoever closes the stream is told
  raceAbort(confirmed, signal).catch(fail)
  const receive = stream.onData.bind(stream)
  const close = stream.close.bind(stream)
  // as libp2p: a signal alone says how long, since on a slow link all that was sent before comes first
  const timer = signal != null ? undefined : unheldTimeout(() => {
    fail(new UnsupportedProtocolError(`The peer does not confirm ${protocol} within ${TIMEOUT / 1000} seconds`))
  }, TIMEOUT)
  let answer: Uint8Array = new Uint8Array(0)
  let isConfirmed = false

  stream.addEventListener('close', ({ local, error }) => {
    clearTimeout(timer)

    // what was sent is lost, unless this side gave up
    if (local === true) {
      confirm()
    } else {
      refuse(error ?? new ConnectionClosedError(`The connection was closed before the peer confirmed ${protocol}`))
    }
  }, { once: true })

  // later: what ends the other side may come with its last bytes
  stream.addEventListener('remoteCloseWrite', () => {
    queueMicrotask(() => {
      if (!isConfirmed && stream.status === 'open') {
        fail(new UnsupportedProtocolError(`The peer ended the stream without confirming ${protocol}`))
      }
    })
  }, { once: true })

  stream.onData = data => {
    answer = concat([answer, data.subarray()])
    const length = Math.min(answer.byteLength, question.byteLength)

    // who agrees says the same
    if (question.subarray(0, length).some((byte, i) => byte !== answer[i])) {
      fail(new UnsupportedProtocolError(`The peer no longer speaks ${protocol}`))
    } else if (length === question.byteLength) {
      clearTimeout(timer)
      stream.onData = receive
      isConfirmed = true
      receive(answer.subarray(length))
      confirm()
    }
  }

  // a Helia that has not yet listened to a stream misses its end, and keeps it until it times out
  stream.close = options => {
    // a muxer that closes waits for its streams, and its connection for it
    const wait = isOpen() ? raceAbort(confirmed, options?.signal) : Promise.resolve()
    const closing = wait.then(async () => close(options))
    // whoever awaits it is told all the same. The ping of libp2p does not await it, and Node would end
    closing.catch(() => {})
    return closing
  }

  stream.send(question)
  stream.protocol = protocol
}

/** Each with its length before it. */
function lines (...names: string[]): Uint8Array {
  return concat(names.flatMap(name => [Uint8Array.of(name.length + 1), new TextEncoder().encode(`${name}\n`)]))
}
