import { connect, createServer } from 'node:net'
import { Lane } from './lane.ts'
import { dial, listen, measureRoundTrips } from './loopback.ts'
import { TokenBucket } from './token-bucket.ts'
import type { Socket } from 'node:net'

export interface ShapedProxyInit {
  /** The port on loopback that connections are forwarded to. */
  target: number
  /** Bits a second in each direction, shared by all connections. */
  rate: number
  /** The round trip in milliseconds, half of it in each direction. */
  roundTrip: number
}

/** Bytes of all connections, including closed ones. */
export interface Traffic {
  /** From clients to the target. */
  up: number
  /** From the target to clients. */
  down: number
}

export interface ShapedProxy {
  /** The port on loopback to connect to. */
  port: number
  traffic (): Traffic
  /** When the first byte came from a client, on the clock of `performance`. */
  firstByte (): number | undefined
  /** The most bytes that any direction of a connection has held at one time. */
  mostHeld (): number
  close (): Promise<void>
}

/**
 * A link of limited rate and delay: a TCP proxy on loopback, which unlike `tc` needs no
 * privileges. Connections share the rate of each direction. Unlike a real path it loses
 * no packets and has no slow start, and the TCP handshake, which the kernel does, is not
 * delayed.
 */
export async function shapedProxy ({ target, rate, roundTrip }: ShapedProxyInit): Promise<ShapedProxy> {
  const delay = Math.max(0, roundTrip / 2 - await measureHop())
  const buckets = { up: new TokenBucket(rate), down: new TokenBucket(rate) }
  const lanes: Array<{ up: Lane, down: Lane }> = []
  const sockets = new Set<Socket>()
  let mostHeld = 0
  let firstByte: number | undefined

  const server = createServer({ allowHalfOpen: true, noDelay: true }, client => {
    const upstream = connect({ host: '127.0.0.1', port: target, allowHalfOpen: true, noDelay: true })
    const pair = {
      up: new Lane(client, upstream, buckets.up, delay),
      down: new Lane(upstream, client, buckets.down, delay)
    }

    lanes.push(pair)
    client.once('data', () => { firstByte ??= performance.now() })

    for (const [socket, other] of [[client, upstream], [upstream, client]]) {
      sockets.add(socket)
      // 'close' reports it
      socket.on('error', () => {})
      socket.on('data', () => { mostHeld = Math.max(mostHeld, pair.up.held, pair.down.held) })
      socket.on('close', hadError => {
        sockets.delete(socket)

        // a connection that breaks on one side is reset on the other
        if (hadError || !socket.readableEnded) {
          pair.up.stop()
          pair.down.stop()
          other.resetAndDestroy()
        }
      })
    }
  })

  const port = await listen(server)

  return {
    port,
    traffic: () => ({ up: sum(lanes.map(({ up }) => up.passed)), down: sum(lanes.map(({ down }) => down.passed)) }),
    firstByte: () => firstByte,
    mostHeld: () => mostHeld,
    close: async () => {
      for (const socket of sockets) {
        socket.destroy()
      }

      await new Promise(resolve => { server.close(resolve) })
    }
  }
}

/**
 * How long a byte takes over loopback, in milliseconds: the least of a few tries. The proxy adds
 * one more such trip to the link's delay, 1 to 2 % of 2 ms.
 */
async function measureHop (): Promise<number> {
  const server = createServer({ noDelay: true })
  const port = await listen(server)

  try {
    const ends = await dial(port, server)
    const times = await measureRoundTrips(...ends)
    ends.forEach(socket => { socket.destroy() })

    return Math.min(...times) / 2
  } finally {
    server.close()
  }
}

function sum (values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
