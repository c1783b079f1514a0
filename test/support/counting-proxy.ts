import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'

/** A TCP proxy on loopback that counts bytes. */
export interface CountingProxy {
  port: number
  /** The port of its target. A test may set it later. */
  targetPort: number
  /** Bytes sent to the target, and received from it, over all connections. */
  sent: number
  received: number
  close (): Promise<void>
}

/** @param targetPort - on loopback */
export async function countingProxy (targetPort: number): Promise<CountingProxy> {
  const sockets = new Set<{ destroy: () => void }>()

  const server = createServer(client => {
    const target = connect(proxy.targetPort, '127.0.0.1')

    for (const socket of [client, target]) {
      sockets.add(socket)
      socket.setNoDelay()
      socket.on('error', () => {
        client.destroy()
        target.destroy()
      })
    }

    client.on('data', ({ byteLength }) => { proxy.sent += byteLength })
    target.on('data', ({ byteLength }) => { proxy.received += byteLength })
    client.pipe(target).pipe(client)
  })

  const proxy: CountingProxy = {
    port: 0,
    targetPort,
    sent: 0,
    received: 0,

    close: async () => new Promise(resolve => {
      for (const socket of sockets) {
        socket.destroy()
      }

      server.close(() => { resolve() })
    })
  }

  await new Promise<void>(resolve => { server.listen(0, '127.0.0.1', resolve) })
  proxy.port = (server.address() as AddressInfo).port

  return proxy
}
