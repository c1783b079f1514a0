import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { AddressInfo, Server, Socket } from 'node:net'

const PINGS = 25
/** Milliseconds between pings. Pings in quick succession are faster than traffic on a link. */
const PAUSE = 2

/** Listen on any free port of the loopback interface, and return it. */
export async function listen (server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })

  return (server.address() as AddressInfo).port
}

/** Dial, and return both ends of the connection: the dialler's and the server's. */
export async function dial (port: number, server: Server): Promise<[Socket, Socket]> {
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const near = connect({ host: '127.0.0.1', port, noDelay: true })
  const [far] = await accepted

  // errors are reported by the calls that wait for these sockets
  near.on('error', () => {})
  far.on('error', () => {})

  return [near, far]
}

/** Measure the round trip of a byte a few times, in milliseconds. */
export async function measureRoundTrips (near: Socket, far: Socket): Promise<number[]> {
  const sendBack = (chunk: Buffer): void => { far.write(chunk) }
  const times: number[] = []

  far.on('data', sendBack)

  for (let i = 0; i < PINGS; i++) {
    await setTimeout(PAUSE)
    const start = performance.now()
    near.write('.')
    await once(near, 'data')
    times.push(performance.now() - start)
  }

  far.off('data', sendBack)

  return times
}
