import { concat } from '@ipfsz/utils/bytes'
import { streamPair } from '@libp2p/utils'
import { describe, expect, it } from 'vitest'
import { fetchOverStream, InvalidResponseError } from '../src/fetch/libp2p/index.ts'
import { MAX_HEAD_SIZE, MAX_WAITING } from '../src/fetch/libp2p/limits.ts'
import { noise } from './fixtures.ts'
import type { GatewayBody, GatewayResponse } from '../src/fetch/http/index.ts'
import type { Stream } from '@libp2p/interface'

const URL_OF_PEER = new URL('http://peer/ipfs/cid?format=car')
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/vnd.ipld.car\r\nConnection: close\r\n\r\n'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Read a request, and call `answer` with the peer's end of the stream. */
async function ask (answer: (stream: Stream, request: string) => void | Promise<void>, signal?: AbortSignal): Promise<{
  local: Stream
  remote: Stream
  response: Promise<GatewayResponse>
}> {
  const [local, remote] = await streamPair()
  let request = ''

  remote.addEventListener('message', ({ data }) => {
    request += new TextDecoder().decode(data.subarray())

    if (request.endsWith('\r\n\r\n')) {
      void answer(remote, request)
    }
  })

  const headers = { accept: 'application/vnd.ipld.car' }
  const response = fetchOverStream(local, URL_OF_PEER, signal == null ? { headers } : { headers, signal })
  response.catch(() => {})

  return { local, remote, response }
}

/** Read a body to its end. */
async function drain ({ body }: GatewayResponse): Promise<Uint8Array> {
  const reader = body?.getReader()
  const chunks: Uint8Array[] = []

  for (let chunk = await reader?.read(); chunk?.value != null; chunk = await reader?.read()) {
    chunks.push(chunk.value)
  }

  return concat(chunks)
}

/** Resolves when the stream has ended in any way. */
async function closed (stream: Stream): Promise<Stream['status']> {
  if (stream.status === 'open') {
    await new Promise(resolve => { stream.addEventListener('close', resolve) })
  }

  return stream.status
}

describe('a request over a stream', () => {
  it('is one of HTTP/1.0, and its body is the rest of the stream', async () => {
    const body = noise(300_000)
    let asked = ''
    const { remote, response } = await ask(async (stream, request) => {
      asked = request
      // in parts that cut the head
      stream.send(encode(HEAD.slice(0, 20)))
      stream.send(encode(HEAD.slice(20)))
      stream.send(body.slice(0, 100_000))
      stream.send(body.slice(100_000))
      await stream.close()
    })
    const { status, headers } = await response
    const bytes = await drain(await response)

    expect(asked).toBe('GET /ipfs/cid?format=car HTTP/1.0\r\nhost: peer\r\naccept: application/vnd.ipld.car\r\n\r\n')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/vnd.ipld.car')
    expect(bytes).toEqual(body)
    expect(await closed(remote)).toBe('closed')
  })

  it('stops reading when its body is not taken', async () => {
    const { local, response } = await ask(stream => {
      stream.send(encode(HEAD))

      for (let i = 0; i < 8; i++) {
        stream.send(new Uint8Array(MAX_WAITING / 4))
      }
    })

    await response
    await expect.poll(() => local.readStatus).toBe('paused')
    const reader = ((await response).body as GatewayBody).getReader()
    let got = 0

    while (got < MAX_WAITING * 2) {
      got += (await reader.read()).value?.byteLength ?? 0
    }

    expect(local.readStatus).toBe('readable')
  })

  it('ends the stream when its body is cancelled, or its signal aborts', async () => {
    const cancelled = await ask(stream => { stream.send(encode(HEAD)) })
    await (await cancelled.response).body?.cancel()
    expect(await closed(cancelled.remote)).toBe('reset')

    const stop = new AbortController()
    const aborted = await ask(stream => { stream.send(encode(HEAD)) }, stop.signal)
    const body = drain(await aborted.response)
    stop.abort(new Error('enough'))
    await expect(body).rejects.toThrow('enough')
    expect(await closed(aborted.remote)).toBe('reset')

    const early = new AbortController()
    const silent = await ask(() => { early.abort(new Error('too late')) }, early.signal)
    await expect(silent.response).rejects.toThrow('too late')
  })

  it('fails if the stream is reset in its head or its body', async () => {
    const { response } = await ask(stream => { stream.abort(new Error('no')) })
    await expect(response).rejects.toMatchObject({ name: 'StreamResetError' })

    const cut = await ask(stream => {
      stream.send(encode(`${HEAD}some bytes`))
      setTimeout(() => { stream.abort(new Error('no')) })
    })
    await expect(cut.response.then(drain)).rejects.toMatchObject({ name: 'StreamResetError' })
  })
})

describe('refuses a response that', () => {
  const cases: ReadonlyArray<[name: string, text: string]> = [
    ['is not HTTP', '/multistream/1.0.0\n\r\n\r\n'],
    ['has another version', 'HTTP/2 200 OK\r\n\r\n'],
    ['is a switch of protocols', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['has a status out of range', 'HTTP/1.1 999 OK\r\n\r\n'],
    ['has a header without a colon', 'HTTP/1.1 200 OK\r\nnothing\r\n\r\n'],
    ['folds a header', 'HTTP/1.1 200 OK\r\na: b\r\n c\r\n\r\n'],
    ['has an invalid name', 'HTTP/1.1 200 OK\r\na b: c\r\n\r\n'],
    ['has an invalid value', 'HTTP/1.1 200 OK\r\na: b\0c\r\n\r\n'],
    ['has a lone line feed', 'HTTP/1.1 200 OK\r\na: b\nc: d\r\n\r\n'],
    ['is chunked', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n']
  ]

  it.each(cases)('%s', async (_, text) => {
    const { remote, response } = await ask(stream => { stream.send(encode(text)) })

    await expect(response).rejects.toBeInstanceOf(InvalidResponseError)
    expect(await closed(remote)).toBe('reset')
  })

  it('ends in its head', async () => {
    const { response } = await ask(async stream => {
      stream.send(encode(HEAD.slice(0, -2)))
      await stream.close()
    })

    await expect(response).rejects.toBeInstanceOf(InvalidResponseError)
  })

  it('has a head without end, as soon as it is too long', async () => {
    let sent = 0
    const { remote, response } = await ask(stream => {
      stream.send(encode('HTTP/1.1 200 OK\r\n'))
      const timer = setInterval(() => {
        if (stream.status !== 'open') {
          clearInterval(timer)
          return
        }

        stream.send(encode(`a: ${'b'.repeat(1000)}\r\n`))
        sent += 1000
      })
    })

    await expect(response).rejects.toBeInstanceOf(InvalidResponseError)
    expect(await closed(remote)).toBe('reset')
    expect(sent).toBeGreaterThan(MAX_HEAD_SIZE - 2000)
  })
})
