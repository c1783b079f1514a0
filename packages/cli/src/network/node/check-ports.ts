import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, Server } from 'node:net'
import { ListenError } from '../../errors.ts'
import { listenReason } from '../../ports/listen-reasons.ts'
import { portOwner } from '../../ports/port-owner.ts'

const ADDRESS = /^\/ip([46])\/([^/]+)\/(tcp|udp)\/(\d+)/

/**
 * Check that a node can listen on its addresses, before it starts: the addon of WebRTC writes to stderr itself if it
 * cannot, and its error names no address.
 *
 * @param listen - multiaddrs. Those without an IP address are left to the node
 * @throws {ListenError}
 */
export async function checkPorts (listen: readonly string[]): Promise<void> {
  for (const address of listen) {
    const [, family, host, protocol, port] = ADDRESS.exec(address) ?? []

    if (port == null) {
      continue
    }

    try {
      await bind(protocol, host, Number(port), family === '6')
    } catch (err) {
      const { code = '' } = err as NodeJS.ErrnoException
      const owner = code === 'EADDRINUSE' ? await portOwner(protocol as 'tcp' | 'udp', Number(port)) : undefined
      const reason = listenReason(code, port, owner)

      // other codes say nothing about the address
      if (reason != null) {
        throw new ListenError(address, code, `${reason}, with --listen`, { cause: err })
      }
    }
  }
}

async function bind (protocol: string, host: string, port: number, ipv6Only: boolean): Promise<void> {
  const socket = protocol === 'udp' ? createSocket({ type: ipv6Only ? 'udp6' : 'udp4', ipv6Only }) : createServer()

  try {
    const listening = once(socket, 'listening')

    if (socket instanceof Server) {
      socket.listen({ host, port, ipv6Only, exclusive: true })
    } else {
      socket.bind({ address: host, port, exclusive: true })
    }

    await listening
  } finally {
    await new Promise<void>(resolve => { socket.close(() => { resolve() }) })
  }
}
