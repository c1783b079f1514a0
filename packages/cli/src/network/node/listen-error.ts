import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, Server } from 'node:net'
import { ListenError } from '../../errors.ts'
import { listenReason } from '../../ports/listen-reasons.ts'
import { portOwner } from '../../ports/port-owner.ts'

const ADDRESS = /^\/ip([46])\/([^/]+)\/(tcp|udp)\/(\d+)/
/** An address, and the error of the system: libp2p puts both into the text of its message. */
const FAILED = /^\s*(\/\S+): .*?listen (E[A-Z]+)/m
const PORT = /\/(tcp|udp)\/(\d+)/

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
      await bind(protocol, host, Number(port), family === '6')
    } catch (err) {
      const error = await toListenError(address, (err as NodeJS.ErrnoException).code ?? '', err)

      if (error != null) {
        throw error
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

/** The error of libp2p for an address that it cannot listen on, or undefined if it is another error. */
export async function listenError (err: unknown): Promise<ListenError | undefined> {
  const [, address, code] = err instanceof Error ? FAILED.exec(err.message) ?? [] : []

  if (address == null || code == null) {
    return undefined
  }

  return await toListenError(address, code, err) ??
    new ListenError(address, code, `${code}, with --listen`, { cause: err })
}

/**
 * The error for an address that a node cannot listen on, with what to do.
 *
 * @param code - the error code of the system
 * @returns undefined if the code says nothing about the address
 */
async function toListenError (address: string, code: string, cause: unknown): Promise<ListenError | undefined> {
  const [, protocol, port = ''] = PORT.exec(address) ?? []
  const owner = code === 'EADDRINUSE' ? await portOwner(protocol === 'udp' ? 'udp' : 'tcp', Number(port)) : undefined
  const reason = listenReason(code, port, owner)

  return reason == null ? undefined : new ListenError(address, code, `${reason}, with --listen`, { cause })
}
