import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import type { AddressInfo } from 'node:net'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm'
}

/** Serve a directory on a free port of loopback. */
export async function serve (
  directory: string,
  headers: Record<string, string> = {}
): Promise<{ url: string, close: () => void }> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const path = pathname === '/' ? '/index.html' : normalize(pathname)

    readFile(join(directory, path)).then(
      bytes => {
        const type = TYPES[extname(path)] ?? 'application/octet-stream'

        return response.writeHead(200, { ...headers, 'content-type': type }).end(bytes)
      },
      () => response.writeHead(404).end()
    )
  })

  await new Promise<void>(resolve => { server.listen(0, '127.0.0.1', resolve) })

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => { server.close() }
  }
}
