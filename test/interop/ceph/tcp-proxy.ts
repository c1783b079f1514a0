import { connect, createServer } from 'node:net'
import { listen } from '../../support/listen.ts'
import type { Socket } from 'node:net'

/** A network between a client and a gateway that can be lost. */
export interface Network {
  url: string
  /** How many connections there were. */
  readonly connections: number
  /** Bytes no longer pass, either way, and nobody is told: as when a cable is pulled. */
  lose: () => void
  /** From now on bytes pass again. Of a connection that has lost some none pass any more. */
  restore: () => void
  /** Reset connections after this many further bytes of answers. */
  cutAfter: (bytes: number) => void
  close: () => Promise<void>
}

/** @param url - of the gateway */
export async function network (url: string): Promise<Network> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let lost = false
  let left = Infinity
  let connections = 0
  /** Connections that have lost bytes. */
  const gaps = new WeakSet<Socket>()

  const pass = (from: Socket, to: Socket, isAnswer: boolean): void => {
    sockets.add(from)
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
    from.on('error', () => {})
    from.on('data', bytes => {
      if (lost || gaps.has(from)) {
        gaps.add(from).add(to)
        return
      }

      if (isAnswer && (left -= bytes.byteLength) < 0) {
        left = Infinity
        to.resetAndDestroy()
      } else {
        to.write(bytes)
      }
    })
  }
  const server = createServer(client => {
    connections++
    const gateway = connect(Number(port), hostname)
    pass(client, gateway, false)
    pass(gateway, client, true)
  })
  const listening = await listen(server)

  return {
    url: `http://127.0.0.1:${listening.port}`,
    get connections () { return connections },
    lose: () => { lost = true },
    restore: () => { lost = false },
    cutAfter: bytes => { left = bytes },
    close: async () => {
      sockets.forEach(socket => { socket.destroy() })
      await listening.close()
    }
  }
}
