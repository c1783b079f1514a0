import { once } from 'node:events'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openAtOnce } from '../src/helia/open-at-once.ts'
import { startQuick, startStock } from './helia-nodes.ts'
import type { Connection, Stream, StreamHandler } from '@libp2p/interface'

const PROTOCOL = '/test/1.0.0'

/** Connect two nodes, of which one speaks the protocol, and return the other's connection once it knows. */
async function connect (handler: StreamHandler): Promise<Connection> {
  const [here, there] = await Promise.all([startQuick(), startStock()])
  await there.libp2p.handle(PROTOCOL, handler)
  const identified = once(here.libp2p, 'peer:identify')
  const connection = await here.libp2p.dial(there.libp2p.getMultiaddrs())
  await identified

  return connection
}

/** What a stream receives, as text, until the other side ends it. */
async function textOf (stream: Stream): Promise<string> {
  const parts: Uint8Array[] = []

  for await (const part of stream) {
    parts.push(part.subarray())
  }

  return Buffer.concat(parts).toString()
}

const echo: StreamHandler = async stream => {
  const text = await textOf(stream)
  stream.send(Buffer.from(`${text}!`))
  await stream.close()
}

/** Let nothing arrive on a connection until the function that is returned is called. */
function hold (connection: Connection): () => void {
  const { muxer } = connection as unknown as { muxer: { onData: (data: unknown) => void } }
  const onData = muxer.onData.bind(muxer)
  const held: unknown[] = []
  muxer.onData = data => { held.push(data) }

  return () => {
    muxer.onData = onData
    held.forEach(data => { onData(data) })
  }
}

/** A stream as a muxer makes it. */
class FakeStream extends EventTarget {
  protocol = ''
  readonly sent: string[] = []
  readonly received: string[] = []
  aborted: Error | undefined
  closed = false

  send (bytes: Uint8Array): boolean {
    this.sent.push(Buffer.from(bytes).toString())

    return true
  }

  onData (bytes: Uint8Array): void {
    this.received.push(Buffer.from(bytes).toString())
  }

  abort (error: Error): void {
    this.aborted = error
    this.dispatchEvent(Object.assign(new Event('close'), { error }))
  }

  async close (): Promise<void> {
    this.closed = true
  }
}

/** Open a stream of a connection whose other side has said that it speaks some protocols. */
async function openFake (protocol: string, spoken: readonly string[], stream = new FakeStream()): Promise<FakeStream> {
  const events = new EventTarget()
  const muxer = { status: 'open', createStream: async (_options: { protocol: string }) => stream }
  openAtOnce(events as unknown as Parameters<typeof openAtOnce>[0])
  const detail = { connection: { muxer }, protocols: spoken }
  events.dispatchEvent(new CustomEvent('peer:identify', { detail }))

  return muxer.createStream({ protocol })
}

const QUESTION = `\x13/multistream/1.0.0\n\x0c${PROTOCOL}\n`

describe('openAtOnce', () => {
  it('sends a message before the other side has confirmed the protocol', async () => {
    const arrived = Promise.withResolvers<string>()
    const connection = await connect(async stream => { arrived.resolve(await textOf(stream)) })
    const release = hold(connection)

    const stream = await connection.newStream(PROTOCOL)
    stream.send(Buffer.from('hello'))
    const received = once(stream, 'close')
    // the other side sees the end only once this side knows the protocol
    const closing = stream.close()
    release()
    await closing

    expect(await arrived.promise).toBe('hello')
    stream.abort(new Error('the test has ended'))
    await received
  })

  it('gives the reader what follows the confirmation', async () => {
    const connection = await connect(echo)
    const stream = await connection.newStream(PROTOCOL)
    stream.send(Buffer.from('hello'))
    const answer = textOf(stream)
    await stream.close()

    expect(await answer).toBe('hello!')
  })

  it('keeps the limit of streams', async () => {
    const connection = await connect(() => {})
    const options = { maxOutboundStreams: 1 }
    await connection.newStream(PROTOCOL, options)

    await expect(connection.newStream(PROTOCOL, options))
      .rejects.toThrow(expect.objectContaining({ name: 'TooManyOutboundProtocolStreamsError' }))
  })

  it('waits for the confirmation of a protocol that the other side has not named', async () => {
    const connection = await connect(echo)

    await expect(connection.newStream('/other/1.0.0'))
      .rejects.toThrow(expect.objectContaining({ name: 'UnsupportedProtocolError' }))
    expect((await openFake('/other/1.0.0', [PROTOCOL])).sent).toEqual([])
    expect((await openFake(PROTOCOL, [PROTOCOL])).sent).toEqual([QUESTION])
  })

  it.each<[string, (stream: FakeStream) => void]>([
    ['is given up', stream => { stream.abort(new Error('given up')) }],
    ['is refused', stream => { stream.onData(Buffer.from('\x13/multistream/1.0.0\n\x03na\n')) }]
  ])('leaves no rejection unhandled when a stream %s whose end nobody awaits, as in pings', async (_, end) => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    onTestFinished(() => { process.off('unhandledRejection', unhandled) })
    const stream = await openFake(PROTOCOL, [PROTOCOL])
    void stream.close()
    end(stream)
    void stream.close()
    // Node reports rejections after the microtasks
    await new Promise(setImmediate)

    expect(unhandled).not.toHaveBeenCalled()
    // who awaits it is told
    await expect(stream.close()).rejects.toThrow()
  })

  it('asks nothing where the muxer has negotiated', async () => {
    const stream = new FakeStream()
    stream.protocol = PROTOCOL

    expect((await openFake(PROTOCOL, [PROTOCOL], stream)).sent).toEqual([])
  })

  it('takes the confirmation out of what arrives in pieces of any size', async () => {
    for (let size = 1; size <= QUESTION.length + 5; size++) {
      const stream = await openFake(PROTOCOL, [PROTOCOL])
      const all = Buffer.from(`${QUESTION}hello`)

      for (let at = 0; at < all.byteLength; at += size) {
        stream.onData(all.subarray(at, at + size))
      }

      expect(stream.received.join('')).toBe('hello')
      await stream.close()
      expect(stream.closed).toBe(true)
    }
  })

  it('ends the stream by name if the other side no longer speaks the protocol', async () => {
    const stream = await openFake(PROTOCOL, [PROTOCOL])
    const closing = expect(stream.close()).rejects.toThrow('The peer no longer speaks')
    stream.onData(Buffer.from('\x13/multistream/1.0.0\n\x03na\n'))

    expect(stream.aborted?.name).toBe('UnsupportedProtocolError')
    await closing
    expect(stream.received).toEqual([])
  })

  it('ends the stream if the other side keeps silent', async () => {
    vi.useFakeTimers()
    onTestFinished(() => { vi.useRealTimers() })
    const stream = await openFake(PROTOCOL, [PROTOCOL])
    await vi.advanceTimersByTimeAsync(10_000)

    expect(stream.aborted?.message).toBe(`The peer does not confirm ${PROTOCOL} within 10 seconds`)
    expect(stream.closed).toBe(false)
  })
})
