import { createServer } from 'node:http'
import { listen } from '../../support/listen.ts'

/** Serves streams as they are, as servers do that say how a stored file is encoded. */
export interface StreamServer {
  /** An empty page. */
  url: string
  /** The URL of a stream that is sent with a `Content-Encoding`. */
  add (stream: Uint8Array, encoding?: string): string
  close (): Promise<void>
}

export async function serveStreams (): Promise<StreamServer> {
  const streams: Array<{ stream: Uint8Array, headers: Record<string, string> }> = []
  const server = createServer(({ url = '/' }, response) => {
    const added = streams.at(Number(url.slice(1)) - 1)

    if (url === '/' || added == null) {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Streams</title>')
    } else {
      response.writeHead(200, { 'content-type': 'application/octet-stream', ...added.headers }).end(added.stream)
    }
  })
  const { port, close } = await listen(server)
  const url = `http://127.0.0.1:${port}/`

  return {
    url,
    add: (stream, encoding) => `${url}${streams.push({
      stream,
      headers: encoding == null ? {} : { 'content-encoding': encoding }
    })}`,
    close
  }
}
