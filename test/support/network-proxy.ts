import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/** A TCP proxy on loopback whose connections can be cut. */
export interface NetworkProxy {
  port: number
  /** Bytes sent to the target, and received from it, over all connections. */
  sent: number
  received: number
  /** The number of connections so far. */
  connections: number
  /** Reset all connections, and go on accepting new ones. */
  cut: () => void
  close: () => Promise<void>
}

export interface NetworkProxyInit {
  /** Called with `received` whenever it grows. */
  onReceived?: (received: number) => void
  /** The limit for bytes per second from the target, by default none. */
  rate?: number
}

/** @param port - of the target, on loopback */
export async function networkProxy (port: number, { onReceived, rate }: NetworkProxyInit = {}): Promise<NetworkProxy> {
  const sockets = new Set<Socket>()

  const server = createServer(client => {
    const target = connect(port, '127.0.0.1')
    proxy.connections++

    for (const [socket, other] of [[client, target], [target, client]]) {
      sockets.add(socket)
      socket.setNoDelay()
      socket.on('error', () => { other.destroy() })
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }

    client.pipe(target)
    client.on('data', ({ byteLength }) => { proxy.sent += byteLength })
    target.on('data', ({ byteLength }) => {
      proxy.received += byteLength
      onReceived?.(proxy.received)
    })

    if (rate == null) {
      target.pipe(client)
    } else {
      target.on('data', bytes => {
        client.write(bytes)
        target.pause()
        setTimeout(() => { target.resume() }, bytes.byteLength / rate * 1000)
      })
    }
  })

  const proxy: NetworkProxy = {
    port: 0,
    sent: 0,
    received: 0,
    connections: 0,
    cut: () => { sockets.forEach(socket => { socket.resetAndDestroy() }) },
    close: async () => new Promise(resolve => {
      server.close(() => { resolve() })
      proxy.cut()
    })
  }

  await new Promise<void>(resolve => { server.listen(0, '127.0.0.1', resolve) })
  proxy.port = (server.address() as AddressInfo).port

  return proxy
}
