import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { median, rounded } from './benchmark.ts'
import { LINKS, MEGABIT } from './support/links.ts'
import { shapedProxy } from './support/shaped-proxy.ts'
import type { Benchmark, Row } from './benchmark.ts'
import type { Link } from './support/links.ts'
import type { AddressInfo, Socket } from 'node:net'

/** How far a link may be from its settings. */
const TOLERANCE = 0.03
const WITHIN = `within ${TOLERANCE * 100} %`
const TRIES = 5
const PINGS = 25

export const benchmark: Benchmark = {
  question: `whether the shaped link that the benchmark of the network uses keeps its rate and delay, within ${TOLERANCE * 100} %`,

  async run ({ smoke }) {
    const { port, close } = await listen()

    try {
      const rows: Row[] = []

      for (const link of smoke ? LINKS.slice(3, 4) : LINKS) {
        rows.push(await check(link, port, smoke ? 0.3 : 1.5))
      }

      return rows
    } finally {
      close()
    }
  }
}

/** The best of some tries: what else the machine does makes a link late, and nothing makes it early. */
async function check (link: Link, port: number, seconds: number): Promise<Row> {
  let best = Number.POSITIVE_INFINITY
  let row: Row = {}

  for (let tries = 0; tries < TRIES && best > TOLERANCE; tries++) {
    const proxy = await shapedProxy({ target: port, ...link })

    try {
      const rate = await measureRate(proxy.port, Math.round(link.rate / 8 * seconds))
      const roundTrip = await measureRoundTrip(proxy.port) - await measureRoundTrip(port)
      const errors = [rate / link.rate - 1, roundTrip / link.roundTrip - 1]
      const worst = Math.max(...errors.map(Math.abs))

      if (worst < best) {
        best = worst
        row = {
          'Mbit/s': link.rate / MEGABIT,
          'measured Mbit/s': rounded(rate / MEGABIT),
          'rate off by, %': rounded(errors[0] * 100),
          'round trip, ms': link.roundTrip,
          'measured round trip, ms': rounded(roundTrip),
          'round trip off by, %': rounded(errors[1] * 100),
          [WITHIN]: worst <= TOLERANCE ? 'yes' : 'no'
        }
      }
    } finally {
      await proxy.close()
    }
  }

  return row
}

/** A server that sends back one byte for one, and as many as it is asked for when it is sent a number. */
async function listen (): Promise<{ port: number, close: () => void }> {
  const server = createServer({ noDelay: true }, socket => {
    socket.on('error', () => {})
    socket.on('data', data => {
      if (data.byteLength === 1) {
        socket.write(data)
      } else {
        void send(socket, Number(data.toString()))
      }
    })
  })

  await new Promise<void>(resolve => { server.listen(0, '127.0.0.1', resolve) })

  return { port: (server.address() as AddressInfo).port, close: () => { server.close() } }
}

async function send (socket: Socket, total: number): Promise<void> {
  const chunk = Buffer.alloc(64 * 1024)

  for (let sent = 0; sent < total; sent += chunk.byteLength) {
    if (!socket.write(chunk.subarray(0, total - sent))) {
      await once(socket, 'drain')
    }
  }
}

/** Bits a second, from the first bytes that arrive to the last. */
async function measureRate (port: number, total: number): Promise<number> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  let start = 0
  let first = 0
  let received = 0

  socket.write(String(total).padStart(2, '0'))

  for await (const chunk of socket) {
    received += (chunk as Buffer).byteLength

    if (start === 0) {
      start = performance.now()
      first = received
    }

    if (received === total) {
      break
    }
  }

  return (received - first) * 8 / (performance.now() - start) * 1000
}

/** The median, in milliseconds. */
async function measureRoundTrip (port: number): Promise<number> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  const times: number[] = []

  for (let i = 0; i < PINGS; i++) {
    const start = performance.now()
    socket.write('.')
    await once(socket, 'data')
    times.push(performance.now() - start)
  }

  socket.destroy()

  return median(times)
}
