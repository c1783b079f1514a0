import type { Gateway } from '@ipfsz/gateway'

/** Requests with more ranges get the whole file, as RFC 9110 (section 14.2) allows. */
const MAX_RANGES = 64

/**
 * Answer a request. A gateway answers one range: several become one request each, and their parts one body
 * (`multipart/byteranges`, RFC 9110, section 14.6).
 */
export async function answerRanges (request: Request, gateway: Gateway): Promise<Response> {
  const ranges = request.headers.get('range')?.match(/^bytes=(.*,.*)$/)?.[1].split(',').map(range => range.trim())

  if (ranges == null || request.method !== 'GET') {
    return gateway(request)
  }

  if (ranges.length > MAX_RANGES) {
    return gateway(withRange(request, undefined))
  }

  const parts = partsOf(request, ranges, gateway)
  const first = await parts.next()

  if (first.done === true) {
    return first.value
  }

  const boundary = crypto.randomUUID()
  const headers = new Headers(first.value.headers)

  headers.delete('content-range')
  headers.delete('content-length')
  headers.set('content-type', `multipart/byteranges; boundary=${boundary}`)

  return new Response(streamOf(multipart(first.value, parts, boundary)), { status: 206, headers })
}

/** Yields the responses of ranges that exist. Returns the last other response: it answers the request if none does. */
async function * partsOf (
  request: Request,
  ranges: readonly string[],
  gateway: Gateway
): AsyncGenerator<Response, Response> {
  let other: Response | undefined
  let isFirst = true

  for (const range of ranges) {
    const response = await gateway(withRange(request, `bytes=${range}`))

    if (response.status === 206) {
      yield response
      isFirst = false
    } else if (response.status === 416) {
      other = response
    } else if (isFirst) {
      return response
    } else {
      // the body has begun: it must not end well without this part
      throw new Error(`The range ${range} was answered with ${response.status}`)
    }
  }

  return other ?? gateway(withRange(request, undefined))
}

async function * multipart (
  first: Response,
  rest: AsyncIterable<Response>,
  boundary: string
): AsyncGenerator<Uint8Array> {
  const text = new TextEncoder()

  const part = async function * (response: Response): AsyncGenerator<Uint8Array> {
    const type = response.headers.get('content-type') ?? 'application/octet-stream'
    const range = response.headers.get('content-range') ?? ''

    yield text.encode(`--${boundary}\r\nContent-Type: ${type}\r\nContent-Range: ${range}\r\n\r\n`)
    yield * response.body ?? []
    yield text.encode('\r\n')
  }

  yield * part(first)

  for await (const response of rest) {
    yield * part(response)
  }

  yield text.encode(`--${boundary}--\r\n`)
}

/** Reads only what is asked for. Not `ReadableStream.from`, which some browsers lack. */
function streamOf (source: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull (controller) {
      const read = await source.next()

      if (read.done === true) {
        controller.close()
      } else {
        controller.enqueue(read.value)
      }
    },
    async cancel () {
      await source.return(undefined)
    }
  }, { highWaterMark: 0 })
}

function withRange (request: Request, range: string | undefined): Request {
  const headers = new Headers(request.headers)

  if (range == null) {
    headers.delete('range')
  } else {
    headers.set('range', range)
  }

  return new Request(request, { headers })
}
