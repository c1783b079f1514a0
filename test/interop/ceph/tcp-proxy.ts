import { connect, createServer } from 'node:net'
import { listen } from '../../support/listen.ts'
import type { Socket } from 'node:net'

/** A network between a client and a gateway that can be lost. */
export interface Network {
  url: string
  /** Bytes no longer pass, either way, and nobody is told: as when a cable is pulled. */
  lose: () => void
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

  const pass = (from: Socket, to: Socket, isAnswer: boolean): void => {
    sockets.add(from)
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
    from.on('error', () => {})
    from.on('data', bytes => {
      if (lost) {
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
    const gateway = connect(Number(port), hostname)
    pass(client, gateway, false)
    pass(gateway, client, true)
  })
  const listening = await listen(server)

  return {
    url: `http://127.0.0.1:${listening.port}`,
    lose: () => { lost = true },
    restore: () => { lost = false },
    cutAfter: bytes => { left = bytes },
    close: async () => {
      sockets.forEach(socket => { socket.destroy() })
      await listening.close()
    }
  }
}
