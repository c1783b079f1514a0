/** Names of hosts as clients send them over HTTP/1.1 and HTTP/2. */
import { connect as connect2, createServer as createServer2 } from 'node:http2'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { listenInTest } from '../../../test/support/listen-in-test.ts'
import { createNodeHandler, createNodeServer } from '../src/node/index.ts'
import { serve } from './fixtures.ts'
import type { Server } from 'node:net'

const CID = 'bafkqac3imvwgy3zao5xxe3de'

/** The status of an answer, and where it leads. */
type Answer = [status: number, location: string | undefined]

async function ask (lines: string[], trustProxy?: 'loopback'): Promise<Answer> {
  const { gateway } = serve({ subdomainHosts: ['localhost', 'example.com'] })
  const port = await listenInTest(createNodeServer(gateway, trustProxy == null ? {} : { trustProxy }) as Server)
  const socket = connect(port, '127.0.0.1')
  socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`)
  const text = Buffer.concat(await socket.toArray() as Uint8Array[]).toString()

  return [Number(text.split(' ')[1]), /^location: (.*)\r$/im.exec(text)?.[1]]
}

const PATH = `/ipfs/${CID}?a`

describe('a host name with the dot of the root', () => {
  it.each<[host: string, ...Answer]>([
    ['localhost.', 301, `http://${CID}.ipfs.localhost/?a`],
    ['localhost.:8080', 301, `http://${CID}.ipfs.localhost:8080/?a`],
    ['LocalHost.:8080', 301, `http://${CID}.ipfs.localhost:8080/?a`],
    ['example.com.', 301, `http://${CID}.ipfs.example.com/?a`],
    [`${CID}.ipfs.localhost.:8080`, 404, undefined],
    ['127.0.0.1.', 200, undefined],
    ['127.0.0.1.:8080', 200, undefined],
    ['[::1]:8080', 200, undefined],
    ['site.example.', 200, undefined]
  ])('is the name without it: %s', async (host, ...expected) => {
    const bare = host.replace('.:', ':').replace(/\.$/, '')

    expect(await ask([`GET ${PATH} HTTP/1.1`, `Host: ${host}`])).toEqual(expected)
    expect(await ask([`GET ${PATH} HTTP/1.1`, `Host: ${bare}`])).toEqual(expected)
    // as a client of a proxy asks, and a proxy
    expect(await ask([`GET http://${host}${PATH} HTTP/1.1`, 'Host: x'])).toEqual(expected)
    expect(await ask([`GET ${PATH} HTTP/1.1`, 'Host: x', `X-Forwarded-Host: ${host}`], 'loopback')).toEqual(expected)
  })

  it('is not taken off twice, or off what is no name', async () => {
    for (const host of ['localhost..', '.', '..:8080', 'localhost.:x']) {
      expect((await ask([`GET ${PATH} HTTP/1.1`, `Host: ${host}`]))[1]).toBeUndefined()
    }
  })

  it('is the name without it in HTTP/2', async () => {
    const { gateway } = serve()
    const port = await listenInTest(createServer2(createNodeHandler(gateway)))
    const session = connect2(`http://127.0.0.1:${port}`)
    const headers = await new Promise<Record<string, unknown>>(resolve => {
      session.request({ ':path': PATH, ':authority': 'localhost.:8080' }).once('response', resolve).resume()
    })
    session.close()

    expect([headers[':status'], headers.location]).toEqual([301, `http://${CID}.ipfs.localhost:8080/?a`])
  })
})
