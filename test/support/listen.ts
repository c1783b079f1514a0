import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'

/** A server that listens on a free port of loopback. */
export interface Listening {
  port: number
  /** Bytes that were sent to all connections, headers included. */
  written: () => number
  /** Stop, and end all connections. */
  close: () => Promise<void>
}

export async function listen (server: Pick<Server, 'listen' | 'on' | 'close' | 'address'>): Promise<Listening> {
  const sockets = new Set<Pick<Socket, 'bytesWritten' | 'destroy'>>()

  server.on('connection', (socket: Socket) => {
    // tests look at what the other end learns
    socket.on('error', () => {})
    sockets.add(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server as Server, 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    written: () => [...sockets].reduce((total, { bytesWritten }) => total + bytesWritten, 0),

    close: async () => {
      for (const socket of sockets) {
        socket.destroy()
      }

      await new Promise<void>(resolve => { server.close(() => { resolve() }) })
    }
  }
}
