import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { createNodeServer } from '../src/node/index.ts'
import { listenInTest } from '../../../test/support/listen-in-test.ts'
import { serve } from './fixtures.ts'
import type { NodeServerInit } from '../src/node/index.ts'
import type { Server, Socket } from 'node:net'

const GET = 'GET /ipfs/bafkqabtimvwgy3yk HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'

async function listen (init: NodeServerInit): Promise<number> {
  return listenInTest(createNodeServer(serve().gateway, init) as Server)
}

/** Open a connection, and see what it is answered. */
async function ask (port: number, address = '127.0.0.1'): Promise<{ socket: Socket, text: string }> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: address })
  socket.on('error', () => {})
  socket.write(GET)
  const [text] = await once(socket, 'data')

  return { socket, text: String(text) }
}

it('refuses an address that has too many connections, and nobody else', async () => {
  const port = await listen({ connectionsPerAddress: 2 })
  const [first] = [await ask(port), await ask(port)]

  expect(first.text).toMatch(/^HTTP\/1\.1 200 /)
  const refused = await ask(port)
  expect(refused.text).toMatch(/^HTTP\/1\.1 429 [^]*retry-after: 1\r\n/i)
  expect((await ask(port, '127.0.0.2')).text).toMatch(/^HTTP\/1\.1 200 /)

  first.socket.destroy()
  await once(first.socket, 'close')
  let { text } = await ask(port)

  // the server may learn of it a little later
  while (text.startsWith('HTTP/1.1 429')) {
    ({ text } = await ask(port))
  }

  expect(text).toMatch(/^HTTP\/1\.1 200 /)
})

it('lets a trusted proxy have as many connections as there are', async () => {
  const port = await listen({ connectionsPerAddress: 1, trustProxy: 'loopback' })
  const answers = [await ask(port), await ask(port), await ask(port)]

  expect(answers.map(({ text }) => text.slice(0, 13))).toEqual(Array.from({ length: 3 }, () => 'HTTP/1.1 200 '))
})

it('closes the connection that has been without a request for longest to take one too many', async () => {
  const port = await listen({ maxConnections: 3 })
  const answered = await ask(port)
  const silent = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' })
  silent.on('error', () => {})
  await once(silent, 'connect')
  const later = await ask(port, '127.0.0.3')

  // asks again, after the other one was answered
  answered.socket.write(GET)
  await once(answered.socket, 'data')
  const closed = once(silent, 'close')
  expect((await ask(port, '127.0.0.4')).text).toMatch(/^HTTP\/1\.1 200 /)
  await closed

  const laterClosed = once(later.socket, 'close')
  expect((await ask(port, '127.0.0.5')).text).toMatch(/^HTTP\/1\.1 200 /)
  await laterClosed
  expect(answered.socket.closed).toBe(false)
})

it('refuses a connection if all others wait for a response', async () => {
  const asked = Promise.withResolvers<void>()
  const response = Promise.withResolvers<Response>()
  const gateway = async (): Promise<Response> => {
    asked.resolve()

    return response.promise
  }
  const port = await listenInTest(createNodeServer(gateway, { maxConnections: 1 }) as Server)
  const first = ask(port)
  await asked.promise
  const second = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' })
  second.on('error', () => {})
  await once(second, 'close')
  response.resolve(new Response('found'))

  expect((await first).text).toMatch(/^HTTP\/1\.1 200 /)
})
