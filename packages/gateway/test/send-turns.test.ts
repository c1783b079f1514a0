import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createNodeServer } from '../src/node/index.ts'
import { SendTurns } from '../src/node/send-turns.ts'
import { listenInTest } from '../../../test/support/listen-in-test.ts'
import type { Server } from 'node:net'

const CLIENTS = 60

/** Let many send their parts, and tell how many did in each turn of the event loop. */
async function countTurns (turns: SendTurns, count: number, onTurn = (): void => {}): Promise<number[]> {
  const sent: number[] = []
  const order: number[] = []
  const all = Array.from({ length: count }, async (_, i) => {
    await turns.next()
    order.push(i)
  })

  while (order.length < count) {
    const before = order.length
    onTurn()
    await setImmediate()
    sent.push(order.length - before)
  }

  await Promise.all(all)
  expect(order).toEqual(order.toSorted((a, b) => a - b))

  return sent.filter(parts => parts > 0)
}

describe('turns to send', () => {
  it('are had by eight responses at a time, in order', async () => {
    expect(Math.max(...(await countTurns(new SendTurns(), 100)).slice(1))).toBe(8)
  })

  it('are had by one at a time while connections come', async () => {
    const turns = new SendTurns()

    expect(Math.max(...(await countTurns(turns, 20, turns.accept)).slice(1))).toBe(1)
  })
})

describe('a server', () => {
  it('accepts connections while many others are sent bodies', async () => {
    let parts = 0
    const port = await listenInTest(createNodeServer(async () => new Response(new ReadableStream({
      pull: controller => {
        parts++
        controller.enqueue(new Uint8Array(1024))
      }
    }, { highWaterMark: 0 }))) as Server)
    const sockets = await Promise.all(Array.from({ length: CLIENTS }, async () => {
      const socket = connect(port, '127.0.0.1')
      socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
      await once(socket, 'data')

      return socket.resume()
    }))
    const perTurn: number[] = []

    for (let i = 0; i < 200; i++) {
      const before = parts
      await setImmediate()
      perTurn.push(parts - before)
    }

    expect(perTurn.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(CLIENTS)
    // two of its turns may be in one of this loop
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(16)
    sockets.forEach(socket => { socket.destroy() })
  })
})
