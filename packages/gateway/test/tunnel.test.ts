import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { createNodeServer } from '../src/node/index.ts'
import { listenInTest } from '../../../test/support/listen-in-test.ts'
import { serve } from './fixtures.ts'
import type { Server } from 'node:net'

async function exchange (request: string): Promise<string> {
  const socket = connect(await listenInTest(createNodeServer(serve().gateway) as Server), '127.0.0.1')
  let text = ''
  socket.on('data', (chunk: Uint8Array) => { text += Buffer.from(chunk).toString('latin1') })
  socket.write(request)
  await once(socket, 'close')

  return text
}

const CONNECT = 'CONNECT anything:80 HTTP/1.1\r\nHost: anything:80\r\n\r\n'

it('is the proxy of a client, through a tunnel that leads to the gateway itself', async () => {
  const get = 'GET /ipfs/bafkqabtimvwgy3yk HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n'
  const text = await exchange(`${CONNECT}${get}`)

  expect(text).toMatch(/^HTTP\/1\.1 200 Connection Established\r\n\r\nHTTP\/1\.1 200 OK\r\n[^]*hello\n$/)
})

it('refuses a tunnel inside of a tunnel', async () => {
  expect(await exchange(`${CONNECT}${CONNECT}`)).toBe('HTTP/1.1 200 Connection Established\r\n\r\n')
})
