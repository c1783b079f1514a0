import { constants, Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { SendTurns } from './send-turns.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Firefox, and all that is built from its source. Other browsers say `like Gecko`. */
const GECKO = / Gecko\/\d/

export type NodeRequestMessage = IncomingMessage | Http2ServerRequest
export type NodeResponseMessage = ServerResponse | Http2ServerResponse

/** Where a response is sent. */
export interface Destination {
  req: NodeRequestMessage
  res: NodeResponseMessage
  /** Called when the client stops taking what it is sent, and when it goes on. */
  onStall: (isStalled: boolean) => void
  turns: SendTurns
}

/**
 * Send a response. Never rejects. If the body fails, the client sees a broken connection.
 *
 * srvx's own `sendNodeResponse` closes such a connection in the ordinary way, which ends a body without a
 * `Content-Length` well for HTTP/1.0, and never answers if a body fails with `undefined`.
 */
export async function sendResponse (destination: Destination, response: Response): Promise<void> {
  const { req, res, onStall } = destination
  const { body } = response

  // whatever fails, the response closes
  res.once('error', () => {})

  try {
    writeHead(req, res, response)

    if (body == null || req.method === 'HEAD') {
      await body?.cancel()
      endResponse(req, res)
    } else if (await sendBody(destination, body)) {
      endResponse(req, res)
    }

    if (res.writableLength > 0) {
      // the end of it, until the response closes
      onStall(true)
    }
  } catch {
    breakConnection(req, res)
  }
}

/**
 * End a response that was sent.
 *
 * Node resets a stream of HTTP/2 whose request nobody reads, although the end of its response still waits for
 * the client to take more: Firefox takes that for a failure. So the request is read, but not sooner: Node 24
 * then loops forever in `breakConnection`.
 */
export function endResponse (req: NodeRequestMessage, res: NodeResponseMessage): void {
  if (req instanceof Http2ServerRequest && req.stream.endAfterHeaders) {
    req.resume()
  }

  res.end()
}

/**
 * Break off a response so that no client takes it for whole: it resets the stream of HTTP/2, or the TCP
 * connection. Of TLS, the connection ends without the message that ends it well.
 */
export function breakConnection (req: NodeRequestMessage, res: NodeResponseMessage): void {
  if (res instanceof Http2ServerResponse) {
    // the types do not say that the stream is gone once it is closed
    const stream = res.stream as typeof res.stream | undefined
    stream?.close(constants.NGHTTP2_INTERNAL_ERROR)

    return
  }

  const { socket } = req

  if ('encrypted' in socket || socket.destroyed) {
    socket.destroy()
  } else {
    socket.resetAndDestroy()
  }
}

function writeHead (req: NodeRequestMessage, res: NodeResponseMessage, { status, headers }: Response): void {
  res.statusCode = status

  for (const [name, value] of headers) {
    res.setHeader(name, value)
  }

  if (ignoresLength(req, headers)) {
    // Node sends chunks instead
    res.removeHeader('content-length')
  }

  // nobody reads the body of a request: its rest would keep the connection busy
  if (req.httpVersionMajor < 2 && (req.headers['transfer-encoding'] != null || Number(req.headers['content-length']))) {
    res.setHeader('connection', 'close')
  }
}

/**
 * Whether the client takes a body for whole that has fewer bytes than its `Content-Length`, as if this process
 * is killed: Firefox does with encoded bodies over HTTP/1.1. Of chunks it expects the last one.
 */
function ignoresLength ({ httpVersion, headers }: NodeRequestMessage, sent: Headers): boolean {
  return httpVersion === '1.1' && sent.has('content-encoding') && GECKO.test(headers['user-agent'] ?? '')
}

/** @returns whether all of it was sent, to a client that is still there */
async function sendBody (
  { res, onStall, turns }: Destination,
  body: ReadableStream<Uint8Array>
): Promise<boolean> {
  const reader = body.getReader()
  let isClosed = res.destroyed
  let resume: (() => void) | undefined
  const close = (): void => {
    isClosed = true
    reader.cancel().catch(() => {})
    resume?.()
  }

  // a body may fail while the client does not read
  reader.closed.catch(() => { resume?.() })

  if (isClosed) {
    close()
    return false
  }

  res.once('close', close)
  res.once('error', close)
  res.on('drain', () => { resume?.() })

  for (let isFirst = true; ; isFirst = false) {
    if (!isFirst) {
      await turns.next()
    }

    const { done, value } = await reader.read()

    if (isClosed) {
      return false
    }

    if (done) {
      res.off('close', close)

      return true
    }

    if (!write(res, value)) {
      onStall(true)
      await new Promise<void>(resolve => { resume = resolve })
      onStall(false)
    }
  }
}

/** The two kinds of response have types of `write` that TypeScript cannot call together. */
function write (res: NodeResponseMessage, bytes: Uint8Array): boolean {
  return res instanceof Http2ServerResponse ? res.write(bytes) : res.write(bytes)
}
