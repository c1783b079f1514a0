import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { noise } from '../../test/support/data.ts'
import { shapedProxy } from '../support/shaped-proxy.ts'
import { TokenBucket } from '../support/token-bucket.ts'
import type { ShapedProxy, ShapedProxyInit } from '../support/shaped-proxy.ts'
import type { AddressInfo, Socket } from 'node:net'

const MEGABIT = 1e6
const open: Array<() => unknown> = []

afterEach(async () => {
  for (const close of open.splice(0).toReversed()) {
    await close()
  }
})

async function listen (onConnection: (socket: Socket) => void): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, onConnection)
  await new Promise<void>(resolve => { server.listen(0, '127.0.0.1', resolve) })
  open.push(() => server.close())

  return (server.address() as AddressInfo).port
}

async function createProxy (init: ShapedProxyInit): Promise<ShapedProxy> {
  const proxy = await shapedProxy(init)
  open.push(proxy.close)

  return proxy
}

function dial (port: number): Socket {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true })
  open.push(() => socket.destroy())

  return socket
}

/** Send bytes, end the stream, and return what comes back. */
async function exchange (port: number, bytes: Uint8Array): Promise<Buffer> {
  const socket = dial(port)
  socket.end(bytes)

  return Buffer.concat(await socket.toArray())
}

/** Sends every chunk back twice. */
function echoTwice (socket: Socket): void {
  socket.on('data', chunk => socket.write(Buffer.concat([chunk, chunk])))
  socket.on('end', () => socket.end())
}

describe('shapedProxy', () => {
  it('forwards the bytes of several connections in order, and counts them in each direction', async () => {
    const { port, traffic } = await createProxy({
      target: await listen(socket => { socket.pipe(socket) }),
      rate: 400 * MEGABIT,
      roundTrip: 4
    })
    const sent = [1, 2, 3].map(seed => noise(1_000_000 + seed, seed))
    const received = await Promise.all(sent.map(async bytes => exchange(port, bytes)))

    expect(received.map((bytes, i) => bytes.equals(sent[i]))).to.deep.equal([true, true, true])
    expect(traffic()).to.deep.equal({ up: 3_000_006, down: 3_000_006 })
  })

  it('counts each direction separately', async () => {
    const { port, traffic } = await createProxy({ target: await listen(echoTwice), rate: 400 * MEGABIT, roundTrip: 0 })
    const received = await exchange(port, noise(100_000))

    expect(received.byteLength).to.equal(200_000)
    expect(traffic()).to.deep.equal({ up: 100_000, down: 200_000 })
  })

  it('forwards nothing before the rate and the delay of both directions allow it', async () => {
    const { port } = await createProxy({
      target: await listen(socket => { socket.pipe(socket) }),
      rate: 8 * MEGABIT,
      roundTrip: 40
    })
    const start = performance.now()

    await exchange(port, noise(101_500))

    // one packet at once, then a thousand bytes a millisecond, plus the round trip
    expect(performance.now() - start).to.be.at.least(100 + 40)
  })

  it('forwards the end of one direction while the other goes on', async () => {
    const port = await listen(socket => { socket.on('end', () => socket.end('after the end')).resume() })
    const proxy = await createProxy({ target: port, rate: 10 * MEGABIT, roundTrip: 2 })

    expect((await exchange(proxy.port, noise(1000))).toString()).to.equal('after the end')
  })

  it('stops reading from a source when its queue is full', async () => {
    const total = 32 * 1024 * 1024
    const accepted = Promise.withResolvers<Socket>()
    const proxy = await createProxy({
      target: await listen(socket => accepted.resolve(socket.pause())),
      rate: 200 * MEGABIT,
      roundTrip: 0
    })
    const socket = dial(proxy.port)
    socket.end(noise(total))

    // the kernel's buffers fill, then the proxy's queue
    await expect.poll(() => proxy.mostHeld(), { timeout: 30_000 }).to.be.above(256 * 1024 - 1)
    expect(proxy.traffic().up).to.be.below(total)

    let received = 0

    for await (const chunk of await accepted.promise) {
      received += (chunk as Buffer).byteLength
    }

    expect(received).to.equal(total)
    // a queue of 256 KiB, and one chunk of a socket
    expect(proxy.mostHeld()).to.be.at.most((256 + 64) * 1024)
  })

  it('resets a connection whose target cannot be reached', async () => {
    const server = createServer()
    await new Promise<void>(resolve => { server.listen(0, '127.0.0.1', resolve) })
    const { port } = server.address() as AddressInfo
    await new Promise(resolve => { server.close(resolve) })

    const socket = dial((await createProxy({ target: port, rate: MEGABIT, roundTrip: 0 })).port)
    const [error] = await once(socket, 'error') as [NodeJS.ErrnoException]

    expect(error.code).to.equal('ECONNRESET')
  })
})

describe('TokenBucket', () => {
  it('sends bytes at its rate, whatever the size of the pieces', () => {
    let now = 1000
    const whole = new TokenBucket(8 * MEGABIT, () => now)
    const cut = new TokenBucket(8 * MEGABIT, () => now)
    let last = 0

    for (let i = 0; i < 100; i++) {
      last = cut.take(1000)
      now += 0.25
    }

    // one packet of 1500 bytes at once, then a thousand bytes a millisecond
    expect(last).to.equal(1000 + 100 - 1.5)
    now = 1000
    expect(whole.take(100_000)).to.equal(last)
  })

  it('saves at most one packet while idle', () => {
    let now = 0
    const bucket = new TokenBucket(8 * MEGABIT, () => now)

    now = 60_000
    expect(bucket.take(1500)).to.equal(60_000)
    expect(bucket.take(1000)).to.equal(60_001)
  })
})
