import { constants, Http2ServerResponse } from 'node:http2'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'

export type NodeRequestMessage = IncomingMessage | Http2ServerRequest
export type NodeResponseMessage = ServerResponse | Http2ServerResponse

/**
 * Send a response. Never rejects. If the body fails, the client sees a broken connection.
 *
 * srvx's own `sendNodeResponse` closes such a connection in the ordinary way, which ends a body without a
 * `Content-Length` well for HTTP/1.0, and never answers if a body fails with `undefined`.
 */
export async function sendResponse (
  req: NodeRequestMessage,
  res: NodeResponseMessage,
  response: Response
): Promise<void> {
  const { body } = response

  // whatever fails, the response closes
  res.once('error', () => {})

  try {
    writeHead(req, res, response)

    if (body == null || req.method === 'HEAD') {
      await body?.cancel()
      res.end()
    } else {
      await sendBody(res, body)
    }
  } catch {
    breakConnection(req, res)
  }
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

  // nobody reads the body of a request: its rest would keep the connection busy
  if (req.httpVersionMajor < 2 && (req.headers['transfer-encoding'] != null || Number(req.headers['content-length']))) {
    res.setHeader('connection', 'close')
  }
}

async function sendBody (res: NodeResponseMessage, body: ReadableStream<Uint8Array>): Promise<void> {
  const reader = body.getReader()
  let isClosed = res.destroyed
  let resume: (() => void) | undefined
  const close = (): void => {
    isClosed = true
    reader.cancel().catch(() => {})
    resume?.()
  }

  if (isClosed) {
    close()
    return
  }

  res.once('close', close)
  res.once('error', close)
  res.on('drain', () => { resume?.() })

  for (;;) {
    const { done, value } = await reader.read()

    if (isClosed) {
      return
    }

    if (done) {
      res.off('close', close)
      res.end()
      return
    }

    if (!write(res, value)) {
      await new Promise<void>(resolve => { resume = resolve })
    }
  }
}

/** The two kinds of response have types of `write` that TypeScript cannot call together. */
function write (res: NodeResponseMessage, bytes: Uint8Array): boolean {
  return res instanceof Http2ServerResponse ? res.write(bytes) : res.write(bytes)
}
