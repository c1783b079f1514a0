import { once } from 'node:events'
import { createServer as createHttp2Server } from 'node:http2'
import { request } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createNodeHandler, createNodeServer } from '../src/node/index.ts'
import { listenInTest } from '../../../test/support/listen-in-test.ts'
import { addCompressed, KIB, serve, text } from './fixtures.ts'
import type { IncomingHttpHeaders } from 'node:http'
import type { Server } from 'node:net'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0'
const CHROMIUM = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'

describe('a response over HTTP/1.1', () => {
  it('is chunked if it is encoded and goes to Firefox, which does not compare its length', async () => {
    const { gateway, fs } = serve()
    const cid = await addCompressed(fs, text(300_000), 'zstd', 64 * KIB)
    const port = await listenInTest(createNodeServer(gateway) as Server)
    const headersFor = async (agent: string, coding: string, method: string): Promise<IncomingHttpHeaders> => {
      const headers = { 'user-agent': agent, 'accept-encoding': coding }
      const asked = request({ port, host: '127.0.0.1', path: `/ipfs/${cid}`, method, headers, agent: false }).end()
      const [response] = await once(asked, 'response')
      response.resume()
      await once(response, 'end')

      return response.headers
    }

    const toFirefox = await headersFor(FIREFOX, 'zstd', 'GET')

    expect(toFirefox).toMatchObject({ 'content-encoding': 'zstd', 'transfer-encoding': 'chunked' })
    expect(toFirefox).not.toHaveProperty('content-length')
    expect(await headersFor(FIREFOX, 'identity', 'GET')).toHaveProperty('content-length', '300000')
    expect(await headersFor(CHROMIUM, 'zstd', 'GET')).toHaveProperty('content-length')

    // it has no body, and says the length of the original
    for (const coding of ['zstd', 'identity']) {
      expect(await headersFor(FIREFOX, coding, 'HEAD')).toHaveProperty('content-length', '300000')
    }
  })
})

// RFC 9113, section 4.1
const FRAME_HEADER_LENGTH = 9
const [DATA, HEADERS, RST_STREAM, SETTINGS, WINDOW_UPDATE] = [0, 1, 3, 4, 8]
const END_STREAM = 0x01
const END_HEADERS = 0x04
/** What a connection may send at first, in bytes. */
const WINDOW = 65_535
const STREAMS = 50
const BODY = 20_000
/** Compressed headers: GET http://x/ (RFC 7541, appendix A). */
const GET = Uint8Array.of(0x82, 0x86, 0x84, 0x41, 1, 'x'.charCodeAt(0))

interface Frame {
  type: number
  flags: number
  /** Bytes of its payload. */
  length: number
}

function encodeFrame (type: number, flags: number, stream: number, payload = new Uint8Array(0)): Buffer {
  const header = Buffer.alloc(FRAME_HEADER_LENGTH)
  header.writeUIntBE(payload.byteLength, 0, 3)
  header[3] = type
  header[4] = flags
  header.writeUInt32BE(stream, 5)

  return Buffer.concat([header, payload])
}

/** The frames that are there as a whole. */
function decodeFrames (bytes: Buffer): Frame[] {
  const frames: Frame[] = []

  for (let at = 0; at + FRAME_HEADER_LENGTH <= bytes.byteLength;) {
    const length = bytes.readUIntBE(at, 3)

    if (at + FRAME_HEADER_LENGTH + length <= bytes.byteLength) {
      frames.push({ type: bytes[at + 3], flags: bytes[at + 4], length })
    }

    at += FRAME_HEADER_LENGTH + length
  }

  return frames
}

describe('responses over HTTP/2', () => {
  it('end their streams, and do not reset them while they wait for the client to let them end', async () => {
    const server = createHttp2Server(createNodeHandler(async () => new Response(new Uint8Array(BODY))))
    const port = await listenInTest(server)
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => { socket.destroy() })
    let received = Buffer.alloc(0)
    let allowed = WINDOW

    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes])

      // as much again once all that was allowed is here: until then, streams wait
      if (lengthOf(decodeFrames(received)) === allowed) {
        allowed += WINDOW
        socket.write(encodeFrame(WINDOW_UPDATE, 0, 0, Uint8Array.of(0, 0, WINDOW >> 8, WINDOW & 0xff)))
      }
    })
    socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
    socket.write(encodeFrame(SETTINGS, 0, 0))

    for (let i = 0; i < STREAMS; i++) {
      socket.write(encodeFrame(HEADERS, END_STREAM | END_HEADERS, 2 * i + 1, GET))
    }

    const count = (test: (frame: Frame) => boolean): number => decodeFrames(received).filter(test).length
    await expect.poll(() => count(isLast)).toBe(STREAMS)
    expect(lengthOf(decodeFrames(received))).toBe(STREAMS * BODY)
    expect(count(({ type }) => type === RST_STREAM)).toBe(0)
  })
})

function lengthOf (frames: Frame[]): number {
  return frames.reduce((total, { type, length }) => total + (type === DATA ? length : 0), 0)
}

/** Whether a frame is the last of its stream. */
function isLast ({ type, flags }: Frame): boolean {
  return type === RST_STREAM || (type === DATA && (flags & END_STREAM) !== 0)
}
