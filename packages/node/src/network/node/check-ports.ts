// Room: the libp2p node: its services (`node.ts`), connections, and what it listens on (`transports.ts`).
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, Server } from 'node:net'
import { ListenError } from '../../errors.ts'
import type { Socket } from 'node:dgram'

const ADDRESS = /^\/(?:ip|dns)([46]?)\/([^/]+)\/(tcp|udp)\/(\d+)/

const ABOUT_ADDRESS: ReadonlySet<unknown> = new Set(['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES', 'ENOTFOUND'])

/**
 * Check that a node can listen on its addresses, before it starts: the addon of WebRTC writes to stderr itself if it
 * cannot, and its error names no address.
 *
 * @param listen - multiaddrs. Those with neither an IP address nor a name are left to the node
 */
export async function checkPorts (listen: readonly string[]): Promise<void> {
  // until all are checked: two of them may name the same port
  const bound: Array<Server | Socket> = []

  try {
    for (const address of listen) {
      const [, family, host, protocol, port] = ADDRESS.exec(address) ?? []

      if (port == null) {
        continue
      }

      try {
        await bind(bound, protocol, { host, port: Number(port), ipv6Only: family === '6' })
      } catch (err) {
        // other codes say nothing about the address
        if (ABOUT_ADDRESS.has((err as NodeJS.ErrnoException).code)) {
          throw new ListenError(address, err as NodeJS.ErrnoException)
        }
      }
    }
  } finally {
    await Promise.all(bound.map(socket => new Promise<void>(resolve => { socket.close(() => { resolve() }) })))
  }
}

async function bind (
  bound: Array<Server | Socket>,
  protocol: string,
  { host, port, ipv6Only }: { host: string, port: number, ipv6Only: boolean }
): Promise<void> {
  const socket = protocol === 'udp' ? createSocket({ type: ipv6Only ? 'udp6' : 'udp4', ipv6Only }) : createServer()
  const listening = once(socket, 'listening')
  bound.push(socket)

  if (socket instanceof Server) {
    socket.listen({ host, port, ipv6Only, exclusive: true })
  } else {
    socket.bind({ address: host, port, exclusive: true })
  }

  await listening
}
