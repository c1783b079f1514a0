import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { toListenError } from './listen-error.ts'

const ADDRESS = /^\/ip([46])\/([^/]+)\/(tcp|udp)\/(\d+)/

/**
 * Check that a node can listen on its addresses, before it starts: the addon of WebRTC writes to stderr itself if it
 * cannot, and its error names no address.
 *
 * @param listen - multiaddrs. Those without an IP address, or with port 0, are left to the node
 * @throws {ListenError}
 */
export async function checkPorts (listen: readonly string[]): Promise<void> {
  for (const address of listen) {
    const [, family, host, protocol, port] = ADDRESS.exec(address) ?? []

    if (port == null || port === '0') {
      continue
    }

    try {
      await (protocol === 'udp' ? bindUdp : bindTcp)(host, Number(port), family === '6')
    } catch (err) {
      const error = await toListenError(address, (err as NodeJS.ErrnoException).code ?? '', err)

      if (error != null) {
        throw error
      }
    }
  }
}

async function bindTcp (host: string, port: number, ipv6Only: boolean): Promise<void> {
  const server = createServer()

  try {
    const listening = once(server, 'listening')
    server.listen({ host, port, ipv6Only, exclusive: true })
    await listening
  } finally {
    await new Promise<void>(resolve => { server.close(() => { resolve() }) })
  }
}

async function bindUdp (address: string, port: number, ipv6Only: boolean): Promise<void> {
  const socket = createSocket({ type: ipv6Only ? 'udp6' : 'udp4', ipv6Only })

  try {
    const listening = once(socket, 'listening')
    socket.bind({ address, port, exclusive: true })
    await listening
  } finally {
    await new Promise<void>(resolve => { socket.close(resolve) })
  }
}
